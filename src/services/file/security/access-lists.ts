import { createHash } from "node:crypto";
import { Refusal } from "../../../base/refusals.ts";
import {
  CONTROL,
  grantedRights,
  type Identity,
  isSameSid,
  type SecurityDescriptor,
  type Sid,
} from "../../../concurrency/access-list.ts";
import type { Reader } from "../../../store/kv.ts";
import { FILE_LIMITS } from "../limits.ts";
import { DEFAULT_SDDL, findPermission } from "../permissions.ts";
import { parseSddl, parseSid } from "./sddl.ts";

/**
 * Access lists where they are enforced: who an account is in them, and the descriptors of its files, read once.
 *
 * An account has a domain of its own, S-1-5-21-a-b-c, whose three numbers come from its name: it is the same on every
 * node and after every restart. The account itself is the user 1000 there, its group is 513, as Domain Users are.
 *
 * Where the system is the owner the account counts as the system: at the root of a share, and of what REST has made
 * without saying whose it is. A list that cannot be understood grants nothing, and counts as the system's: the account
 * can replace it.
 */
const USER_RID = 1_000;
const GROUP_RID = 513;
/** Everyone, NETWORK, Authenticated Users, the built-in Users. */
const GROUPS: readonly Sid[] = ["WD", "NU", "AU", "BU"].map(parseSid);
const SYSTEM = parseSid("SY");

export function identityOf(account: string): Identity {
  const digest = createHash("sha256").update(`account ${account}`).digest();
  const domain = [0, 4, 8].map((at) => digest.readUInt32BE(at));
  const sid = (rid: number): Sid => ({ authority: 5, subAuthorities: [21, ...domain, rid] });
  return { user: sid(USER_RID), primaryGroup: sid(GROUP_RID), groups: GROUPS };
}

/** A descriptor, and all that it grants to the account. */
export interface Guard {
  readonly descriptor: SecurityDescriptor;
  readonly granted: number;
}

export class Acls {
  readonly identity: Identity;
  readonly #asSystem: Identity;
  /** By permission key, which is made of what the descriptor says: an entry is never out of date. */
  readonly #guards = new Map<string, Guard>();

  constructor(account: string) {
    this.identity = identityOf(account);
    this.#asSystem = { ...this.identity, groups: [...GROUPS, SYSTEM] };
  }

  /** The guard of a node, in the caller's transaction. */
  async guardOf(
    read: Reader,
    share: bigint,
    { permission }: { readonly permission?: string | undefined },
  ): Promise<Guard> {
    const key = permission ?? "";
    const known = this.#guards.get(key);
    if (known !== undefined) return known;
    const sddl = permission === undefined ? DEFAULT_SDDL : await findPermission(read, share, permission);
    const guard = this.guardBy(understood(sddl));
    if (this.#guards.size >= FILE_LIMITS.parsedPermissionsMax)
      this.#guards.delete(this.#guards.keys().next().value!);
    this.#guards.set(key, guard);
    return guard;
  }

  guardBy(descriptor: SecurityDescriptor): Guard {
    const { owner } = descriptor;
    const isSystems = owner !== undefined && isSameSid(owner, SYSTEM);
    const granted = grantedRights(descriptor, isSystems ? this.#asSystem : this.identity);
    return { descriptor, granted };
  }
}

const NO_INODES: SecurityDescriptor = {
  control: CONTROL.SELF_RELATIVE | CONTROL.DACL_PRESENT,
  owner: SYSTEM,
  group: SYSTEM,
  sacl: undefined,
  dacl: { aces: [] },
};

function understood(sddl: string): SecurityDescriptor {
  try {
    const descriptor = parseSddl(sddl);
    return descriptor.owner === undefined ? { ...descriptor, owner: SYSTEM } : descriptor;
  } catch (error) {
    if (error instanceof Refusal) return NO_INODES;
    throw error;
  }
}
