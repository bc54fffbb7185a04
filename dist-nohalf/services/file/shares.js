import { FILE_LIMITS } from "../../base/limits-file.js";
import { Refusal } from "../../base/refusals.js";
import { AVAILABLE } from "../../concurrency/lease.js";
import { shareKey, snapshotKey, usageKey } from "../../store/keys/file.js";
import { shareRecord, snapshotRecord, usageRecord, } from "../../store/records/file.js";
import { LiveView, SnapshotView } from "./versions.js";
/** What the operations on shares have in common. */
export async function findShare(read, { account, share }) {
    const stored = await read.get(shareKey(account, share));
    return stored === undefined ? undefined : unpackShare(stored);
}
let lastShare;
/**
 * Every call reads the record of its share, and mostly it is the one of the call before: comparing bytes is cheaper
 * than unpacking them. Records are never changed in place, so one can be given out many times.
 */
function unpackShare(stored) {
    if (lastShare?.bytes.equals(stored) === true)
        return lastShare.record;
    lastShare = { bytes: stored, record: shareRecord.unpack(stored) };
    return lastShare.record;
}
export async function readShare(read, ref) {
    const found = await findShare(read, ref);
    if (found === undefined)
        throw new Refusal("ShareNotFound");
    return found;
}
export function putShare(write, { account, share }, record) {
    write.put(shareKey(account, share), shareRecord.pack(record));
}
export async function findSnapshot(read, share, time) {
    const stored = await read.get(snapshotKey(share, time));
    return stored === undefined ? undefined : snapshotRecord.unpack(stored);
}
export async function readSnapshot(read, share, time) {
    const found = await findSnapshot(read, share, time);
    // A snapshot that is not there is a share that is not there, to the clients of this protocol.
    if (found === undefined)
        throw new Refusal("ShareSnapshotNotFound");
    return found;
}
export async function openShare(read, ref) {
    const share = await readShare(read, ref);
    if (ref.snapshot === undefined)
        return { share, view: new LiveView(read) };
    const { epoch } = await readSnapshot(read, share.id, ref.snapshot);
    return { share, view: new SnapshotView(read, epoch) };
}
/** The past cannot be written. */
export function refuseSnapshot({ snapshot }) {
    if (snapshot !== undefined) {
        throw new Refusal("InvalidQueryParameterValue", {
            elements: {
                QueryParameterName: "sharesnapshot",
                Reason: "A share snapshot is read only.",
            },
        });
    }
}
export function volumeOf(share) {
    return { id: share.id, epoch: share.epoch ?? 0n };
}
export function throwIf(code) {
    if (code !== undefined)
        throw new Refusal(code);
}
export function leaseOf(record) {
    return record.lease ?? AVAILABLE;
}
/** The record with its lease as given: an available one is not stored. */
export function withLease(record, lease) {
    const { lease: _, ...rest } = record;
    return (lease.state === "available" ? rest : { ...rest, lease });
}
export async function readUsage(read, share) {
    const stored = await read.get(usageKey(share));
    return stored === undefined ? 0 : usageRecord.unpack(stored).bytes;
}
/**
 * Bytes used are the sizes of all files together: what a quota is about, and what a client can add up for itself.
 * The counter changes in the transaction that changes a size. A share over its quota (which was lowered) takes
 * no growth, and everything else.
 */
export async function changeUsage(write, share, change) {
    if (change === 0)
        return;
    const bytes = (await readUsage(write, share.id)) + change;
    if (change > 0 && bytes > share.settings.quotaGib * FILE_LIMITS.quotaUnitBytes) {
        throw new Refusal("ShareSizeLimitReached");
    }
    write.put(usageKey(share.id), usageRecord.pack({ bytes }));
}
