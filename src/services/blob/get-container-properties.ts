import type { Instant } from "../../base/clock.ts";
import type { ContainerRecord } from "../../store/records/blob.ts";
import { checkContainer, type GuardedContainer, readContainer } from "./containers.ts";
import type { BlobContext } from "./context.ts";

/** Get Container Properties, Metadata and ACL: the record, and the time at which its lease is evaluated. */
export async function getContainerProperties(
  blobs: BlobContext,
  request: GuardedContainer,
): Promise<{ readonly record: ContainerRecord; readonly now: Instant }> {
  return blobs.store.read(async (read) => {
    const record = await readContainer(read, request.ref);
    checkContainer(read, record, request, "other");
    return { record, now: read.now() };
  });
}
