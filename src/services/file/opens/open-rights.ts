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

/** Where ACLs are enforced: those of the account that opens, and the rights it requests. */
export interface RightsRequest extends AccessRequest {
  readonly acls: Acls;
}

/** The rights of an open, and the maximum it could have been granted. */
export interface Granted {
  readonly access: number;
  readonly maximal: number;
}

interface At {
  readonly read: Reader;
  readonly view: View;
  readonly share: bigint;
}

const CONTROL_OF_ACL =
  CONTROL.DACL_PRESENT |
  CONTROL.DACL_PROTECTED |
  CONTROL.DACL_AUTO_INHERITED |
  CONTROL.DACL_AUTO_INHERIT_REQUIRED;
const CONTENT_WRITES = RIGHT.WRITE_DATA | RIGHT.APPEND_DATA;

/** What ACLs grant to an open of an inode. It needs the rights in `needed` beside those it requests. */
export async function checkGrant(
  at: At,
  { id, record }: Inode,
  request: RightsRequest,
  needed: number,
): Promise<Granted | "denied"> {
  const granted = await maximalRights(at, request.acls, { id, record });
  const isProtected = record.kind === "file" && isReadOnly(record);
  const maximal = isProtected ? granted & ~CONTENT_WRITES : granted;
  const access = checkAccess(maximal, request, needed);
  return access === undefined ? "denied" : { access, maximal };
}

export async function maximalRights(
  { read, view, share }: At,
  acls: Acls,
  { id, record }: Inode,
): Promise<number> {
  const own = (await acls.guardOf(read, share, record)).granted;
  if (id === ROOT || !lacksRightsOfParent(own)) return own;
  const parent = await readInode(view, share, record.parent);
  return grantedInside(own, (await acls.guardOf(read, share, parent)).granted);
}

export const isSameGrant = (one: Granted, other: Granted | "denied"): boolean =>
  other !== "denied" && one.access === other.access && one.maximal === other.maximal;

/** Refuses without the right to add an inode of this kind to the directory. */
export async function checkAdd(
  { read, share }: Pick<At, "read" | "share">,
  acls: Acls,
  directory: InodeRecord,
  kind: InodeRecord["kind"],
): Promise<Guard> {
  const guard = await acls.guardOf(read, share, directory);
  const needed = kind === "directory" ? RIGHT.ADD_SUBDIRECTORY : RIGHT.ADD_FILE;
  if ((guard.granted & needed) === 0) throw new Refusal("AuthorizationPermissionMismatch");
  return guard;
}

/** An account may make only itself or one of its groups the owner. No account has the privilege for more. */
function checkOwner(acls: Acls, { owner }: Pick<SecurityDescriptor, "owner">): void {
  if (owner !== undefined && !isMember(acls.identity, owner)) throw new Refusal("InvalidOwner");
}

/** The descriptor after a change of some parts, as the service stores it where ACLs are enforced. */
export function securityAfter(
  acls: Acls,
  before: SecurityDescriptor,
  changed: SecurityDescriptor,
  parts: number,
): SecurityDescriptor {
  const { owner = before.owner, group = before.group, sacl } = changed;
  const isSame = owner === undefined || (before.owner !== undefined && isSameSid(owner, before.owner));
  if ((parts & SECURITY_PART.OWNER) !== 0 && !isSame) checkOwner(acls, { owner });
  const list = effectiveAcl(changed);
  // An absent ACL grants everything to everyone.
  const control = (changed.control & ~CONTROL_OF_ACL) | list.control | CONTROL.DACL_PRESENT;
  return mergeSecurityParts(before, { control, owner, group, sacl, dacl: list.dacl }, parts);
}

/** The descriptor of a new inode, in SDDL. Refuses without the right to add it to the directory. */
export async function resolveNewRights(
  at: Pick<At, "read" | "share">,
  acls: Acls,
  parent: InodeRecord,
  { kind, sddl }: { readonly kind: InodeRecord["kind"]; readonly sddl: string | undefined },
): Promise<{ readonly sddl: string; readonly maximal: number }> {
  const above = await checkAdd(at, acls, parent, kind);
  const given = sddl === undefined ? undefined : parseSddl(sddl);
  if (given !== undefined) checkOwner(acls, given);
  const isDirectory = kind === "directory";
  const descriptor = descriptorOfNew({
    parent: above.descriptor,
    given,
    creator: acls.identity,
    isDirectory,
  });
  const maximal = grantedInside(acls.guardBy(descriptor).granted, above.granted);
  return { sddl: printSddl(descriptor), maximal };
}
