import type { Timer, Timers } from "../../base/clock.ts";
import { HANDLE_CACHE } from "../../concurrency/cache-lease.ts";
import { SMB_LIMITS } from "../limits.ts";
import { refuse, STATUS } from "../wire/status.ts";
import { isNameOf } from "../wire/stream-names.ts";
import type { Open } from "./open.ts";
import type { Session } from "./session.ts";

const NO_GUID = Buffer.alloc(16);

interface Disconnected {
  readonly open: Open;
  readonly clientGuid: Buffer;
  readonly account: string;
  readonly timer: Timer;
}

/**
 * Durable opens without a connection. They keep their share mode, locks and cache until the client
 * reconnects, their time is over, or another client needs their cache broken.
 */
export class DurableOpens {
  readonly #timers: Timers;
  readonly #close: (open: Open) => Promise<void>;
  readonly #disconnected = new Map<bigint, Disconnected>();

  constructor(timers: Timers, close: (open: Open) => Promise<void>) {
    this.#timers = timers;
    this.#close = close;
  }

  /** True when the open stays. */
  keep(open: Open): boolean {
    const { durability, cache } = open;
    const holdsHandle =
      cache !== undefined && cache.breaking === undefined && (cache.state & HANDLE_CACHE) !== 0;
    if (durability === undefined || !holdsHandle || this.#disconnected.size >= SMB_LIMITS.durableOpensMax)
      return false;
    const { connection, account } = open.session;
    const timer = this.#timers.after(durability.timeoutMillis, () => void this.drop(open));
    this.#disconnected.set(open.fileId.persistent, {
      open,
      clientGuid: connection.clientGuid,
      account,
      timer,
    });
    return true;
  }

  isKept(open: Open): boolean {
    return this.#disconnected.get(open.fileId.persistent)?.open === open;
  }

  /** Returns an open to a client that proves to be the same. */
  claim(request: {
    readonly persistent: bigint;
    readonly account: string;
    readonly clientGuid: Buffer;
    readonly createGuid: Buffer | undefined;
    readonly leaseKey: Buffer | undefined;
    readonly name: string;
  }): Open | undefined {
    const kept = this.#disconnected.get(request.persistent);
    if (kept === undefined || kept.account !== request.account) return undefined;
    const { open } = kept;
    // A request of version 2 names the id of the CREATE; an open of version 1 has none, which is zero.
    const createGuid = open.durability?.createGuid ?? NO_GUID;
    if (request.createGuid !== undefined && !createGuid.equals(request.createGuid)) return undefined;
    const lease = open.cache?.lease;
    if ((lease === undefined) !== (request.leaseKey === undefined)) return undefined;
    if (
      lease !== undefined &&
      !(lease.key.equals(request.leaseKey!) && kept.clientGuid.equals(request.clientGuid))
    )
      return undefined;
    // With a lease the client must also name the file.
    if (lease !== undefined && !isNameOf(open, request.name)) throw refuse(STATUS.INVALID_PARAMETER);
    kept.timer.cancel();
    this.#disconnected.delete(request.persistent);
    return open;
  }

  /** Its time is over, or it conflicts with another client. */
  async drop(open: Open): Promise<void> {
    const kept = this.#disconnected.get(open.fileId.persistent);
    if (kept?.open !== open) return;
    kept.timer.cancel();
    this.#disconnected.delete(open.fileId.persistent);
    await this.#close(open);
  }

  /** For sessions whose account key was removed: their client cannot reconnect. */
  async dropOf(isMeant: (session: Session) => boolean): Promise<void> {
    const opens = [...this.#disconnected.values()]
      .map(({ open }) => open)
      .filter(({ session }) => isMeant(session));
    await Promise.all(opens.map((open) => this.drop(open)));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#disconnected.values()].map(({ open }) => this.drop(open)));
  }
}
