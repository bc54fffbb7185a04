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
} from "./access-list.ts";

/**
 * The descriptor of a new file or directory, after [MS-DTYP] 2.5.3.4. A list that its creator gives is taken
 * as it is. Otherwise the entries of the directory above that are meant for it are copied, CREATOR OWNER and
 * CREATOR GROUP becoming who they stand for; where there are none, the creator and the system may do
 * everything and nobody else anything.
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
  const aces = inherited.length > 0 ? inherited : aloneAces(owner);
  const control =
    CONTROL.SELF_RELATIVE | CONTROL.DACL_PRESENT | (isAutomatic ? CONTROL.DACL_AUTO_INHERITED : 0) | ofSacl;
  return { control, owner, group, sacl, dacl: { aces } };
}

const SACL_BITS = CONTROL.SACL_PRESENT | CONTROL.SACL_PROTECTED | CONTROL.SACL_AUTO_INHERITED;

function aloneAces(owner: Sid): readonly Ace[] {
  return [owner, SYSTEM].map((sid) => ({ type: ACE_TYPE.ALLOW, flags: 0, mask: RIGHT.ALL, sid }));
}

interface Heir {
  readonly owner: Sid;
  readonly group: Sid;
  readonly isDirectory: boolean;
  /** INHERITED, where the directory above keeps its children's lists in step. */
  readonly mark: number;
}

/** One entry of the directory above as it comes down: for the node itself, and for what will be below it. */
function inheritedAces(ace: Ace, { owner, group, isDirectory, mark }: Heir): readonly Ace[] {
  const { type, flags, mask, sid } = ace;
  const isForInode = (flags & (isDirectory ? CONTAINER_INHERIT : OBJECT_INHERIT)) !== 0;
  const isForBelow =
    isDirectory && (flags & NO_PROPAGATE) === 0 && (flags & (OBJECT_INHERIT | CONTAINER_INHERIT)) !== 0;
  const reach = flags & (OBJECT_INHERIT | CONTAINER_INHERIT);
  const named = isSameSid(sid, CREATOR_OWNER) ? owner : isSameSid(sid, CREATOR_GROUP) ? group : sid;
  const isChanged = named !== sid || hasGenericRights(mask);
  if (isForInode && isForBelow && !isChanged) return [{ type, flags: reach | mark, mask, sid }];
  const own: Ace = { type, flags: mark, mask: specificRights(mask), sid: named };
  const below: Ace = { type, flags: reach | INHERIT_ONLY | mark, mask, sid };
  return [...(isForInode ? [own] : []), ...(isForBelow ? [below] : [])];
}

/**
 * A list as it is kept when somebody gives it. Generic rights become specific in entries that count for the
 * node itself. That it follows the list above is believed only of who asks for it (AUTO_INHERIT_REQUIRED),
 * which is a wish and not kept.
 */
export function effectiveAcl({ control, dacl }: Pick<SecurityDescriptor, "control" | "dacl">): {
  readonly control: number;
  readonly dacl: Acl | undefined;
} {
  const asked = CONTROL.DACL_AUTO_INHERITED | CONTROL.DACL_AUTO_INHERIT_REQUIRED;
  const isAutomatic = (control & asked) === asked;
  const kept = CONTROL.DACL_PRESENT | CONTROL.DACL_PROTECTED;
  return {
    control: CONTROL.SELF_RELATIVE | (control & kept) | (isAutomatic ? CONTROL.DACL_AUTO_INHERITED : 0),
    dacl: dacl && { aces: dacl.aces.map(effectiveAce) },
  };
}

function effectiveAce(ace: Ace): Ace {
  return (ace.flags & INHERIT_ONLY) !== 0 ? ace : { ...ace, mask: specificRights(ace.mask) };
}
