/**
 * Which rights a discretionary ACL grants, after [MS-DTYP] 2.5.3. The entries are evaluated in order, and the
 * first that covers a right decides it, by allowing or denying it. Inherit-only entries do not count. A
 * descriptor without an ACL grants everything, one with an empty ACL nothing. The owner may always read and
 * change the ACL, unless an entry for OWNER RIGHTS grants something else.
 */
export interface Sid {
  readonly authority: number;
  readonly subAuthorities: readonly number[];
}

export interface Ace {
  readonly type: number;
  readonly flags: number;
  readonly mask: number;
  readonly sid: Sid;
  /**
   * GUIDs of an object entry: the class it applies to, and the class that inherits it. Files have neither.
   */
  readonly object?: string | undefined;
  readonly inheritedObject?: string | undefined;
}

export interface Acl {
  readonly aces: readonly Ace[];
}

export interface SecurityDescriptor {
  readonly control: number;
  readonly owner: Sid | undefined;
  readonly group: Sid | undefined;
  readonly sacl: Acl | undefined;
  readonly dacl: Acl | undefined;
}

export const CONTROL = {
  DACL_PRESENT: 0x4,
  SACL_PRESENT: 0x10,
  DACL_AUTO_INHERIT_REQUIRED: 0x100,
  SACL_AUTO_INHERIT_REQUIRED: 0x200,
  DACL_AUTO_INHERITED: 0x400,
  SACL_AUTO_INHERITED: 0x800,
  DACL_PROTECTED: 0x1000,
  SACL_PROTECTED: 0x2000,
  SELF_RELATIVE: 0x8000,
} as const;

export const ACE_TYPE = { ALLOW: 0, DENY: 1, ALLOW_OBJECT: 5, DENY_OBJECT: 6 } as const;

export const ACE_FLAG = {
  OBJECT_INHERIT: 0x1,
  CONTAINER_INHERIT: 0x2,
  NO_PROPAGATE: 0x4,
  INHERIT_ONLY: 0x8,
  INHERITED: 0x10,
} as const;

/** Rights to a file or directory. Some bits have a second name for directories. */
export const RIGHT = {
  READ_DATA: 0x1,
  LIST_DIRECTORY: 0x1,
  WRITE_DATA: 0x2,
  ADD_FILE: 0x2,
  APPEND_DATA: 0x4,
  ADD_SUBDIRECTORY: 0x4,
  EXECUTE: 0x20,
  DELETE_CHILD: 0x40,
  READ_ATTRIBUTES: 0x80,
  DELETE: 0x1_0000,
  READ_CONTROL: 0x2_0000,
  WRITE_DAC: 0x4_0000,
  ALL: 0x1f_01ff,
} as const;

/** Generic rights, and the specific rights they map to. */
const GENERIC_RIGHTS: readonly (readonly [generic: number, specific: number])[] = [
  [0x1000_0000, RIGHT.ALL],
  [0x2000_0000, 0x12_00a0],
  [0x4000_0000, 0x12_0116],
  [0x8000_0000, 0x12_0089],
];
const GENERIC_BITS = 0xf000_0000;

export const hasGenericRights = (mask: number): boolean => (mask & GENERIC_BITS) !== 0;

export function specificRights(mask: number): number {
  if (!hasGenericRights(mask)) return mask;
  let specific = mask & ~GENERIC_BITS;
  for (const [generic, rights] of GENERIC_RIGHTS) if ((mask & generic) !== 0) specific |= rights;
  return specific >>> 0;
}

/** S-1-3-4: the owner of the file, in the entries of its ACL. */
export const OWNER_RIGHTS: Sid = { authority: 3, subAuthorities: [4] };

export function isSameSid(one: Sid, other: Sid): boolean {
  if (one === other) return true;
  const [parts, others] = [one.subAuthorities, other.subAuthorities];
  if (one.authority !== other.authority || parts.length !== others.length) return false;
  for (let i = 0; i < parts.length; i++) if (parts[i] !== others[i]) return false;
  return true;
}

/** The caller: its user, and the groups whose entries count for it. */
export interface Identity {
  readonly user: Sid;
  /** The group of the files that this user creates. */
  readonly primaryGroup: Sid;
  readonly groups: readonly Sid[];
}

export function isMember({ user, primaryGroup, groups }: Identity, sid: Sid): boolean {
  return (
    isSameSid(user, sid) || isSameSid(primaryGroup, sid) || groups.some((group) => isSameSid(group, sid))
  );
}

const OWNER_ALWAYS = RIGHT.READ_CONTROL | RIGHT.WRITE_DAC;

/** All rights that a descriptor grants, which an open with MAXIMUM_ALLOWED gets. */
export function grantedRights(descriptor: SecurityDescriptor, identity: Identity): number {
  const { owner, dacl } = descriptor;
  if (dacl === undefined) return RIGHT.ALL;
  const isOwner = owner !== undefined && isMember(identity, owner);
  const effective = dacl.aces.filter(({ flags }) => (flags & ACE_FLAG.INHERIT_ONLY) === 0);
  const limitsOwner = effective.some(({ sid }) => isSameSid(sid, OWNER_RIGHTS));
  let granted = isOwner && !limitsOwner ? OWNER_ALWAYS : 0;
  let denied = 0;
  for (const { type, mask, sid, object } of effective) {
    // An entry for a class of directory objects does not apply to files ([MS-DTYP] 2.5.3.2).
    if (object !== undefined) continue;
    if (isSameSid(sid, OWNER_RIGHTS) ? !isOwner : !isMember(identity, sid)) continue;
    const rights = specificRights(mask);
    if (type === ACE_TYPE.ALLOW || type === ACE_TYPE.ALLOW_OBJECT) granted |= rights & ~denied;
    else if (type === ACE_TYPE.DENY || type === ACE_TYPE.DENY_OBJECT) denied |= rights & ~granted;
  }
  return granted & RIGHT.ALL;
}

export interface AccessRequest {
  /** Specific rights that must all be granted. */
  readonly access: number;
  /** Rights added as far as they are granted: all rights, for MAXIMUM_ALLOWED. */
  readonly optionalAccess: number;
}

/**
 * The rights that an open gets, or undefined when a required one is not granted. `needed` are rights that the
 * open requires in addition, because of what it does at once.
 */
export function checkAccess(
  granted: number,
  { access, optionalAccess }: AccessRequest,
  needed = 0,
): number | undefined {
  if (((access | needed) & ~granted) !== 0) return undefined;
  return (access | (optionalAccess & granted)) >>> 0;
}

/** A caller with append but without write access changes no existing byte. */
export const mayOnlyAppend = (granted: number): boolean => (granted & RIGHT.WRITE_DATA) === 0;

/** Byte-range locks need read or write access. */
export const mayLock = (granted: number): boolean => (granted & (RIGHT.READ_DATA | RIGHT.WRITE_DATA)) !== 0;

/** The rights that the parent directory can add. */
const FROM_PARENT = RIGHT.DELETE | RIGHT.READ_ATTRIBUTES;

/** Whether the parent directory's ACL can add to these rights. */
export const lacksRightsOfParent = (granted: number): boolean => (~granted & FROM_PARENT) !== 0;

/**
 * All rights to a file in its directory, after [MS-FSA] 2.1.5.1.2.1: the right to delete children of the
 * directory includes deleting the file, and the right to list the directory includes reading the file's
 * attributes.
 */
export function grantedInside(own: number, parent: number): number {
  return (
    own |
    ((parent & RIGHT.DELETE_CHILD) === 0 ? 0 : RIGHT.DELETE) |
    ((parent & RIGHT.LIST_DIRECTORY) === 0 ? 0 : RIGHT.READ_ATTRIBUTES)
  );
}
