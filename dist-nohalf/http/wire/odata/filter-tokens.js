import { TABLE_LIMITS } from "../../../base/limits-table.js";
import { Refusal } from "../../../base/refusals.js";
import { parseTicks } from "./times.js";
export function filterSyntaxError(text, position) {
    const quoted = text.toWellFormed().slice(0, TABLE_LIMITS.errorQuoteCharsMax);
    return new Refusal("InvalidInput", { text: `Syntax error at position ${position} in '${quoted}'.` });
}
const WORD = /[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}\p{Cf}]*/uy;
const NUMBER = /[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?([LlDdFfMm]?)/y;
const NUMBER_CHARS_MAX = 400;
const GUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const HEX = /^(?:[0-9a-f]{2})*$/i;
export class FilterTokens {
    text;
    #at = 0;
    constructor(text) {
        this.text = text;
    }
    next() {
        const { text } = this;
        while (text[this.#at] === " " || text[this.#at] === "\t")
            this.#at++;
        const sign = text[this.#at];
        if (sign === undefined)
            return { kind: "end", end: text.length };
        if (sign === "(" || sign === ")") {
            this.#at++;
            return { kind: sign === "(" ? "open" : "close", end: this.#at };
        }
        if (sign === "'")
            return this.#literal({ type: "String", value: this.#quoted() });
        WORD.lastIndex = this.#at;
        const word = WORD.exec(text)?.[0];
        if (word === undefined)
            return this.#number();
        this.#at += word.length;
        if (text[this.#at] === "'")
            return this.#literal(this.#marked(word));
        if (word === "true" || word === "false")
            return this.#literal({ type: "Boolean", value: word === "true" });
        return { kind: "word", word, end: this.#at };
    }
    /** Whether the word just read is followed by a parenthesis: a function. */
    isCall() {
        return this.text[this.#at] === "(";
    }
    fail(position = this.#at) {
        return filterSyntaxError(this.text, position);
    }
    /** A literal stands alone: `5x` or `'a''` is none. */
    #literal(literal) {
        const after = this.text[this.#at];
        if (after !== undefined && after !== " " && after !== "\t" && after !== ")")
            throw this.fail();
        return { kind: "literal", literal, end: this.#at };
    }
    #quoted() {
        const start = this.#at + 1;
        let end = this.text.indexOf("'", start);
        let hasQuotes = false;
        while (end >= 0 && this.text[end + 1] === "'") {
            hasQuotes = true;
            end = this.text.indexOf("'", end + 2);
        }
        if (end < 0)
            throw this.fail(this.text.length);
        this.#at = end + 1;
        const raw = this.text.slice(start, end);
        return hasQuotes ? raw.replaceAll("''", "'") : raw;
    }
    /** `datetime'..'`, `guid'..'`, `X'..'`, `binary'..'` */
    #marked(mark) {
        const content = this.#quoted();
        switch (mark) {
            case "datetime": {
                const ticks = parseTicks(content);
                if (ticks !== undefined)
                    return { type: "DateTime", value: ticks };
                break;
            }
            case "guid":
                if (GUID.test(content))
                    return { type: "Guid", value: content.toLowerCase() };
                break;
            case "X":
            case "x":
            case "binary":
                if (HEX.test(content))
                    return { type: "Binary", value: Buffer.from(content, "hex") };
                break;
        }
        throw this.fail();
    }
    #number() {
        NUMBER.lastIndex = this.#at;
        const found = NUMBER.exec(this.text);
        if (found === null || found[0].length > NUMBER_CHARS_MAX)
            throw this.fail(this.#at + 1);
        this.#at += found[0].length;
        const literal = numberOf(found[0], found[1]);
        if (literal === undefined)
            throw this.fail();
        return this.#literal(literal);
    }
}
function numberOf(text, suffix) {
    const digits = suffix === "" ? text : text.slice(0, -1);
    const isWhole = /^[+-]?\d+$/.test(digits);
    if (suffix === "L" || suffix === "l")
        return isWhole ? int64Of(digits) : undefined;
    const value = Number(digits);
    if (suffix === "" && isWhole) {
        if (value >= -(2 ** 31) && value < 2 ** 31)
            return { type: "Int32", value };
        return int64Of(digits) ?? { type: "Double", value };
    }
    return Number.isFinite(value) ? { type: "Double", value } : undefined;
}
function int64Of(digits) {
    if (digits.length > 24)
        return undefined;
    const value = BigInt(digits.startsWith("+") ? digits.slice(1) : digits);
    return BigInt.asIntN(64, value) === value ? { type: "Int64", value } : undefined;
}
