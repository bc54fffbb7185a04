/** Logical operations in one predicate, and brackets inside brackets. */
const LOGICAL_MAX = 10;
const DEPTH_MAX = 10;
const TEXT_MAX = 4_096;
export function holdsTags(predicate, tags) {
    if ("all" in predicate)
        return predicate.all.every((part) => holdsTags(part, tags));
    if ("any" in predicate)
        return predicate.any.some((part) => holdsTags(part, tags));
    const { tag, operator, value } = predicate;
    if (!Object.hasOwn(tags, tag))
        return false;
    const held = tags[tag];
    switch (operator) {
        case "=":
            return held === value;
        case "<>":
            return held !== value;
        case ">":
            return held > value;
        case ">=":
            return held >= value;
        case "<":
            return held < value;
        case "<=":
            return held <= value;
    }
}
/** Undefined when the text is not a predicate. */
export function parseTagPredicate(text) {
    const tokens = tagTokens(text);
    if (tokens === undefined || tokens.filter(isLogical).length > LOGICAL_MAX)
        return undefined;
    const reader = new PredicateReader(tokens);
    const predicate = reader.predicate(0);
    return predicate !== undefined && reader.isAtEnd ? predicate : undefined;
}
const isLogical = ({ kind }) => kind === "and" || kind === "or";
const TOKEN = /\s*(?:'((?:[^']|'')*)'|"((?:[^"]|"")*)"|(<>|>=|<=|=|>|<)|([()])|(@?[A-Za-z_][A-Za-z0-9_]*))/y;
/** Also the words of Find Blobs by Tags, which has a grammar of its own over them. */
export function tagTokens(text) {
    if (text.length > TEXT_MAX)
        return undefined;
    const tokens = [];
    const end = text.trimEnd().length;
    TOKEN.lastIndex = 0;
    while (TOKEN.lastIndex < end) {
        const parts = TOKEN.exec(text);
        if (parts === null)
            return undefined;
        tokens.push(tokenOf(parts));
    }
    return tokens;
}
function tokenOf([, value, quoted, operator, bracket, word]) {
    if (value !== undefined)
        return { kind: "value", text: value.replaceAll("''", "'") };
    if (quoted !== undefined)
        return { kind: "name", text: quoted.replaceAll('""', '"') };
    if (operator !== undefined)
        return { kind: "operator", text: operator };
    if (bracket !== undefined)
        return { kind: bracket };
    const lower = word.toLowerCase();
    return lower === "and" || lower === "or" ? { kind: lower } : { kind: "name", text: word };
}
class PredicateReader {
    #tokens;
    #at = 0;
    constructor(tokens) {
        this.#tokens = tokens;
    }
    get isAtEnd() {
        return this.#at === this.#tokens.length;
    }
    #take(kind) {
        const token = this.#tokens[this.#at];
        if (token?.kind !== kind)
            return undefined;
        this.#at++;
        return token;
    }
    predicate(depth) {
        if (depth > DEPTH_MAX)
            return undefined;
        const any = this.#row("or", () => this.#row("and", () => this.#comparison(depth), "all"), "any");
        return any;
    }
    #row(separator, part, joined) {
        const parts = [];
        do {
            const next = part();
            if (next === undefined)
                return undefined;
            parts.push(next);
        } while (this.#take(separator) !== undefined);
        if (parts.length === 1)
            return parts[0];
        return joined === "all" ? { all: parts } : { any: parts };
    }
    #comparison(depth) {
        if (this.#take("(") !== undefined) {
            const inner = this.predicate(depth + 1);
            return this.#take(")") === undefined ? undefined : inner;
        }
        const tag = this.#take("name")?.text;
        const operator = this.#take("operator")?.text;
        const value = this.#take("value")?.text;
        if (tag === undefined || operator === undefined || value === undefined)
            return undefined;
        return { tag, operator, value };
    }
}
