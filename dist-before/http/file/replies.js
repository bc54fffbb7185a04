import { etagOf, instantOf, timestampOf } from "../../base/revision.js";
import { leaseStatus } from "../../concurrency/lease.js";
import { ATTRIBUTE } from "../../services/file/attributes.js";
import { printHttpDate } from "../wire/dates.js";
/** Headers many replies share. */
export const XML = { "Content-Type": "application/xml" };
export function quotedEtag(revision) {
    return `"${etagOf(revision)}"`;
}
export function stamp(revision) {
    return { ETag: quotedEtag(revision), "Last-Modified": printHttpDate(instantOf(revision)) };
}
export function leaseHeaders(lease, now) {
    const { state, status, duration } = leaseStatus(lease, now);
    return { "x-ms-lease-status": status, "x-ms-lease-state": state, "x-ms-lease-duration": duration };
}
const ATTRIBUTES = Object.entries(ATTRIBUTE);
export function printAttributes(attributes) {
    if (attributes === ATTRIBUTE.Archive)
        return "Archive";
    if (attributes === ATTRIBUTE.Directory)
        return "Directory";
    const names = ATTRIBUTES.filter(([, bit]) => (attributes & bit) !== 0).map(([name]) => name);
    return names.length === 0 ? "None" : names.join(" | ");
}
let lastTicks = 0n;
let lastTime = "";
/** The three times of a file are mostly one. */
export function printTicks(ticks) {
    if (ticks === lastTicks)
        return lastTime;
    lastTicks = ticks;
    lastTime = timestampOf(ticks);
    return lastTime;
}
/** What SMB clients see of a file or directory, too. */
export function nodeHeaders({ id, record }) {
    return {
        "x-ms-file-attributes": printAttributes(record.attributes),
        "x-ms-file-creation-time": printTicks(record.createdAt),
        "x-ms-file-last-write-time": printTicks(record.writtenAt),
        "x-ms-file-change-time": printTicks(record.changedAt),
        "x-ms-file-permission-key": record.permission,
        "x-ms-file-id": String(id),
        "x-ms-file-parent-id": String(record.parent),
    };
}
export function contentHeaders(headers) {
    return {
        "Content-Type": headers?.contentType,
        "Content-Encoding": headers?.contentEncoding,
        "Content-Language": headers?.contentLanguage,
        "Content-Disposition": headers?.contentDisposition,
        "Cache-Control": headers?.cacheControl,
    };
}
export function copyHeaders(copy) {
    if (copy === undefined)
        return {};
    return {
        "x-ms-copy-id": copy.id,
        "x-ms-copy-source": copy.source,
        "x-ms-copy-status": copy.status,
        "x-ms-copy-status-description": copy.description,
        "x-ms-copy-progress": `${copy.bytes}/${copy.total}`,
        "x-ms-copy-completion-time": copy.endedAt === undefined ? undefined : printHttpDate(copy.endedAt),
    };
}
/** The address the client used, up to the account: listings repeat it. */
export function serviceEndpoint({ headers, target, isSecure }) {
    const root = `${isSecure ? "https" : "http"}://${headers.host ?? "localhost"}/`;
    return target.isPathStyle ? `${root}${target.account}/` : root;
}
