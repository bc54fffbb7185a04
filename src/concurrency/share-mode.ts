import type { RefusalCode } from "../base/refusals.ts";
import { RIGHT } from "./acl.ts";

/**
 * Share modes: what an open of a file lets other opens do. Each open has the access it wants (`access`) and
 * the access it shares (`share`), both as sets of read, write and delete.
 *
 *   A new open is allowed when its access is within the share mode of every existing open,
 *   and the access of every existing open is within its own share mode.
 *
 * An open without any of the three (it only reads attributes) conflicts with none.
 *
 * A file may have named streams beside its content. Opens of different streams do not conflict. Only deleting
 * the file concerns all of them: an open with delete access needs every stream's opens to share delete.
 *
 * A REST call counts as an open that lasts as long as the call and shares everything, so only the share modes
 * of the SMB handles count. There are two exceptions. Delete File needs a file without handles. A lease is an
 * open that lasts as long as the lease, with write and delete access, and shares reading.
 */
export type Access = number;
export const NO_ACCESS: Access = 0;
export const READ: Access = 1;
export const WRITE: Access = 2;
export const DELETE: Access = 4;
export const ALL_ACCESS: Access = READ | WRITE | DELETE;

/** Reduces rights to the three kinds of access that share modes control. */
export function usesOf(rights: number): Access {
  return (
    ((rights & (RIGHT.READ_DATA | RIGHT.EXECUTE)) === 0 ? 0 : READ) |
    ((rights & (RIGHT.WRITE_DATA | RIGHT.APPEND_DATA)) === 0 ? 0 : WRITE) |
    ((rights & RIGHT.DELETE) === 0 ? 0 : DELETE)
  );
}

export interface Open {
  readonly access: Access;
  readonly share: Access;
  /** An open of a named stream, compared with an open of the file itself (or the other way round). */
  readonly isOfStream?: boolean;
}

const isWithin = (access: Access, share: Access): boolean => (access & ~share) === 0;

/** Whether two opens may exist at the same time. */
export function areCompatible(a: Open, b: Open): boolean {
  if (a.access === NO_ACCESS || b.access === NO_ACCESS) return true;
  if (a.isOfStream === true) return b.isOfStream === true || mayDeleteBeside(b, a);
  if (b.isOfStream === true) return mayDeleteBeside(a, b);
  return isWithin(a.access, b.share) && isWithin(b.access, a.share);
}

function mayDeleteBeside(file: Open, stream: Open): boolean {
  return isWithin(file.access & DELETE, stream.share);
}

export function mayOpen(requested: Open, existing: readonly Open[]): boolean {
  return existing.every((open) => areCompatible(requested, open));
}

/** What a REST call does to a file, in terms of SMB opens. */
export type RestUse =
  /** Get Properties, Get Metadata: needs no access. */
  | "look"
  /** Get File, List Ranges, the source of a copy. */
  | "read"
  /** Put Range, Set Properties, Set Metadata. */
  | "write"
  /** Create File over an existing one, the destination of a copy, the replaced target of a rename. */
  | "overwrite"
  /** The source of a rename. */
  | "rename"
  /** The directory that an SMB client renames a file into: opened to add an entry, sharing read and write. */
  | "enter"
  | "delete"
  | "lease";

const REST_ACCESS: Readonly<Record<RestUse, Access>> = {
  look: NO_ACCESS,
  read: READ,
  write: WRITE,
  overwrite: WRITE | DELETE,
  rename: DELETE,
  enter: WRITE,
  delete: DELETE,
  // Documented as write and delete; the published matrix also refuses a lease while a handle denies reading.
  lease: ALL_ACCESS,
};

/** A REST call in flight as an open. */
export function restOpen(use: RestUse): Open {
  const share = use === "lease" ? READ : use === "enter" ? READ | WRITE : ALL_ACCESS;
  return { access: REST_ACCESS[use], share };
}

/** Whether the open handles allow a REST call. */
export function checkRestUse(use: RestUse, handles: readonly Open[]): RefusalCode | undefined {
  if (use === "delete") return handles.length > 0 ? "SharingViolation" : undefined;
  return mayOpen(restOpen(use), handles) ? undefined : "SharingViolation";
}

/** While a REST lease is in force, SMB opens may only read. */
export function mayOpenLeased(access: Access): boolean {
  return isWithin(access, READ);
}
