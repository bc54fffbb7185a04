import type { Timer } from "../../base/clock.ts";
import { HANDLE_CACHE } from "../../concurrency/cache-lease.ts";
import { SMB_LIMITS } from "../limits.ts";
import type { SmbServer } from "../server.ts";
import { refuse, STATUS } from "../wire/status.ts";
import { isNameOf } from "../wire/stream-names.ts";
import { closeOpen } from "./end-open.ts";
import type { FileOpen } from "./open.ts";
import type { Session } from "./session.ts";

const NO_GUID = Buffer.alloc(16);

interface Kept {
  readonly open: FileOpen;
  readonly clientGuid: Buffer;
  readonly account: string;
  readonly timer: Timer;
}

/**
 * Opens whose connection was lost while the client had been promised to find them again. They keep their share mode,
 * locks and cache until the client comes back, their time is over, or somebody else needs the cache they hold.
 */
export class DurableOpens {
  readonly #server: SmbServer;
  readonly #kept = new Map<bigint, Kept>();

  constructor(server: SmbServer) {
    this.#server = server;
  }

  /** True when the open stays. */
  keep(open: FileOpen): boolean {
    const { durability, cache } = open;
    const holdsHandle =
      cache !== undefined && cache.breaking === undefined && (cache.state & HANDLE_CACHE) !== 0;
    if (durability === undefined || !holdsHandle || this.#kept.size >= SMB_LIMITS.durableOpensMax)
      return false;
    const { connection, account } = open.session;
    const timer = this.#server.timers.after(durability.timeoutMillis, () => void this.drop(open));
    this.#kept.set(open.fileId.persistent, { open, clientGuid: connection.clientGuid, account, timer });
    return true;
  }

  isKept(open: FileOpen): boolean {
    return this.#kept.get(open.fileId.persistent)?.open === open;
  }

  /** Takes an open back for a client that proves to be the same. */
  claim(wanted: {
    readonly persistent: bigint;
    readonly account: string;
    readonly clientGuid: Buffer;
    readonly createGuid: Buffer | undefined;
    readonly leaseKey: Buffer | undefined;
    readonly name: string;
  }): FileOpen | undefined {
    const kept = this.#kept.get(wanted.persistent);
    if (kept === undefined || kept.account !== wanted.account) return undefined;
    const { open } = kept;
    // Who asks in the way of version 2 names the id of the CREATE; one of version 1 had none, which is zero.
    const createGuid = open.durability?.createGuid ?? NO_GUID;
    if (wanted.createGuid !== undefined && !createGuid.equals(wanted.createGuid)) return undefined;
    const lease = open.cache?.lease;
    if ((lease === undefined) !== (wanted.leaseKey === undefined)) return undefined;
    if (
      lease !== undefined &&
      !(lease.key.equals(wanted.leaseKey!) && kept.clientGuid.equals(wanted.clientGuid))
    )
      return undefined;
    // With a lease the client also names the file, and must name the right one.
    if (lease !== undefined && !isNameOf(open, wanted.name)) throw refuse(STATUS.INVALID_PARAMETER);
    kept.timer.cancel();
    this.#kept.delete(wanted.persistent);
    return open;
  }

  /** Its time is over, or it is in the way. */
  async drop(open: FileOpen): Promise<void> {
    const kept = this.#kept.get(open.fileId.persistent);
    if (kept?.open !== open) return;
    kept.timer.cancel();
    this.#kept.delete(open.fileId.persistent);
    await closeOpen(this.#server, open);
  }

  /** Of sessions whose key is gone: their client cannot come back for them. */
  async dropOf(isMeant: (session: Session) => boolean): Promise<void> {
    const opens = [...this.#kept.values()].map(({ open }) => open).filter(({ session }) => isMeant(session));
    await Promise.all(opens.map((open) => this.drop(open)));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#kept.values()].map(({ open }) => this.drop(open)));
  }
}
