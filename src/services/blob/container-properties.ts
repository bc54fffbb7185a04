import type { Instant } from "../../base/clock.ts";
import type { Revision } from "../../base/revision.ts";
import type { ContainerRecord } from "../../store/records/blob.ts";
import type { PolicyRecord } from "../../store/records/policy.ts";
import type { BlobService } from "./blob-service.ts";
import { checkContainer, type Guards, putContainer, readContainer } from "./containers.ts";
import type { ContainerRef } from "./names.ts";

export interface GuardedContainer extends Guards {
  readonly ref: ContainerRef;
}

/** Get Container Properties, Metadata and ACL: the record, and the time its lease is to be judged by. */
export async function getContainer(
  blobs: BlobService,
  request: GuardedContainer,
): Promise<{ readonly record: ContainerRecord; readonly now: Instant }> {
  return blobs.parts.store.read(async (read) => {
    const record = await readContainer(read, request.ref);
    checkContainer(read, record, request, "other");
    return { record, now: read.now() };
  });
}

/** Replaces all of it. */
export async function setContainerMetadata(
  blobs: BlobService,
  request: GuardedContainer & { readonly metadata: Readonly<Record<string, string>> },
): Promise<Revision> {
  return changeContainer(blobs, request, ({ metadata: _, ...rest }) =>
    Object.keys(request.metadata).length === 0 ? rest : { ...rest, metadata: request.metadata },
  );
}

/** Public access and stored policies. The next request of anyone is judged by them. */
export async function setContainerAcl(
  blobs: BlobService,
  request: GuardedContainer & {
    readonly publicAccess: ContainerRecord["publicAccess"];
    readonly policies: readonly PolicyRecord[];
  },
): Promise<Revision> {
  const { publicAccess, policies } = request;
  return changeContainer(blobs, request, ({ publicAccess: _, policies: __, ...rest }) => ({
    ...rest,
    ...(publicAccess === undefined ? {} : { publicAccess }),
    ...(policies.length === 0 ? {} : { policies }),
  }));
}

function changeContainer(
  blobs: BlobService,
  request: GuardedContainer,
  change: (record: ContainerRecord) => Omit<ContainerRecord, "revision">,
): Promise<Revision> {
  return blobs.parts.store.write(async (write) => {
    const record = await readContainer(write, request.ref);
    checkContainer(write, record, request, "other");
    const revision = write.revision(record.revision);
    putContainer(write, request.ref, { ...change(record), revision });
    return revision;
  });
}
