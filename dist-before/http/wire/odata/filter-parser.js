import { TABLE_LIMITS } from "../../../base/limits-table.js";
import { Refusal } from "../../../base/refusals.js";
import { FilterTokens } from "./filter-tokens.js";
/**
 * `$filter`, by recursive descent. Depth and the number of comparisons are bounded, so that a filter costs its
 * reader and its evaluator little, whoever wrote it.
 *
 *   or         = and ("or" and)*
 *   and        = unary ("and" unary)*
 *   unary      = "not" unary | "(" or ")" | comparison | property | true | false
 *   comparison = property operator literal | literal operator property
 */
export function parseFilter(text) {
    return new FilterParser(text).parse();
}
/** Read from the literal's side: `5 lt Age` says `Age gt 5`. */
const MIRRORED = {
    eq: "eq",
    ne: "ne",
    gt: "lt",
    ge: "le",
    lt: "gt",
    le: "ge",
};
const RESERVED = new Set(["and", "or", "not", ...Object.keys(MIRRORED)]);
class FilterParser {
    #tokens;
    #token;
    #depth = 0;
    #comparisons = 0;
    constructor(text) {
        this.#tokens = new FilterTokens(text);
        this.#token = this.#tokens.next();
    }
    parse() {
        const filter = this.#or();
        if (this.#token.kind !== "end")
            throw this.#unexpected();
        return filter;
    }
    #or() {
        return this.#chain("or", () => this.#chain("and", () => this.#unary()));
    }
    #chain(kind, operand) {
        const first = operand();
        if (!this.#isWord(kind))
            return first;
        const operands = [first];
        while (this.#isWord(kind)) {
            this.#advance();
            operands.push(operand());
        }
        return { kind, operands };
    }
    #unary() {
        if (this.#isWord("not")) {
            this.#advance();
            return this.#deeper(() => ({ kind: "not", operand: this.#unary() }));
        }
        if (this.#token.kind === "open") {
            this.#advance();
            return this.#deeper(() => {
                const inner = this.#or();
                if (this.#token.kind !== "close")
                    throw this.#unexpected();
                this.#advance();
                return inner;
            });
        }
        return this.#comparison();
    }
    #deeper(run) {
        if (++this.#depth > TABLE_LIMITS.filterDepthMax)
            throw tooComplex("It is nested too deeply.");
        const filter = run();
        this.#depth--;
        return filter;
    }
    #comparison() {
        if (++this.#comparisons > TABLE_LIMITS.filterComparisonsMax)
            throw tooComplex("It holds too many comparisons.");
        const left = this.#operand();
        const operator = this.#operator();
        if (operator === undefined) {
            if (left.kind === "word")
                return { kind: "property", property: left.word };
            if (left.literal.type === "Boolean")
                return { kind: "constant", value: left.literal.value };
            throw this.#unexpected();
        }
        this.#advance();
        const right = this.#operand();
        if (left.kind === "word" && right.kind === "literal")
            return { kind: "comparison", property: left.word, operator, literal: right.literal };
        if (left.kind === "literal" && right.kind === "word")
            return {
                kind: "comparison",
                property: right.word,
                operator: MIRRORED[operator],
                literal: left.literal,
            };
        throw this.#tokens.fail(right.end);
    }
    #operand() {
        const token = this.#token;
        if (token.kind !== "word" && token.kind !== "literal")
            throw this.#unexpected();
        if (token.kind === "word") {
            if (RESERVED.has(token.word))
                throw this.#unexpected();
            // Functions are OData's, not this service's.
            if (this.#tokens.isCall())
                throw new Refusal("NotImplemented");
        }
        this.#advance();
        return token;
    }
    #operator() {
        if (this.#token.kind !== "word")
            return undefined;
        const { word } = this.#token;
        return Object.hasOwn(MIRRORED, word) ? word : undefined;
    }
    #isWord(word) {
        return this.#token.kind === "word" && this.#token.word === word;
    }
    #advance() {
        this.#token = this.#tokens.next();
    }
    #unexpected() {
        return this.#tokens.fail(this.#token.end);
    }
}
function tooComplex(reason) {
    return new Refusal("InvalidInput", { text: `The filter is too complex. ${reason}` });
}
