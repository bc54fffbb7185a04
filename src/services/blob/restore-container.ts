import { Refusal } from "../../base/refusals.ts";
import { revisionOfTimestamp, timestampOf } from "../../base/revision.ts";
import { deletedContainerKey } from "../../store/keys/blob.ts";
import { containerRecord } from "../../store/records/blob.ts";
import { findContainer, putContainer } from "./containers.ts";
import type { BlobContext } from "./context.ts";
import type { ContainerRef } from "./names.ts";

/** The version of a deleted container in listings is the exact time of its deletion. */
export const versionOfDeletion = timestampOf;

/** Restore Container: a soft-deleted container with all its blobs, under the same name or a new one. */
export async function restoreContainer(
  blobs: BlobContext,
  request: { readonly ref: ContainerRef; readonly deletedName: string; readonly deletedVersion: string },
): Promise<void> {
  const { ref, deletedName, deletedVersion } = request;
  const deletion = revisionOfTimestamp(deletedVersion);
  await blobs.store.write(async (write) => {
    const key = deletion === undefined ? undefined : deletedContainerKey(ref.account, deletedName, deletion);
    const stored = key === undefined ? undefined : await write.get(key);
    const record = stored && containerRecord.unpack(stored);
    if (key === undefined || record?.deleted === undefined || record.deleted.until <= write.now()) {
      throw new Refusal("DeletedContainerNotFound");
    }
    if ((await findContainer(write, ref)) !== undefined) throw new Refusal("ContainerAlreadyExists");
    const { deleted: _, ...rest } = record;
    write.delete(key);
    putContainer(write, ref, { ...rest, revision: write.revision(record.revision) });
  });
}
