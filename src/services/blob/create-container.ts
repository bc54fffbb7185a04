import { Refusal } from "../../base/refusals.ts";
import type { Revision } from "../../base/revision.ts";
import type { Writer } from "../../store/kv.ts";
import type { ContainerRecord } from "../../store/records/blob.ts";
import { checkName } from "../deleted-names.ts";
import { findContainer, putContainer } from "./containers.ts";
import type { BlobContext } from "./context.ts";
import type { ContainerRef } from "./names.ts";

export interface CreateContainer {
  readonly ref: ContainerRef;
  readonly metadata: Readonly<Record<string, string>>;
  readonly publicAccess: ContainerRecord["publicAccess"];
  readonly encryptionScope: ContainerRecord["encryptionScope"];
}

/**
 * Set Blob Service Properties with a static website creates the container $web, which clients then upload to.
 */
export async function createWebsiteContainer(write: Writer, account: string): Promise<void> {
  const ref = { account, container: "$web" };
  if ((await findContainer(write, ref)) !== undefined) return;
  const revision = write.revision();
  putContainer(write, ref, { id: revision, revision });
}

/**
 * Create Container. Without --strict, the name of a deleted container can be used again at once: the new one
 * has its own id.
 */
export async function createContainer(blobs: BlobContext, request: CreateContainer): Promise<Revision> {
  const { ref, metadata, publicAccess, encryptionScope } = request;
  return blobs.store.write(async (write) => {
    if ((await findContainer(write, ref)) !== undefined) throw new Refusal("ContainerAlreadyExists");
    await checkName(write, blobs, { kind: "container", account: ref.account, name: ref.container });
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
