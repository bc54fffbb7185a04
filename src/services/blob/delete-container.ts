import { Refusal } from "../../base/refusals.ts";
import { containerKey, deletedContainerKey } from "../../store/keys/blob.ts";
import { containerRecord } from "../../store/records/blob.ts";
import type { BlobService } from "./blob-service.ts";
import type { GuardedContainer } from "./container-properties.ts";
import { checkContainer, readContainer } from "./containers.ts";
import { isHolding } from "./guard-index.ts";
import { discard, readSoftDelete, remind } from "./retention.ts";

/**
 * One write, whatever the container holds: the name goes, and its contents with it, since they are found through
 * its id. The reclaimer takes them apart later. What is under a policy or a hold keeps its container. While soft delete is on, container and contents wait instead.
 */
export async function deleteContainer(blobs: BlobService, request: GuardedContainer): Promise<void> {
  const { account, container } = request.ref;
  await blobs.parts.store.write(async (write) => {
    const record = await readContainer(write, request.ref);
    checkContainer(write, record, request, "delete");
    if (await isHolding(write, record.id))
      throw new Refusal("ContainerImmutableStorageWithVersioningEnabled");
    write.delete(containerKey(account, container));
    const softDelete = await readSoftDelete(write, account);
    if (softDelete === undefined) {
      discard(write, { what: "container", id: record.id, account });
      return;
    }
    const { at, until } = softDelete;
    const deletion = write.revision(record.revision);
    // The lease does not come back with the container.
    const { lease: _, ...kept } = record;
    const key = deletedContainerKey(account, container, deletion);
    write.put(key, containerRecord.pack({ ...kept, deleted: { at, until } }));
    remind(write, until, { what: "container", account, container, deletion });
  });
}
