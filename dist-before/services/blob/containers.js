import { Refusal } from "../../base/refusals.js";
import { failingCondition } from "../../concurrency/conditions.js";
import { AVAILABLE, checkLeaseRead, checkLeaseWrite } from "../../concurrency/lease.js";
import { containerKey } from "../../store/keys/blob.js";
import { containerRecord } from "../../store/records/blob.js";
/** What the operations on containers have in common. */
/**
 * Every request for a blob reads its container's record, and it is nearly always the same bytes: what they say is
 * remembered by the bytes themselves, so there is nothing to keep up to date.
 */
const unpacked = new Map();
const UNPACKED_MAX = 1_024;
function unpackContainer(key, stored) {
    const known = unpacked.get(key);
    if (known?.bytes.equals(stored) === true)
        return known.record;
    const record = containerRecord.unpack(stored);
    if (unpacked.size >= UNPACKED_MAX)
        unpacked.clear();
    unpacked.set(key, { bytes: Buffer.from(stored), record });
    return record;
}
export async function findContainer(read, ref) {
    const key = containerKey(ref.account, ref.container);
    const stored = await read.get(key);
    return stored === undefined ? undefined : unpackContainer(key, stored);
}
/** Without a call in between: this is the first step of every request for a blob. */
export async function readContainer(read, ref) {
    const key = containerKey(ref.account, ref.container);
    const stored = await read.get(key);
    if (stored === undefined)
        throw new Refusal("ContainerNotFound");
    return unpackContainer(key, stored);
}
export function putContainer(write, ref, record) {
    write.put(containerKey(ref.account, ref.container), containerRecord.pack(record));
}
export function throwIf(code) {
    if (code !== undefined)
        throw new Refusal(code);
}
/**
 * A container's lease reserves its deletion and nothing else; an id that is sent along with another operation
 * must still be the right one. The lease is looked at before the conditions, as on blobs.
 */
export function checkContainer(read, container, { conditions, leaseId }, use) {
    const check = use === "delete" ? checkLeaseWrite : checkLeaseRead;
    throwIf(check(leaseOf(container), leaseId, read.now(), "Container"));
    if (failingCondition(conditions, container) !== undefined)
        throw new Refusal("ConditionNotMet");
}
export function leaseOf(record) {
    return record.lease ?? AVAILABLE;
}
/** The record with its lease as given: an available one is not stored. */
export function withLease(record, lease) {
    const { lease: _, ...rest } = record;
    return (lease.state === "available" ? rest : { ...rest, lease });
}
