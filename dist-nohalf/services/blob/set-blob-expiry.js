import { instantOf } from "../../base/revision.js";
import { checkBlobWrite, findBlob } from "./blobs.js";
import { writtenOf } from "./put-blob.js";
import { changeBlob } from "./replace-blob.js";
import { remind } from "./retention.js";
/** Set Blob Expiry: from then on nobody finds the blob, and the reclaimer takes it away. */
export async function setBlobExpiry(blobs, request) {
    const { ref, expiry } = request;
    return blobs.parts.store.write(async (write) => {
        const found = await findBlob(write, ref);
        checkBlobWrite(write, found, request, "change");
        const before = found.blob;
        const at = instantFor(expiry, instantOf(before.created), write.now());
        const { expiresAt: _, ...rest } = before;
        const revision = write.revision(before.revision);
        const after = at === undefined ? { ...rest, revision } : { ...rest, revision, expiresAt: at };
        if (at !== undefined)
            remind(write, at, {
                what: "expiry",
                account: ref.account,
                container: found.container.id,
                blob: ref.blob,
            });
        return writtenOf(await changeBlob(blobs, write, { container: found.container, ref }, { before, after }));
    });
}
function instantFor(wish, created, now) {
    switch (wish.option) {
        case "NeverExpire":
            return undefined;
        case "RelativeToCreation":
            return created + wish.millis;
        case "RelativeToNow":
            return now + wish.millis;
        case "Absolute":
            return wish.at;
    }
}
