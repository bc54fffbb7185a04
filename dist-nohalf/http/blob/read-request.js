import { BLOB_LIMITS } from "../../base/limits-blob.js";
import { badHeader, Refusal } from "../../base/refusals.js";
import { checkCombination, NO_CONDITIONS } from "../../concurrency/conditions.js";
import { parseEtags } from "../../concurrency/etag.js";
import { parseTagPredicate } from "../../concurrency/tag-predicate.js";
import { checkBlobName, checkContainerName, } from "../../services/blob/names.js";
import { parseHttpDate } from "../wire/dates.js";
/** What requests to containers and blobs have in common, decoded. */
export function readContainerRef({ target }) {
    const { path } = target;
    const container = path.endsWith("/") ? path.slice(0, -1) : path;
    checkContainerName(container);
    return { account: target.account, container };
}
export function readBlobRef({ target }) {
    const ref = blobRefOf(target);
    checkContainerName(ref.container);
    checkBlobName(ref.blob);
    return ref;
}
/** The container may be left out of the address: then it is $root. */
export function blobRefOf({ account, path }) {
    const slash = path.indexOf("/");
    if (slash < 0)
        return { account, container: "$root", blob: path };
    return { account, container: path.slice(0, slash), blob: path.slice(slash + 1) };
}
const GUID = /^[{(]?([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})[)}]?$/i;
/** Any form .NET prints a Guid in; kept and compared in one. */
export function readGuid(headers, name) {
    const text = headers[name];
    if (text === undefined)
        return undefined;
    const parts = GUID.exec(text.trim());
    if (parts === null)
        throw badHeader(name, text);
    return parts.slice(1).join("-").toLowerCase();
}
export function requireGuid(headers, name) {
    const id = readGuid(headers, name);
    if (id === undefined)
        throw missingHeader(name);
    return id;
}
export function readLeaseId(headers) {
    return headers["x-ms-lease-id"] === undefined ? undefined : readGuid(headers, "x-ms-lease-id");
}
export function missingHeader(name) {
    return new Refusal("MissingRequiredHeader", { elements: { HeaderName: name } });
}
export function requireHeader(headers, name) {
    const value = headers[name];
    if (value === undefined || value === "")
        throw missingHeader(name);
    return value;
}
export const IF_DATES = ["if-modified-since", "if-unmodified-since"];
export const IF_TAGS = ["x-ms-if-tags"];
export const IF_FOUR = ["if-match", "if-none-match", ...IF_DATES];
export const IF_ALL = [...IF_FOUR, ...IF_TAGS];
const KNOWN = IF_ALL;
/**
 * The conditions of a write. One it does not take is refused, not overlooked: a client that believes its write
 * is guarded must not learn otherwise from lost data.
 */
export function readWriteConditions(headers, taken) {
    for (const name of KNOWN) {
        if (headers[name] !== undefined && !taken.includes(name))
            throw new Refusal("ConditionHeadersNotSupported");
    }
    return single(readConditionHeaders(headers, taken));
}
/** Reads that take one condition at most. What they do not take is ignored: caches revalidate whatever they hold. */
export function readSingleConditions(headers, taken) {
    return single(readConditionHeaders(headers, taken));
}
/** Get Blob, Get Blob Properties, Get Blob Metadata: any combination, and lists of ETags. */
export function readReadConditions(headers) {
    return readConditionHeaders(headers, IF_ALL);
}
/** Conditions on the source of a copy. */
export function readSourceConditions(headers) {
    return single(readConditionHeaders(headers, IF_ALL, SOURCE_NAMES));
}
function single(conditions) {
    const code = checkCombination(conditions);
    if (code !== undefined)
        throw new Refusal(code);
    return conditions;
}
/** The same five on the source of a copy; x-ms-if-tags has its form there without a second x-ms-. */
const SOURCE_NAMES = {
    "if-match": "x-ms-source-if-match",
    "if-none-match": "x-ms-source-if-none-match",
    "if-modified-since": "x-ms-source-if-modified-since",
    "if-unmodified-since": "x-ms-source-if-unmodified-since",
    "x-ms-if-tags": "x-ms-source-if-tags",
};
function readConditionHeaders(headers, taken, names) {
    let found;
    for (const plain of taken) {
        const name = names === undefined ? plain : names[plain];
        const text = headers[name];
        if (text === undefined)
            continue;
        found ??= {};
        switch (plain) {
            case "if-match":
                found.ifMatch = etags(name, text);
                break;
            case "if-none-match":
                found.ifNoneMatch = etags(name, text);
                break;
            case "if-modified-since":
                found.ifModifiedSince = date(name, text);
                break;
            case "if-unmodified-since":
                found.ifUnmodifiedSince = date(name, text);
                break;
            case "x-ms-if-tags":
                found.ifTags = predicate(name, text);
        }
    }
    return found ?? NO_CONDITIONS;
}
function etags(name, text) {
    const match = parseEtags(text);
    if (match === undefined)
        throw badHeader(name, text);
    return match;
}
function date(name, text) {
    const instant = parseHttpDate(text);
    if (instant === undefined)
        throw badHeader(name, text);
    return instant;
}
function predicate(name, text) {
    const parsed = parseTagPredicate(text);
    if (parsed === undefined)
        throw badHeader(name, text);
    return parsed;
}
/** A whole number of a header, within bounds. */
export function readWhole(headers, name, { min, max }) {
    const text = headers[name];
    if (text === undefined)
        return undefined;
    const value = /^-?\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= min && value <= max))
        throw badHeader(name, text);
    return value;
}
export function readBoolean(headers, name) {
    const text = headers[name]?.toLowerCase();
    if (text === undefined)
        return undefined;
    if (text !== "true" && text !== "false")
        throw badHeader(name, text);
    return text === "true";
}
/** x-ms-lease-duration: -1 for ever, or 15 to 60 seconds. */
export function readLeaseLength(headers) {
    const name = "x-ms-lease-duration";
    const { leaseSecondsMin, leaseSecondsMax } = BLOB_LIMITS;
    const seconds = readWhole(headers, name, { min: -1, max: leaseSecondsMax });
    if (seconds === undefined)
        throw missingHeader(name);
    if (seconds === -1)
        return "infinite";
    if (seconds < leaseSecondsMin)
        throw badHeader(name, String(seconds));
    return seconds * 1_000;
}
