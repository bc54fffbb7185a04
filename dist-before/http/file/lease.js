import { FILE_LIMITS } from "../../base/limits-file.js";
import { badHeader } from "../../base/refusals.js";
import { leaseFile, leaseShare } from "../../services/file/lease.js";
import { missingHeader, readGuid, readLeaseLength, readPathRef, readWhole, requireGuid, } from "./read-request.js";
import { stamp } from "./replies.js";
import { onNode, onShare, row } from "./rows.js";
import { readRef } from "./share.js";
const ACTIONS = {
    File: ["acquire", "change", "release", "break"],
    Share: ["acquire", "renew", "change", "release", "break"],
};
const STATUS = {
    acquire: 201,
    renew: 200,
    change: 200,
    release: 200,
    break: 202,
};
function readLeaseAction(kind, action, headers, random) {
    switch (action) {
        case "acquire": {
            const proposed = readGuid(headers, "x-ms-proposed-lease-id");
            const length = kind === "Share" ? readLeaseLength(headers) : readEndless(headers);
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
            const max = FILE_LIMITS.breakSecondsMax;
            const name = "x-ms-lease-break-period";
            const seconds = kind === "Share" ? readWhole(headers, name, { min: 0, max }) : undefined;
            return { action, period: seconds === undefined ? undefined : seconds * 1_000 };
        }
    }
}
/** The length of a file's lease may be left out; -1 is the only one there is. */
function readEndless(headers) {
    const given = headers["x-ms-lease-duration"];
    if (given !== undefined && given !== "-1")
        throw badHeader("x-ms-lease-duration", given);
    return "infinite";
}
function leaseReply(action, { revision, lease, secondsLeft }) {
    const id = action === "release" || lease.state === "available" ? undefined : lease.id;
    return {
        status: STATUS[action],
        headers: {
            ...stamp(revision),
            "x-ms-lease-id": action === "break" ? undefined : id,
            "x-ms-lease-time": action === "break" ? String(secondsLeft) : undefined,
        },
    };
}
async function handleLease(kind, action, request, { files }) {
    const lease = readLeaseAction(kind, action, request.headers, files.parts.random);
    const result = kind === "File"
        ? await leaseFile(files, { ref: readPathRef(request), lease })
        : await leaseShare(files, { ref: readRef(request), lease });
    return leaseReply(action, result);
}
async function unknownAction({ headers }) {
    const action = headers["x-ms-lease-action"];
    throw action === undefined ? missingHeader("x-ms-lease-action") : badHeader("x-ms-lease-action", action);
}
/** One row for each action, and one that says what is wrong with a request that names none of them. */
function leaseRows(kind, permission, withDelete) {
    const common = {
        method: "PUT",
        resource: kind === "File" ? "file" : "share",
        query: kind === "File" ? { comp: "lease" } : { restype: "share", comp: "lease" },
        returnsEtag: true,
        lease: "manages",
    };
    const rows = ACTIONS[kind].map((action) => row({
        ...common,
        name: `${action[0].toUpperCase()}${action.slice(1)}${kind}Lease`,
        header: { "x-ms-lease-action": action },
        // Who may delete may also break a lease that stands in the way.
        permission: action === "break" ? withDelete : permission,
        ok: [STATUS[action]],
        handle: (request, services) => handleLease(kind, action, request, services),
    }));
    return [...rows, row({ ...common, name: `Lease${kind}`, permission, handle: unknownAction })];
}
export const LEASE_ROWS = [
    ...leaseRows("File", onNode(["w"]), onNode(["w", "d"])),
    ...leaseRows("Share", onShare(["w"]), onShare(["w", "d"])),
];
