import { createHash } from "node:crypto";
import { Refusal } from "../../../base/refusals.ts";
import {
  CONTROL,
  grantedRights,
  type Identity,
  isSameSid,
  type SecurityDescriptor,
  type Sid,
} from "../../../concurrency/acl.ts";
import type { Reader } from "../../../store/kv.ts";
import { FILE_LIMITS } from "../limits.ts";
import { findPermission } from "../permissions.ts";
import { parseSddl, parseSid } from "./sddl.ts";

/**
 * ACLs where they are enforced: the identity of an account, and a cache of what its descriptors grant.
 *
 * Each account has a domain S-1-5-21-a-b-c whose three numbers derive from its name, so it is the same on
 * every member and after every restart. The account is user 1000 of that domain, and its group is 513, Domain
 * Users.
 *
 * The account counts as SYSTEM where SYSTEM is the owner: at the root of a share, and on files that REST
 * created without an owner. A descriptor that cannot be parsed grants nothing and counts as owned by SYSTEM,
 * so the account can replace it.
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

/** A descriptor and the rights it grants to the account. */
export interface Guard {
  readonly descriptor: SecurityDescriptor;
  readonly granted: number;
}

export class Acls {
  readonly identity: Identity;
  readonly #asSystem: Identity;
  /** By permission key, which is a hash of the descriptor, so no entry is ever stale. */
  readonly #guards = new Map<string, Guard>();

  constructor(account: string) {
    this.identity = identityOf(account);
    this.#asSystem = { ...this.identity, groups: [...GROUPS, SYSTEM] };
  }

  /** The guard of an inode, in the caller's transaction. */
  async guardOf(
    read: Reader,
    share: bigint,
    { permission }: { readonly permission?: string | undefined },
  ): Promise<Guard> {
    const key = permission ?? "";
    const cached = this.#guards.get(key);
    if (cached !== undefined) return cached;
    const guard = this.guardBy(parseOwned(await findPermission(read, share, permission)));
    if (this.#guards.size >= FILE_LIMITS.parsedPermissionsMax)
      this.#guards.delete(this.#guards.keys().next().value!);
    this.#guards.set(key, guard);
    return guard;
  }

  guardBy(descriptor: SecurityDescriptor): Guard {
    const { owner } = descriptor;
    const isOwnedBySystem = owner !== undefined && isSameSid(owner, SYSTEM);
    const granted = grantedRights(descriptor, isOwnedBySystem ? this.#asSystem : this.identity);
    return { descriptor, granted };
  }
}

const NO_RIGHTS: SecurityDescriptor = {
  control: CONTROL.SELF_RELATIVE | CONTROL.DACL_PRESENT,
  owner: SYSTEM,
  group: SYSTEM,
  sacl: undefined,
  dacl: { aces: [] },
};

function parseOwned(sddl: string): SecurityDescriptor {
  try {
    const descriptor = parseSddl(sddl);
    return descriptor.owner === undefined ? { ...descriptor, owner: SYSTEM } : descriptor;
  } catch (error) {
    if (error instanceof Refusal) return NO_RIGHTS;
    throw error;
  }
}
