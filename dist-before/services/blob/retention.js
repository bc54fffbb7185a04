import { dueKey, garbageKey } from "../../store/keys/blob.js";
import { dueRecord, garbageRecord } from "../../store/records/blob.js";
import { findServiceProperties } from "../account/properties-service.js";
const DAY_MILLIS = 24 * 60 * 60_000;
/** Undefined while soft delete is off. Read in the transaction that deletes: a change of the rule counts at once. */
export async function readSoftDelete(read, account) {
    const deleteRetention = (await findServiceProperties(read, account, "blob"))?.deleteRetention;
    if (deleteRetention?.isEnabled !== true || deleteRetention.days === undefined)
        return undefined;
    const at = read.now();
    return {
        at,
        until: at + deleteRetention.days * DAY_MILLIS,
        allowsPermanentDelete: deleteRetention.allowsPermanentDelete ?? false,
    };
}
/** Days left, as listings tell them: a part of a day counts as one. */
export function daysLeft(until, now) {
    return Math.max(0, Math.ceil((until - now) / DAY_MILLIS));
}
/** Nobody names it any more; the reclaimer takes it apart, in steps. */
export function discard(write, garbage) {
    write.put(garbageKey(write.revision()), garbageRecord.pack(garbage));
}
/** Has it looked at when its time comes. */
export function remind(write, at, due) {
    const revision = write.revision();
    write.put(dueKey(at, revision), dueRecord.pack(due));
    return revision;
}
