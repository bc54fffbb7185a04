import { Refusal } from "../../base/refusals.js";
import { revisionOfTimestamp, timestampOf } from "../../base/revision.js";
import { deletedContainerKey } from "../../store/keys/blob.js";
import { containerRecord } from "../../store/records/blob.js";
import { findContainer, putContainer } from "./containers.js";
/** What a listing calls the version of a deleted container: when it was deleted, exactly. */
export const versionOfDeletion = timestampOf;
/** Brings a soft-deleted container back, with everything in it, under the same name or a new one. */
export async function restoreContainer(blobs, request) {
    const { ref, deletedName, deletedVersion } = request;
    const deletion = revisionOfTimestamp(deletedVersion);
    await blobs.parts.store.write(async (write) => {
        const key = deletion === undefined ? undefined : deletedContainerKey(ref.account, deletedName, deletion);
        const stored = key === undefined ? undefined : await write.get(key);
        const record = stored && containerRecord.unpack(stored);
        if (key === undefined || record?.deleted === undefined || record.deleted.until <= write.now()) {
            throw new Refusal("DeletedContainerNotFound");
        }
        if ((await findContainer(write, ref)) !== undefined)
            throw new Refusal("ContainerAlreadyExists");
        const { deleted: _, ...rest } = record;
        write.delete(key);
        putContainer(write, ref, { ...rest, revision: write.revision(record.revision) });
    });
}
