import { badHeader, Refusal } from "../../base/refusals.js";
import { checkWrite } from "../../concurrency/conditions.js";
import { checkImmutabilityChange } from "../../concurrency/immutability.js";
import { putBlobRecord, readState } from "./blobs.js";
import { throwIf } from "./containers.js";
import { putPast } from "./replace-blob.js";
/**
 * Set Immutability Policy: until then the blob is neither changed nor deleted. An unlocked policy may be changed
 * in any way or deleted; a locked one can only be made longer.
 */
export async function setImmutabilityPolicy(blobs, request) {
    const { immutability } = request;
    await changeState(blobs, request, (record, now) => {
        throwIf(checkWrite(request.conditions, record, "change"));
        if (immutability.until <= now) {
            throw badHeader("x-ms-immutability-policy-until-date", new Date(immutability.until).toUTCString());
        }
        throwIf(checkImmutabilityChange(record.immutability, immutability, now));
        return { ...record, immutability };
    });
    return immutability;
}
export async function deleteImmutabilityPolicy(blobs, request) {
    await changeState(blobs, request, (record, now) => {
        throwIf(checkImmutabilityChange(record.immutability, undefined, now));
        const { immutability: _, ...rest } = record;
        return rest;
    });
}
/** Set Legal Hold: while it is on, nothing else matters. */
export async function setLegalHold(blobs, request) {
    await changeState(blobs, request, ({ hasLegalHold: _, ...rest }) => request.hasLegalHold ? { ...rest, hasLegalHold: true } : rest);
}
/** Beside the blob, not of it: no new ETag, whichever of its states is meant. */
async function changeState(blobs, { ref, selector }, change) {
    await blobs.parts.store.write(async (write) => {
        const { container, record, isCurrent } = await readState(write, ref, selector);
        if (record.copy?.status === "pending")
            throw new Refusal("PendingCopyOperation");
        const after = change(record, write.now());
        const place = { container, ref };
        if (isCurrent)
            putBlobRecord(write, place, record, after);
        else
            putPast(write, place, (selector.snapshot ?? selector.version), after);
    });
}
