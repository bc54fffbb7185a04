import { instantOf, timestampOf } from "../../base/revision.js";
import { quotedEtag } from "../../concurrency/etag.js";
import { leaseStatus } from "../../concurrency/lease.js";
import { printHttpDate } from "../wire/dates.js";
/** Headers many replies share. */
export const XML = { "Content-Type": "application/xml" };
export function stamp(revision) {
    return { ETag: quotedEtag(revision), "Last-Modified": printHttpDate(instantOf(revision)) };
}
export function leaseHeaders(lease, now) {
    const { state, status, duration } = leaseStatus(lease, now);
    return { "x-ms-lease-status": status, "x-ms-lease-state": state, "x-ms-lease-duration": duration };
}
export function versionHeader(version) {
    return version === undefined ? {} : { "x-ms-version-id": timestampOf(version) };
}
