import { LIMITS } from "../base/limits.js";
import { badHeader, Refusal } from "../base/refusals.js";
/**
 * Headers by lower-cased name, from the raw list. Those that decide something (signed, conditional, addressed)
 * must not come twice: two readers of such a request could disagree about what it says.
 */
const JOINABLE = new Set([
    "accept",
    "accept-charset",
    "accept-encoding",
    "accept-language",
    "cache-control",
    "connection",
    "cookie",
    "forwarded",
    "keep-alive",
    "pragma",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "via",
    "x-forwarded-for",
    // Sent twice, the Table service has a refusal of its own for it.
    "x-http-method",
]);
/**
 * Node has made an object of the headers already, but it keeps only the first of some that repeat. When no name
 * repeats, its object says it all.
 */
export function readHeaders({ rawHeaders, headers, }) {
    if (rawHeaders.length > 2 * LIMITS.headerCountMax) {
        throw new Refusal("InvalidInput", { text: "Too many headers." });
    }
    let names = 0;
    for (const _ in headers)
        names++;
    return names * 2 === rawHeaders.length ? headers : mergeHeaders(rawHeaders);
}
function mergeHeaders(raw) {
    if (raw.length > 2 * LIMITS.headerCountMax)
        throw new Refusal("InvalidInput", { text: "Too many headers." });
    const headers = {};
    for (let i = 0; i < raw.length; i += 2) {
        const name = raw[i].toLowerCase();
        const value = raw[i + 1];
        const former = headers[name];
        if (typeof former !== "string")
            headers[name] = value;
        else if (JOINABLE.has(name))
            headers[name] = `${former}, ${value}`;
        else
            throw badHeader(raw[i], value);
    }
    return headers;
}
