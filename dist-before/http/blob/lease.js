import { BLOB_LIMITS } from "../../base/limits-blob.js";
import { badHeader } from "../../base/refusals.js";
import { leaseBlob as leaseBlobOf } from "../../services/blob/lease-blob.js";
import { leaseContainer as leaseContainerOf } from "../../services/blob/lease-container.js";
import { refusePast } from "./blob-headers.js";
import { IF_ALL, IF_DATES, missingHeader, readBlobRef, readContainerRef, readGuid, readLeaseLength, readWhole, readWriteConditions, requireGuid, } from "./read-request.js";
import { stamp } from "./replies.js";
import { onBlob, onContainer, row } from "./rows.js";
/** Lease Container and Lease Blob: one set of headers, five actions. */
const ACTIONS = ["acquire", "renew", "change", "release", "break"];
export function readLeaseAction(action, headers, random) {
    refuseForeign(action, headers);
    switch (action) {
        case "acquire": {
            const proposed = readGuid(headers, "x-ms-proposed-lease-id");
            const length = readLeaseLength(headers);
            return { action, id: proposed ?? random.uuid(), isProposed: proposed !== undefined, length };
        }
        case "renew":
        case "release":
            return { action, id: requireGuid(headers, "x-ms-lease-id") };
        case "change":
            return {
                action,
                held: requireGuid(headers, "x-ms-lease-id"),
                proposed: requireGuid(headers, "x-ms-proposed-lease-id"),
            };
        case "break": {
            const seconds = readWhole(headers, "x-ms-lease-break-period", {
                min: 0,
                max: BLOB_LIMITS.breakSecondsMax,
            });
            return { action, period: seconds === undefined ? undefined : seconds * 1_000 };
        }
    }
}
/** A length or a break period sent along with an action that has none is a mistake the client should hear of. */
function refuseForeign(action, headers) {
    const duration = headers["x-ms-lease-duration"];
    if (duration !== undefined && action !== "acquire")
        throw badHeader("x-ms-lease-duration", duration);
    const period = headers["x-ms-lease-break-period"];
    if (period !== undefined && action !== "break")
        throw badHeader("x-ms-lease-break-period", period);
}
const STATUS = {
    acquire: 201,
    renew: 200,
    change: 200,
    release: 200,
    break: 202,
};
export function leaseReply(action, { revision, lease, secondsLeft }) {
    const id = action === "release" || action === "break" || lease.state === "available" ? undefined : lease.id;
    const headers = {
        ...stamp(revision),
        "x-ms-lease-id": id,
        "x-ms-lease-time": action === "break" ? String(secondsLeft) : undefined,
    };
    return { status: STATUS[action], headers };
}
/** One row for each action, and one that says what is wrong with a request that names none of them. */
export function leaseRows(what, options) {
    const { query, permission, conditions, handle } = options;
    const resource = what === "Blob" ? "blob" : "container";
    const common = { method: "PUT", resource, query, conditions, returnsEtag: true, lease: "manages" };
    const rows = ACTIONS.map((action) => row({
        ...common,
        name: `${action[0].toUpperCase()}${action.slice(1)}${what}Lease`,
        header: { "x-ms-lease-action": action },
        // Who may delete may also break a lease that stands in the way.
        permission: action === "break" ? withDelete(permission) : permission,
        ok: [STATUS[action]],
        handle: (request, services) => handle(action, request, services),
    }));
    const unknown = row({ ...common, name: `Lease${what}`, permission, handle: unknownAction });
    return [...rows, unknown];
}
function withDelete({ type, account, service }) {
    return { type, account: [...account, "d"], service: service.length === 0 ? [] : [...service, "d"] };
}
async function unknownAction({ headers }) {
    const action = headers["x-ms-lease-action"];
    throw action === undefined ? missingHeader("x-ms-lease-action") : badHeader("x-ms-lease-action", action);
}
async function leaseContainer(action, request, { blobs }) {
    const result = await leaseContainerOf(blobs, {
        ref: readContainerRef(request),
        conditions: readWriteConditions(request.headers, IF_DATES),
        lease: readLeaseAction(action, request.headers, blobs.parts.random),
    });
    return leaseReply(action, result);
}
async function leaseBlob(action, request, { blobs }) {
    // Of snapshots and versions there is nothing to lease.
    refusePast(request.query);
    const result = await leaseBlobOf(blobs, {
        ref: readBlobRef(request),
        conditions: readWriteConditions(request.headers, IF_ALL),
        lease: readLeaseAction(action, request.headers, blobs.parts.random),
    });
    return leaseReply(action, result);
}
export const BLOB_LEASE_ROWS = leaseRows("Blob", {
    query: { comp: "lease" },
    permission: onBlob(["w"]),
    conditions: IF_ALL,
    handle: leaseBlob,
});
export const CONTAINER_LEASE_ROWS = leaseRows("Container", {
    query: { restype: "container", comp: "lease" },
    permission: onContainer(["w"]),
    conditions: IF_DATES,
    handle: leaseContainer,
});
