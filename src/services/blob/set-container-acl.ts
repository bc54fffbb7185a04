import type { Revision } from "../../base/revision.ts";
import type { ContainerRecord } from "../../store/records/blob.ts";
import type { StoredPolicy } from "../account/stored-policy.ts";
import { changeContainer, findContainer, type GuardedContainer } from "./containers.ts";
import type { BlobContext } from "./context.ts";
import type { ContainerRef } from "./names.ts";

/** Set Container ACL: public access and stored access policies. The next request already obeys them. */
export async function setContainerAcl(
  blobs: BlobContext,
  request: GuardedContainer & {
    readonly publicAccess: ContainerRecord["publicAccess"];
    readonly policies: readonly StoredPolicy[];
  },
): Promise<Revision> {
  const { publicAccess, policies } = request;
  return changeContainer(blobs, request, ({ publicAccess: _, policies: __, ...rest }) => ({
    ...rest,
    ...(publicAccess === undefined ? {} : { publicAccess }),
    ...(policies.length === 0 ? {} : { policies }),
  }));
}

/** Undefined when there is no such container. */
export async function findContainerPolicies(
  { store }: BlobContext,
  ref: ContainerRef,
): Promise<readonly StoredPolicy[] | undefined> {
  const record = await store.read((read) => findContainer(read, ref));
  return record && (record.policies ?? []);
}

/** What anonymous callers may read of a container. */
export async function findPublicAccess(
  { store }: BlobContext,
  ref: ContainerRef,
): Promise<"none" | "blob" | "container"> {
  const record = await store.read((read) => findContainer(read, ref));
  return record?.publicAccess ?? "none";
}
