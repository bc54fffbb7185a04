import type { RefusalCode } from "../base/refusals.ts";
import { RIGHT } from "./access-list.ts";

/**
 * Share modes: what an open of a file lets others do while it lasts. Each open says what it wants (`access`)
 * and what later ones may want (`share`), both as sets of read, write and delete.
 *
 *   A new open is let in if its access lies inside the share mode of every open that is there,
 *   and the access of every one of those lies inside its own share mode.
 *
 * An open that wants none of the three (it looks at attributes only) disturbs nobody and is disturbed by
 * nobody.
 *
 * A file may have named streams beside its content, and each is opened by itself: an open of one disturbs no
 * open of another. Only the file as a whole goes with all of them: who may delete it needs every stream's
 * opens to share that.
 *
 * REST calls are opens too, for as long as they take. They share everything, so only the share mode of the
 * SMB handles counts, not what those handles do. Three of them ask for more: Delete File wants no handle at
 * all, and a lease is an open that lasts as long as the lease: it writes and deletes, and lets others read.
 */
export type Access = number;
export const NO_ACCESS: Access = 0;
export const READ: Access = 1;
export const WRITE: Access = 2;
export const DELETE: Access = 4;
export const ALL_ACCESS: Access = READ | WRITE | DELETE;

/** Rights as the three uses that share modes are about. */
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
  /** Of a named stream, met by an open of the file itself (or the other way round). */
  readonly isOfStream?: boolean;
}

const isWithin = (access: Access, share: Access): boolean => (access & ~share) === 0;

/** Whether two opens may be there at the same time. */
export function areCompatible(one: Open, other: Open): boolean {
  if (one.access === NO_ACCESS || other.access === NO_ACCESS) return true;
  if (one.isOfStream === true) return other.isOfStream === true || mayDeleteBeside(other, one);
  if (other.isOfStream === true) return mayDeleteBeside(one, other);
  return isWithin(one.access, other.share) && isWithin(other.access, one.share);
}

function mayDeleteBeside(file: Open, stream: Open): boolean {
  return isWithin(file.access & DELETE, stream.share);
}

export function mayOpen(wanted: Open, present: readonly Open[]): boolean {
  return present.every((open) => areCompatible(wanted, open));
}

/** What a REST call does to a file, as an SMB client would call it. */
export type RestUse =
  /** Get Properties, Get Metadata: looks, and needs no access. */
  | "look"
  /** Get File, List Ranges, the source of a copy. */
  | "read"
  /** Put Range, Set Properties, Set Metadata. */
  | "write"
  /** Create File over an existing one, the destination of a copy, the replaced target of a rename. */
  | "overwrite"
  /** The source of a rename. */
  | "rename"
  /**
   * The directory that an SMB client renames something into: opened to add to it, letting others read and
   * write.
   */
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
  // The rule asks for write and delete; the published matrix also refuses a lease to a handle that denies
  // reading.
  lease: ALL_ACCESS,
};

/** How a REST call under way looks to an SMB open. */
export function restOpen(use: RestUse): Open {
  const share = use === "lease" ? READ : use === "enter" ? READ | WRITE : ALL_ACCESS;
  return { access: REST_ACCESS[use], share };
}

/** What the handles that are open say to a REST call. */
export function checkRestUse(use: RestUse, handles: readonly Open[]): RefusalCode | undefined {
  if (use === "delete") return handles.length > 0 ? "SharingViolation" : undefined;
  return mayOpen(restOpen(use), handles) ? undefined : "SharingViolation";
}

/** What a REST lease in force says to an SMB open: reading and looking only. */
export function mayOpenLeased(access: Access): boolean {
  return isWithin(access, READ);
}
