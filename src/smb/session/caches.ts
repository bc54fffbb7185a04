import type { Timer, Timers } from "../../base/clock.ts";
import {
  breakCache,
  type CacheConflict,
  type CacheState,
  grantCache,
  isAnswerValid,
  NO_CACHE,
  needsAnswer,
  nextStep,
} from "../../concurrency/cache-lease.ts";
import { SMB_LIMITS } from "../limits.ts";
import { refuse, STATUS } from "../wire/status.ts";
import type { FileOpen } from "./open.ts";
import type { LazyWrite } from "./write-times.ts";

/**
 * Files that SMB clients have open in this process, with the caches (oplocks and leases) those clients hold and the
 * requests that wait for a byte-range lock. Which cache goes when is decided in src/concurrency/cache-lease.ts; here
 * breaks are sent, answers awaited, and silence ended after its time.
 */
export interface LeaseName {
  readonly client: Buffer;
  readonly key: Buffer;
}

/** One oplock, or one lease with all the opens that share its key. */
export interface CacheEntry {
  readonly inode: OpenInode;
  readonly lease: (LeaseName & { readonly version: 1 | 2; readonly parentKey: Buffer }) | undefined;
  readonly opens: Set<FileOpen>;
  state: CacheState;
  epoch: number;
  breaking: Breaking | undefined;
}

interface Breaking {
  to: CacheState;
  /** What may be left when all who wait for it can go on: somebody may have come who needs more than the first. */
  required: CacheState;
  timer: Timer;
  readonly done: Promise<void>;
  readonly finish: () => void;
}

export interface OpenInode {
  readonly name: string;
  /** Of a named stream: the name of what it belongs to. */
  readonly base: string | undefined;
  /** It goes with its last handle: whoever comes now is refused, and nobody has to make room. */
  isDeletePending: boolean;
  /** It was written, and clients are not told yet. */
  lazyWrite: LazyWrite | undefined;
  readonly opens: Set<FileOpen>;
  readonly caches: Set<CacheEntry>;
  /** Tried again, first come first served, whenever a lock goes. */
  readonly lockWaiters: Set<() => Promise<boolean>>;
}

export type SendBreak = (entry: CacheEntry, to: CacheState, isAnswerNeeded: boolean) => void;

const NONE: readonly OpenInode[] = [];
const nameOf = (share: bigint, inode: bigint): string => `${share}:${inode}`;
const leaseNameOf = ({ client, key }: LeaseName): string => client.hexSlice() + key.hexSlice();

export class OpenInodes {
  readonly #timers: Timers;
  readonly #sendBreak: SendBreak;
  readonly #inodes = new Map<string, OpenInode>();
  /** Named streams that are open, by what they belong to. */
  readonly #streams = new Map<string, Set<OpenInode>>();
  readonly #leases = new Map<string, CacheEntry>();
  readonly #cached = new Set<CacheEntry>();

  constructor(timers: Timers, sendBreak: SendBreak) {
    this.#timers = timers;
    this.#sendBreak = sendBreak;
  }

  get size(): number {
    return this.#inodes.size;
  }

  /** Somebody holds a cache, or a lease by its key alone. */
  get isAnyCached(): boolean {
    return this.#cached.size > 0;
  }

  find(share: bigint, inode: bigint): OpenInode | undefined {
    return this.#inodes.get(nameOf(share, inode));
  }

  /** The open named streams of a file or directory. */
  streamsOf(share: bigint, inode: bigint): Iterable<OpenInode> {
    return this.#streams.get(nameOf(share, inode)) ?? NONE;
  }

  /** Nodes with something open below a directory: as many looks as there are nodes open, for a rename that is rare. */
  *below(share: bigint, directory: readonly string[]): Generator<OpenInode> {
    const prefix = `${directory.join("\\").toUpperCase()}\\`;
    for (const inode of this.#inodes.values()) {
      const [open] = inode.opens;
      if (open?.tree.share?.id !== share || open.path.length <= directory.length) continue;
      if (open.path.join("\\").toUpperCase().startsWith(prefix)) yield inode;
    }
  }

  findLease(name: LeaseName): CacheEntry | undefined {
    return this.#leases.get(leaseNameOf(name));
  }

  /** A lease key names one file: using it for another is a mistake of the client. */
  checkLease(name: LeaseName, inode: OpenInode | undefined): void {
    const entry = this.findLease(name);
    if (entry !== undefined && entry.inode !== inode) throw refuse(STATUS.INVALID_PARAMETER);
  }

  add(share: bigint, open: FileOpen): OpenInode {
    const name = nameOf(share, open.file.inode);
    let inode = this.#inodes.get(name);
    if (inode === undefined) {
      const { base } = open.file;
      inode = {
        name,
        base: base === undefined ? undefined : nameOf(share, base),
        isDeletePending: false,
        lazyWrite: undefined,
        opens: new Set(),
        caches: new Set(),
        lockWaiters: new Set(),
      };
      this.#inodes.set(name, inode);
      if (inode.base !== undefined)
        this.#streams.set(inode.base, (this.#streams.get(inode.base) ?? new Set()).add(inode));
    }
    inode.opens.add(open);
    open.inode = inode;
    return inode;
  }

  remove(open: FileOpen): void {
    const { inode } = open;
    if (inode === undefined) return;
    open.inode = undefined;
    inode.opens.delete(open);
    const entry = open.cache;
    if (entry !== undefined) {
      entry.opens.delete(open);
      if (entry.opens.size === 0) this.#forget(entry);
    }
    this.locksChanged(inode);
    if (inode.opens.size > 0) return;
    inode.lazyWrite?.timer?.cancel();
    this.#inodes.delete(inode.name);
    if (inode.base === undefined) return;
    const beside = this.#streams.get(inode.base);
    beside?.delete(inode);
    if (beside?.size === 0) this.#streams.delete(inode.base);
  }

  #forget(entry: CacheEntry): void {
    entry.state = NO_CACHE;
    entry.inode.caches.delete(entry);
    this.#cached.delete(entry);
    if (entry.lease !== undefined) this.#leases.delete(leaseNameOf(entry.lease));
    entry.breaking?.finish();
  }

  /** Gives a new open the cache it may have. A lease that exists under the key is shared, and may grow. */
  grant(
    inode: OpenInode,
    open: FileOpen,
    request: {
      readonly wanted: CacheState;
      readonly lease: CacheEntry["lease"];
      /** Of a lease of version 2: what the client counted up to. */
      readonly epoch: number;
      readonly isStat: (access: number) => boolean;
    },
  ): CacheEntry | undefined {
    const { wanted, lease, isStat } = request;
    const own = lease === undefined ? undefined : this.findLease(lease);
    const others = [...inode.caches].filter((entry) => entry !== own);
    const isOwn = (other: FileOpen): boolean => other === open || (own?.opens.has(other) ?? false);
    const granted = grantCache({
      requested: wanted,
      isLease: lease !== undefined,
      isShared: [...inode.opens].some((other) => !isOwn(other) && !isStat(other.access)),
      isLocked: [...inode.opens].some((other) => !isOwn(other) && other.lockCount > 0),
      others: others.map((entry) => ({ state: entry.state, isLease: entry.lease !== undefined })),
    });
    if (own !== undefined) {
      own.opens.add(open);
      // A lease grows to all that was asked for or not at all, and never shrinks by asking.
      const isGrowing = granted === wanted && (granted & own.state) === own.state && granted !== own.state;
      if (own.breaking === undefined && isGrowing) {
        own.state = granted;
        own.epoch = (own.epoch + 1) & 0xffff;
      }
      return own;
    }
    if (lease === undefined && granted === NO_CACHE) return undefined;
    const entry: CacheEntry = {
      inode,
      lease,
      opens: new Set([open]),
      state: granted,
      epoch: lease?.version === 2 ? (request.epoch + 1) & 0xffff : 0,
      breaking: undefined,
    };
    inode.caches.add(entry);
    this.#cached.add(entry);
    if (lease !== undefined) this.#leases.set(leaseNameOf(lease), entry);
    return entry;
  }

  /**
   * Breaks what stands in the way of `conflict`, caches under `except` apart. The promise, when there is one, ends
   * once every client that must answer has; then the caller looks again.
   */
  resolve(
    inode: OpenInode,
    conflict: CacheConflict,
    except: (entry: CacheEntry) => boolean,
  ): Promise<void> | undefined {
    const waits: Promise<void>[] = [];
    for (const entry of inode.caches) {
      if (except(entry)) continue;
      const broken = breakCache(entry.state, conflict);
      if (broken === undefined) continue;
      if (entry.breaking === undefined) this.#start(entry, broken.to);
      else entry.breaking.required &= broken.to;
      if (broken.isAwaited && entry.breaking !== undefined) waits.push(entry.breaking.done);
    }
    return waits.length === 0 ? undefined : Promise.all(waits).then(() => {});
  }

  /**
   * The same for what keeps a file where it is, or keeps others out of it: handles of its named streams do so too. What
   * is asked for may be a stream itself, and `base` what it belongs to.
   */
  resolveWhole(
    share: bigint,
    { inode, base }: { readonly inode: bigint; readonly base?: bigint | undefined },
    conflict: "sharing" | "remove",
    except: (entry: CacheEntry) => boolean,
  ): Promise<void> | undefined {
    const waits: Promise<void>[] = [];
    const own = [this.find(share, inode), base === undefined ? undefined : this.find(share, base)];
    for (const one of [...own, ...this.streamsOf(share, inode)]) {
      const wait = one && this.resolve(one, conflict, except);
      if (wait !== undefined) waits.push(wait);
    }
    return waits.length === 0 ? undefined : Promise.all(waits).then(() => {});
  }

  #start(entry: CacheEntry, to: CacheState): void {
    const isAnswerNeeded = needsAnswer(entry.state, to);
    entry.epoch = (entry.epoch + 1) & 0xffff;
    if (isAnswerNeeded) {
      let finish = (): void => {};
      const done = new Promise<void>((resolve) => {
        finish = resolve;
      });
      const breaking: Breaking = {
        to,
        required: to,
        timer: this.#silenceOf(entry),
        done,
        finish: () => {
          breaking.timer.cancel();
          entry.breaking = undefined;
          finish();
        },
      };
      entry.breaking = breaking;
    }
    this.#sendBreak(entry, to, isAnswerNeeded);
    if (!isAnswerNeeded) this.#settle(entry, to);
  }

  #silenceOf(entry: CacheEntry): Timer {
    return this.#timers.after(SMB_LIMITS.breakMillis, () => this.#finish(entry, NO_CACHE));
  }

  /** The client has answered, and somebody waits who needs more than it has given up. */
  #goOn(entry: CacheEntry, breaking: Breaking, to: CacheState): void {
    // It belongs to the break before it and counts with it: the epoch stays.
    const isAnswerNeeded = needsAnswer(entry.state, to);
    this.#sendBreak(entry, to, isAnswerNeeded);
    if (!isAnswerNeeded) {
      this.#finish(entry, to);
      return;
    }
    breaking.to = to;
    breaking.timer.cancel();
    breaking.timer = this.#silenceOf(entry);
  }

  #finish(entry: CacheEntry, state: CacheState): void {
    const breaking = entry.breaking;
    this.#settle(entry, state);
    breaking?.finish();
  }

  #settle(entry: CacheEntry, state: CacheState): void {
    entry.state = state;
    if (state !== NO_CACHE || entry.lease !== undefined) return;
    // An oplock that was broken to nothing is gone; a lease stays as long as its key is open.
    entry.inode.caches.delete(entry);
    this.#cached.delete(entry);
    for (const open of entry.opens) open.cache = undefined;
  }

  /** The client's answer to a break. */
  acknowledge(entry: CacheEntry, state: CacheState): void {
    const { breaking } = entry;
    if (breaking === undefined)
      throw refuse(entry.lease === undefined ? STATUS.INVALID_DEVICE_STATE : STATUS.UNSUCCESSFUL);
    if (!isAnswerValid(state, breaking.to)) {
      if (entry.lease === undefined) this.#finish(entry, NO_CACHE);
      throw refuse(entry.lease === undefined ? STATUS.INVALID_OPLOCK_PROTOCOL : STATUS.REQUEST_NOT_ACCEPTED);
    }
    const next = nextStep(state, breaking.required);
    if (next === undefined || entry.lease === undefined) {
      this.#finish(entry, state);
      return;
    }
    entry.state = state;
    // The answer to this acknowledgement goes out before the client is asked for more.
    this.#timers.after(0, () => {
      if (entry.breaking === breaking) this.#goOn(entry, breaking, next);
    });
  }

  locksChanged(inode: OpenInode): void {
    if (inode.lockWaiters.size === 0) return;
    void (async () => {
      for (const attempt of [...inode.lockWaiters]) if (await attempt()) inode.lockWaiters.delete(attempt);
    })();
  }
}
