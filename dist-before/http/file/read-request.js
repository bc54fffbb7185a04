import { FILE_LIMITS } from "../../base/limits-file.js";
import { badHeader, badQuery, Refusal } from "../../base/refusals.js";
import { ATTRIBUTE } from "../../services/file/attributes.js";
import { checkShareName, splitPath } from "../../services/file/names.js";
import { parseIsoTicks } from "../wire/dates.js";
import { isMd5Base64 } from "../wire/digest.js";
export function missingHeader(name) {
    return new Refusal("MissingRequiredHeader", { elements: { HeaderName: name } });
}
export function requireHeader(headers, name) {
    const value = headers[name];
    if (value === undefined || value === "")
        throw missingHeader(name);
    return value;
}
export function readShareRef({ target }) {
    const { account, path } = target;
    const share = path.endsWith("/") ? path.slice(0, -1) : path;
    checkShareName(share);
    return { account, share };
}
/** sharesnapshot=2026-01-01T00:00:00.0000000Z */
export function readSnapshotTime({ query }, name = "sharesnapshot") {
    const text = query.get(name);
    if (text === undefined || text === "")
        return undefined;
    const time = parseIsoTicks(text);
    if (time === undefined)
        throw badQuery(name, text, "The time of a snapshot is expected.");
    return time;
}
/** The snapshot a request speaks of, if any, as a part of a reference. */
export function snapshotOf(request) {
    const snapshot = readSnapshotTime(request);
    return snapshot === undefined ? {} : { snapshot };
}
export function readPathRef(request) {
    const keepsDots = readFlag(request.headers, "x-ms-allow-trailing-dot") ?? false;
    return { ...pathRefOf(request.target, keepsDots), ...snapshotOf(request) };
}
/** An encoded slash separates like a plain one: some clients send nested directories so. */
export function pathRefOf({ account, path }, keepsDots) {
    const slash = path.indexOf("/");
    const share = slash < 0 ? path : path.slice(0, slash);
    checkShareName(share);
    return { account, share, path: slash < 0 ? [] : splitPath(path.slice(slash + 1), keepsDots) };
}
export function readFlag(headers, name) {
    const text = headers[name];
    if (text === undefined)
        return undefined;
    const flag = text.toLowerCase();
    if (flag !== "true" && flag !== "false")
        throw badHeader(name, text);
    return flag === "true";
}
export function readWhole(headers, name, { min, max }) {
    const text = headers[name];
    if (text === undefined)
        return undefined;
    if (!/^-?\d{1,16}$/.test(text))
        throw badHeader(name, text);
    const value = Number(text);
    if (value < min || value > max)
        throw badHeader(name, text);
    return value;
}
const GUID = /^[{(]?([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})[)}]?$/;
/** Any way to write a GUID, told apart by what it says: lower-case, with dashes. */
export function readGuid(headers, name) {
    const text = headers[name];
    if (text === undefined || text === "")
        return undefined;
    const parts = GUID.exec(text.toLowerCase());
    if (parts === null)
        throw badHeader(name, text);
    return parts.slice(1).join("-");
}
export function requireGuid(headers, name) {
    const id = readGuid(headers, name);
    if (id === undefined)
        throw missingHeader(name);
    return id;
}
export function readLeaseId(headers) {
    return readGuid(headers, "x-ms-lease-id");
}
export function readLeaseLength(headers) {
    const name = "x-ms-lease-duration";
    const seconds = readWhole(headers, name, { min: -1, max: FILE_LIMITS.leaseSecondsMax });
    if (seconds === undefined)
        throw missingHeader(name);
    if (seconds === -1)
        return "infinite";
    if (seconds < FILE_LIMITS.leaseSecondsMin)
        throw badHeader(name, String(seconds));
    return seconds * 1_000;
}
const HTTP_HEADERS = [
    ["x-ms-content-type", "contentType"],
    ["x-ms-content-encoding", "contentEncoding"],
    ["x-ms-content-language", "contentLanguage"],
    ["x-ms-content-disposition", "contentDisposition"],
    ["x-ms-cache-control", "cacheControl"],
    ["x-ms-content-md5", "contentMd5"],
];
/** Undefined when none is given: then they stay as they are. An empty value clears its header. */
export function readFileHeaders(headers) {
    let found;
    for (const [name, field] of HTTP_HEADERS) {
        const value = headers[name];
        if (value === undefined)
            continue;
        found ??= {};
        if (value === "")
            continue;
        if (field === "contentMd5" && !isMd5Base64(value))
            throw badHeader(name, value, "InvalidMd5");
        found[field] = value;
    }
    return found;
}
/** Attributes, times and permission. */
export function readWishes(headers) {
    return {
        attributes: readAttributes(headers),
        createdAt: readTime(headers, "x-ms-file-creation-time"),
        writtenAt: readTime(headers, "x-ms-file-last-write-time"),
        changedAt: readChangeTime(headers),
        permission: readPermission(headers),
    };
}
function readAttributes(headers) {
    const name = "x-ms-file-attributes";
    const text = headers[name];
    if (text === undefined || text === "" || text.toLowerCase() === "preserve")
        return undefined;
    let attributes = 0;
    for (const item of text.split("|")) {
        const wanted = item.trim().toLowerCase();
        if (wanted === "none")
            continue;
        const known = ATTRIBUTE_NAMES.get(wanted);
        if (known === undefined)
            throw badHeader(name, text);
        attributes |= ATTRIBUTE[known];
    }
    return attributes;
}
const ATTRIBUTE_NAMES = new Map(Object.keys(ATTRIBUTE).map((name) => [name.toLowerCase(), name]));
export function readTime(headers, name) {
    const text = headers[name];
    if (text === undefined || text === "")
        return undefined;
    const word = text.toLowerCase();
    if (word === "now" || word === "preserve")
        return word;
    const time = parseIsoTicks(text);
    if (time === undefined)
        throw badHeader(name, text);
    return time;
}
function readChangeTime(headers) {
    const time = readTime(headers, "x-ms-file-change-time");
    return time === "preserve" ? undefined : time;
}
function readPermission(headers) {
    const sddl = headers["x-ms-file-permission"];
    const key = headers["x-ms-file-permission-key"];
    if (sddl !== undefined && key !== undefined && key !== "") {
        throw badHeader("x-ms-file-permission-key", key);
    }
    if (key !== undefined && key !== "")
        return { key };
    if (sddl === undefined || sddl === "")
        return undefined;
    const word = sddl.toLowerCase();
    if (word === "inherit" || word === "preserve")
        return word;
    if (Buffer.byteLength(sddl) > FILE_LIMITS.permissionHeaderBytesMax) {
        throw badHeader("x-ms-file-permission", "", "FileInvalidPermission");
    }
    return { sddl: sddlOf(sddl, headers["x-ms-file-permission-format"]) };
}
/** The text form, whatever the client sent. */
export function sddlOf(permission, format) {
    const form = (format ?? "sddl").toLowerCase();
    if (form === "sddl")
        return permission;
    throw badHeader("x-ms-file-permission-format", form);
}
