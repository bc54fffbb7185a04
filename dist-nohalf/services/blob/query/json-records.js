import { SQL_LIMITS, SqlError } from "./sql.js";
const OPEN = /[{[]/;
/**
 * JSON records out of text that arrives in pieces: one after another, on a line each or spread over several. Found
 * by their brackets, so a record is parsed once, when it is whole.
 */
export class JsonReader {
    #rest = "";
    #depth = 0;
    #isInText = false;
    /** How far the rest has been looked at. */
    #seen = 0;
    *push(text) {
        this.#rest += text;
        let start = 0;
        for (let at = this.#seen; at < this.#rest.length; at++) {
            const character = this.#rest[at];
            if (this.#isInText) {
                if (character === "\\")
                    at++;
                else if (character === '"')
                    this.#isInText = false;
            }
            else if (character === '"' && this.#depth > 0)
                this.#isInText = true;
            else if (character === "{" || character === "[")
                this.#depth++;
            else if (character === "}" || character === "]") {
                if (--this.#depth < 0)
                    throw new SqlError("the JSON of the blob is malformed");
                if (this.#depth === 0) {
                    yield parse(this.#rest.slice(start, at + 1));
                    start = at + 1;
                }
            }
            this.#seen = at + 1;
        }
        this.#rest = this.#rest.slice(start);
        this.#seen -= start;
        if (this.#rest.length > SQL_LIMITS.recordCharsMax)
            throw new SqlError("a record is too long");
    }
    end() {
        if (this.#rest.trim() !== "")
            throw new SqlError("the JSON of the blob ends inside a record");
    }
}
function parse(text) {
    const from = text.search(OPEN);
    try {
        return JSON.parse(from > 0 && text.slice(0, from).trim() === "" ? text.slice(from) : text);
    }
    catch (error) {
        if (error instanceof SyntaxError)
            throw new SqlError("the JSON of the blob is malformed");
        throw error;
    }
}
/** Everything a path leads to below a record: [*] stands for each element of a list. */
export function* walkPath(record, path, at = 0) {
    if (at === path.length) {
        yield record;
        return;
    }
    const step = path[at];
    if (step !== "[*]") {
        const next = stepInto(record, step);
        if (next !== null)
            yield* walkPath(next, path, at + 1);
    }
    else if (Array.isArray(record)) {
        for (const item of record)
            yield* walkPath(item, path, at + 1);
    }
    else
        yield* walkPath(record, path, at + 1);
}
export function stepInto(value, step) {
    if (value === null || typeof value !== "object" || value instanceof Date)
        return null;
    if (typeof step === "number")
        return Array.isArray(value) ? (value[step] ?? null) : null;
    return Object.hasOwn(value, step) ? (value[step] ?? null) : null;
}
