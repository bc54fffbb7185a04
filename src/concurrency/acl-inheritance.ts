import {
  ACE_FLAG,
  ACE_TYPE,
  type Ace,
  type Acl,
  CONTROL,
  hasGenericRights,
  type Identity,
  isSameSid,
  RIGHT,
  type SecurityDescriptor,
  type Sid,
  specificRights,
} from "./acl.ts";

/**
 * The security descriptor of a new file or directory, after [MS-DTYP] 2.5.3.4. An ACL that its creator gives
 * is used as it is. Otherwise the inheritable entries of the parent directory are copied, with CREATOR OWNER
 * and CREATOR GROUP replaced by the actual owner and group. Without such entries, only the creator and the
 * system have access.
 */
const CREATOR_OWNER: Sid = { authority: 3, subAuthorities: [0] };
const CREATOR_GROUP: Sid = { authority: 3, subAuthorities: [1] };
const SYSTEM: Sid = { authority: 5, subAuthorities: [18] };

const { OBJECT_INHERIT, CONTAINER_INHERIT, NO_PROPAGATE, INHERIT_ONLY, INHERITED } = ACE_FLAG;

export interface NewInode {
  readonly parent: SecurityDescriptor;
  readonly given: SecurityDescriptor | undefined;
  readonly creator: Identity;
  readonly isDirectory: boolean;
}

export function descriptorOfNew({ parent, given, creator, isDirectory }: NewInode): SecurityDescriptor {
  const owner = given?.owner ?? creator.user;
  const group = given?.group ?? creator.primaryGroup;
  const sacl = given?.sacl;
  const ofSacl = (given?.control ?? 0) & SACL_BITS;
  if (given !== undefined && (given.control & CONTROL.DACL_PRESENT) !== 0) {
    const effective = effectiveAcl(given);
    return { control: effective.control | ofSacl, owner, group, sacl, dacl: effective.dacl };
  }
  const isAutomatic = (parent.control & CONTROL.DACL_AUTO_INHERITED) !== 0;
  const inherited = (parent.dacl?.aces ?? []).flatMap((ace) =>
    inheritedAces(ace, { owner, group, isDirectory, mark: isAutomatic ? INHERITED : 0 }),
  );
  const aces = inherited.length > 0 ? inherited : ownerAces(owner);
  const control =
    CONTROL.SELF_RELATIVE | CONTROL.DACL_PRESENT | (isAutomatic ? CONTROL.DACL_AUTO_INHERITED : 0) | ofSacl;
  return { control, owner, group, sacl, dacl: { aces } };
}

const SACL_BITS = CONTROL.SACL_PRESENT | CONTROL.SACL_PROTECTED | CONTROL.SACL_AUTO_INHERITED;

function ownerAces(owner: Sid): readonly Ace[] {
  return [owner, SYSTEM].map((sid) => ({ type: ACE_TYPE.ALLOW, flags: 0, mask: RIGHT.ALL, sid }));
}

interface NewFile {
  readonly owner: Sid;
  readonly group: Sid;
  readonly isDirectory: boolean;
  /** INHERITED, when the parent directory propagates its ACL automatically. */
  readonly mark: number;
}

/**
 * An entry of the parent directory as it is inherited: for the new file itself, and for its future children.
 */
function inheritedAces(ace: Ace, { owner, group, isDirectory, mark }: NewFile): readonly Ace[] {
  const { type, flags, mask, sid } = ace;
  const isForInode = (flags & (isDirectory ? CONTAINER_INHERIT : OBJECT_INHERIT)) !== 0;
  const isForChildren =
    isDirectory && (flags & NO_PROPAGATE) === 0 && (flags & (OBJECT_INHERIT | CONTAINER_INHERIT)) !== 0;
  const reach = flags & (OBJECT_INHERIT | CONTAINER_INHERIT);
  const named = isSameSid(sid, CREATOR_OWNER) ? owner : isSameSid(sid, CREATOR_GROUP) ? group : sid;
  const isChanged = named !== sid || hasGenericRights(mask);
  if (isForInode && isForChildren && !isChanged) return [{ type, flags: reach | mark, mask, sid }];
  const own: Ace = { type, flags: mark, mask: specificRights(mask), sid: named };
  const forChildren: Ace = { type, flags: reach | INHERIT_ONLY | mark, mask, sid };
  return [...(isForInode ? [own] : []), ...(isForChildren ? [forChildren] : [])];
}

/**
 * An ACL as it is stored when a client sets it. Generic rights become specific in entries that apply to the
 * file itself. It counts as automatically inherited only when the client requests that
 * (AUTO_INHERIT_REQUIRED); the request bit is not stored.
 */
export function effectiveAcl({ control, dacl }: Pick<SecurityDescriptor, "control" | "dacl">): {
  readonly control: number;
  readonly dacl: Acl | undefined;
} {
  const requested = CONTROL.DACL_AUTO_INHERITED | CONTROL.DACL_AUTO_INHERIT_REQUIRED;
  const isAutomatic = (control & requested) === requested;
  const kept = CONTROL.DACL_PRESENT | CONTROL.DACL_PROTECTED;
  return {
    control: CONTROL.SELF_RELATIVE | (control & kept) | (isAutomatic ? CONTROL.DACL_AUTO_INHERITED : 0),
    dacl: dacl && { aces: dacl.aces.map(effectiveAce) },
  };
}

function effectiveAce(ace: Ace): Ace {
  return (ace.flags & INHERIT_ONLY) !== 0 ? ace : { ...ace, mask: specificRights(ace.mask) };
}
