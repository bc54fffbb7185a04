import { holdsTags, tagTokens } from "./tag-predicate.js";
const COMPARISONS_MAX = 10;
/** Undefined when the text is not such a query. */
export function parseTagQuery(text) {
    const tokens = tagTokens(text);
    if (tokens === undefined)
        return undefined;
    const comparisons = [];
    let container;
    for (let at = 0;; at += 4) {
        const [name, operator, value, next] = tokens.slice(at, at + 4);
        if (name?.kind !== "name" || operator?.kind !== "operator" || value?.kind !== "value")
            return undefined;
        if (operator.text === "<>")
            return undefined;
        if (name.text.toLowerCase() === "@container") {
            if (operator.text !== "=" || container !== undefined)
                return undefined;
            container = value.text;
        }
        else
            comparisons.push({ tag: name.text, operator: operator.text, value: value.text });
        if (next === undefined)
            break;
        if (next.kind !== "and")
            return undefined;
    }
    const isSound = comparisons.length > 0 && comparisons.length <= COMPARISONS_MAX;
    return isSound ? { container, comparisons } : undefined;
}
export function matchesTagQuery({ comparisons }, tags) {
    return comparisons.every((comparison) => holdsTags(comparison, tags));
}
/** The tag whose entries are walked: one that must be equal to something, if there is one. */
export function drivingTag({ comparisons }) {
    return (comparisons.find(({ operator }) => operator === "=") ?? comparisons[0]).tag;
}
