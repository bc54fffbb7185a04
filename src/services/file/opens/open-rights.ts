import { Refusal } from "../../../base/refusals.ts";
import {
  type AccessRequest,
  CONTROL,
  checkAccess,
  grantedInside,
  isMember,
  isSameSid,
  lacksRightsOfParent,
  RIGHT,
  type SecurityDescriptor,
} from "../../../concurrency/acl.ts";
import { descriptorOfNew, effectiveAcl } from "../../../concurrency/acl-inheritance.ts";
import type { Reader } from "../../../store/kv.ts";
import type { InodeRecord } from "../../../store/records/file.ts";
import { isReadOnly } from "../attributes.ts";
import { type Inode, ROOT, readInode } from "../inodes.ts";
import type { Acls, Guard } from "../security/acls.ts";
import { parseSddl, printSddl } from "../security/sddl.ts";
import { mergeSecurityParts, SECURITY_PART } from "../security/security-descriptor.ts";
import type { View } from "../versions.ts";

/** Where access lists are enforced: who opens, and the rights that the open is for. */
export interface RightsRequest extends AccessRequest {
  readonly lists: Acls;
}

/** What an open gets, and all that it could have had. */
export interface Granted {
  readonly access: number;
  readonly maximal: number;
}

interface At {
  readonly read: Reader;
  readonly view: View;
  readonly share: bigint;
}

const CONTROL_OF_LIST =
  CONTROL.DACL_PRESENT |
  CONTROL.DACL_PROTECTED |
  CONTROL.DACL_AUTO_INHERITED |
  CONTROL.DACL_AUTO_INHERIT_REQUIRED;
const CONTENT_WRITES = RIGHT.WRITE_DATA | RIGHT.APPEND_DATA;

/**
 * What the lists say to an open of a node that is there: what they grant, or "denied". `needed` are rights that it must
 * have beside those it asks for, because of what it does at once.
 */
export async function judgeOpen(
  at: At,
  { id, record }: Inode,
  request: RightsRequest,
  needed: number,
): Promise<Granted | "denied"> {
  const granted = await maximalRights(at, request.lists, { id, record });
  const isProtected = record.kind === "file" && isReadOnly(record);
  const maximal = isProtected ? granted & ~CONTENT_WRITES : granted;
  const access = checkAccess(maximal, request, needed);
  return access === undefined ? "denied" : { access, maximal };
}

export async function maximalRights(
  { read, view, share }: At,
  lists: Acls,
  { id, record }: Inode,
): Promise<number> {
  const own = (await lists.guardOf(read, share, record)).granted;
  if (id === ROOT || !lacksRightsOfParent(own)) return own;
  const parent = await readInode(view, share, record.parent);
  return grantedInside(own, (await lists.guardOf(read, share, parent)).granted);
}

export const isSameGrant = (one: Granted, other: Granted | "denied"): boolean =>
  other !== "denied" && one.access === other.access && one.maximal === other.maximal;

/** Who puts something into a directory must be allowed to. */
export async function checkAdd(
  { read, share }: Pick<At, "read" | "share">,
  lists: Acls,
  directory: InodeRecord,
  kind: InodeRecord["kind"],
): Promise<Guard> {
  const guard = await lists.guardOf(read, share, directory);
  const needed = kind === "directory" ? RIGHT.ADD_SUBDIRECTORY : RIGHT.ADD_FILE;
  if ((guard.granted & needed) === 0) throw new Refusal("AuthorizationPermissionMismatch");
  return guard;
}

/** Only oneself, or a group one is in, can be made the owner: more takes a privilege, and nobody has one over SMB. */
export function checkOwner(lists: Acls, { owner }: Pick<SecurityDescriptor, "owner">): void {
  if (owner !== undefined && !isMember(lists.identity, owner)) throw new Refusal("InvalidOwner");
}

/** A descriptor of which parts are replaced, as it is kept where lists are enforced. */
export function securityAfter(
  lists: Acls,
  before: SecurityDescriptor,
  given: SecurityDescriptor,
  parts: number,
): SecurityDescriptor {
  const { owner = before.owner, group = before.group, sacl } = given;
  const isSame = owner === undefined || (before.owner !== undefined && isSameSid(owner, before.owner));
  if ((parts & SECURITY_PART.OWNER) !== 0 && !isSame) checkOwner(lists, { owner });
  const list = effectiveAcl(given);
  // No list is a list that grants everything to everybody.
  const control = (given.control & ~CONTROL_OF_LIST) | list.control | CONTROL.DACL_PRESENT;
  return mergeSecurityParts(before, { control, owner, group, sacl, dacl: list.dacl }, parts);
}

/** The descriptor that a new node gets, in SDDL; whether it may be made in the directory is checked on the way. */
export async function resolveNewRights(
  at: Pick<At, "read" | "share">,
  lists: Acls,
  parent: InodeRecord,
  { kind, sddl }: { readonly kind: InodeRecord["kind"]; readonly sddl: string | undefined },
): Promise<{ readonly sddl: string; readonly maximal: number }> {
  const above = await checkAdd(at, lists, parent, kind);
  const given = sddl === undefined ? undefined : parseSddl(sddl);
  if (given !== undefined) checkOwner(lists, given);
  const creator = lists.identity;
  const parentList = above.descriptor;
  const descriptor = descriptorOfNew({
    parent: parentList,
    given,
    creator,
    isDirectory: kind === "directory",
  });
  const maximal = grantedInside(lists.guardBy(descriptor).granted, above.granted);
  return { sddl: printSddl(descriptor), maximal };
}
