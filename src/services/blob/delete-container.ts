import { Refusal } from "../../base/refusals.ts";
import { containerKey, deletedContainerKey } from "../../store/keys/blob.ts";
import { containerRecord } from "../../store/records/blob.ts";
import { keepName } from "../deleted-names.ts";
import { checkContainer, type GuardedContainer, readContainer } from "./containers.ts";
import type { BlobContext } from "./context.ts";
import { hasImmutableBlobs } from "./immutability-index.ts";
import { discard, readSoftDelete, scheduleDeadline } from "./retention.ts";

/**
 * Delete Container is one small write, however many blobs there are: they are found through the container's
 * id, and the reclaimer removes them later. A policy or a hold on a blob protects its container. While soft
 * delete is on, the container and its blobs are retained.
 */
export async function deleteContainer(blobs: BlobContext, request: GuardedContainer): Promise<void> {
  const { account, container } = request.ref;
  await blobs.store.write(async (write) => {
    const record = await readContainer(write, request.ref);
    checkContainer(write, record, request, "delete");
    if (await hasImmutableBlobs(write, record.id))
      throw new Refusal("ContainerImmutableStorageWithVersioningEnabled");
    write.delete(containerKey(account, container));
    keepName(write, blobs, { kind: "container", account, name: container });
    const softDelete = await readSoftDelete(write, account);
    if (softDelete === undefined) {
      discard(write, { what: "container", id: record.id, account });
      return;
    }
    const { at, until } = softDelete;
    const deletion = write.revision(record.revision);
    // A restored container has no lease.
    const { lease: _, ...kept } = record;
    const key = deletedContainerKey(account, container, deletion);
    write.put(key, containerRecord.pack({ ...kept, deleted: { at, until } }));
    scheduleDeadline(write, until, { what: "container", account, container, deletion });
  });
}
