import { etagOf } from "../base/revision.js";
const ONE = /^\s*(?:(W\/)?"([^"]*)"|([^\s",]+))\s*(?:,|$)/;
/** The value of If-Match or If-None-Match; undefined when it cannot be read as one or more ETags. */
export function parseEtags(text) {
    const whole = text.trim();
    if (whole === "*")
        return "*";
    const found = [];
    let rest = whole;
    while (rest !== "") {
        const parts = ONE.exec(rest);
        if (parts === null)
            return undefined;
        // A weak ETag promises less than equality of bytes: kept with its mark, it equals none of ours.
        found.push((parts[1] ?? "") + (parts[2] ?? parts[3]));
        rest = rest.slice(parts[0].length);
    }
    return found.length === 0 ? undefined : found;
}
/** As headers carry it. */
export function quotedEtag(revision) {
    return `"${etagOf(revision)}"`;
}
export function isEtagAmong(match, revision) {
    return match === "*" || match.includes(etagOf(revision));
}
