import { Refusal } from "../../base/refusals.ts";
import type { Revision } from "../../base/revision.ts";
import type { Writer } from "../../store/kv.ts";
import type { ContainerRecord } from "../../store/records/blob.ts";
import type { BlobService } from "./blob-service.ts";
import { findContainer, putContainer } from "./containers.ts";
import type { ContainerRef } from "./names.ts";

export interface CreateContainer {
  readonly ref: ContainerRef;
  readonly metadata: Readonly<Record<string, string>>;
  readonly publicAccess: ContainerRecord["publicAccess"];
  readonly encryptionScope: ContainerRecord["encryptionScope"];
}

/** A static website comes with the container its pages are put into: clients upload to it at once. */
export async function makeWebsiteContainer(write: Writer, account: string): Promise<void> {
  const ref = { account, container: "$web" };
  if ((await findContainer(write, ref)) !== undefined) return;
  const revision = write.revision();
  putContainer(write, ref, { id: revision, revision });
}

/** A name that was deleted a moment ago can be used again at once: the new container has an id of its own. */
export async function createContainer(blobs: BlobService, request: CreateContainer): Promise<Revision> {
  const { ref, metadata, publicAccess, encryptionScope } = request;
  return blobs.parts.store.write(async (write) => {
    if ((await findContainer(write, ref)) !== undefined) throw new Refusal("ContainerAlreadyExists");
    const revision = write.revision();
    putContainer(write, ref, {
      id: revision,
      revision,
      ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
      ...(publicAccess === undefined ? {} : { publicAccess }),
      ...(encryptionScope === undefined ? {} : { encryptionScope }),
      ...(blobs.hasVersionLevelImmutability ? { hasVersionLevelImmutability: true } : {}),
    });
    return revision;
  });
}
