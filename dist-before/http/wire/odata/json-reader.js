import { isUtf8 } from "node:buffer";
import { Refusal } from "../../../base/refusals.js";
export function malformedJson() {
    return new Refusal("InvalidInput", { text: "An error occurred while processing this request." });
}
export function readFlatObject(body) {
    if (!isUtf8(body))
        throw malformedJson();
    return new FlatReader(body.utf8Slice(0, body.length)).read();
}
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const TRUE = { kind: "boolean", value: true };
const FALSE = { kind: "boolean", value: false };
const NULL = { kind: "null" };
/** No number of ours needs more; longer ones only cost time. */
const NUMBER_CHARS_MAX = 400;
class FlatReader {
    #text;
    #at = 0;
    constructor(text) {
        this.#text = text;
        if (text.charCodeAt(0) === 0xfeff)
            this.#at = 1;
    }
    read() {
        const members = new Map();
        this.#expect("{");
        this.#skipBlanks();
        if (this.#text[this.#at] === "}")
            this.#at++;
        else
            this.#readMembers(members);
        this.#skipBlanks();
        if (this.#at !== this.#text.length)
            throw malformedJson();
        return members;
    }
    #readMembers(members) {
        for (;;) {
            this.#skipBlanks();
            const name = this.#readString();
            this.#expect(":");
            this.#skipBlanks();
            const value = this.#readValue();
            if (members.has(name))
                throw new Refusal("DuplicatePropertiesSpecified");
            members.set(name, value);
            this.#skipBlanks();
            const next = this.#text[this.#at++];
            if (next === "}")
                return;
            if (next !== ",")
                throw malformedJson();
        }
    }
    #skipBlanks() {
        for (;;) {
            const unit = this.#text.charCodeAt(this.#at);
            if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09)
                return;
            this.#at++;
        }
    }
    #expect(sign) {
        this.#skipBlanks();
        if (this.#text[this.#at] !== sign)
            throw malformedJson();
        this.#at++;
    }
    #readString() {
        const text = this.#text;
        if (text.charCodeAt(this.#at) !== QUOTE)
            throw malformedJson();
        const start = this.#at + 1;
        let hasEscapes = false;
        for (let at = start;; at++) {
            const unit = text.charCodeAt(at);
            if (unit === QUOTE) {
                this.#at = at + 1;
                if (!hasEscapes)
                    return text.slice(start, at);
                return unescaped(text.slice(start - 1, at + 1));
            }
            if (unit === BACKSLASH) {
                hasEscapes = true;
                at++;
            }
            else if (!(unit >= 0x20))
                throw malformedJson(); // also past the end, where it is NaN
        }
    }
    #readValue() {
        const text = this.#text;
        const at = this.#at;
        switch (text[at]) {
            case '"':
                return { kind: "string", text: this.#readString() };
            case "t":
                return this.#word("true", TRUE);
            case "f":
                return this.#word("false", FALSE);
            case "n":
                return this.#word("null", NULL);
            case "{":
            case "[":
                // Entities are flat.
                throw new Refusal("InvalidValueType");
        }
        NUMBER.lastIndex = at;
        const found = NUMBER.exec(text)?.[0];
        if (found === undefined || found.length > NUMBER_CHARS_MAX)
            throw malformedJson();
        this.#at = at + found.length;
        return { kind: "number", text: found };
    }
    #word(word, value) {
        if (!this.#text.startsWith(word, this.#at))
            throw malformedJson();
        this.#at += word.length;
        return value;
    }
}
function unescaped(literal) {
    let text;
    try {
        text = JSON.parse(literal);
    }
    catch (error) {
        if (error instanceof SyntaxError)
            throw malformedJson();
        throw error;
    }
    // Half a character has no UTF-8 form and could not be given back.
    if (!text.isWellFormed())
        throw malformedJson();
    return text;
}
