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
import type { FileTime } from "../wire/filetime.ts";
import { refuse, STATUS } from "../wire/status.ts";
import type { Open } from "./open.ts";

/**
 * Files that SMB clients have open in this process, with the caches (oplocks and leases) of those clients and
 * the requests that wait for a byte-range lock. src/concurrency/cache-lease.ts decides which cache breaks
 * when; this file sends breaks, waits for answers, and ends a break that stays without one.
 */
export interface LeaseName {
  readonly client: Buffer;
  readonly key: Buffer;
}

/** An oplock, or a lease with all the opens that share its key. */
export interface CacheEntry {
  readonly inode: OpenInode;
  readonly lease: (LeaseName & { readonly version: 1 | 2; readonly parentKey: Buffer }) | undefined;
  readonly opens: Set<Open>;
  state: CacheState;
  epoch: number;
  breaking: Breaking | undefined;
}

interface Breaking {
  to: CacheState;
  /** What may be left when all waiting requests can go on: a later one may need more than the first. */
  required: CacheState;
  timer: Timer;
  readonly done: Promise<void>;
  readonly finish: () => void;
}

/** A write that clients do not see in the file's times yet: see write-times.ts. */
interface LazyWrite {
  readonly shown: FileTime;
  readonly timer: Timer | undefined;
}

export interface OpenInode {
  readonly name: string;
  /** Of a named stream: the name of its file or directory. */
  readonly base: string | undefined;
  /** New opens are refused, so they break no caches. */
  isDeletePending: boolean;
  lazyWrite: LazyWrite | undefined;
  readonly opens: Set<Open>;
  readonly caches: Set<CacheEntry>;
  /** Tried again in the order of arrival whenever a lock is released. */
  readonly lockWaiters: Set<() => Promise<boolean>>;
}

export type SendBreak = (entry: CacheEntry, to: CacheState, isAnswerNeeded: boolean) => void;

const NONE: readonly OpenInode[] = [];
/** A file in a share snapshot is another file than the live one. */
const nameOf = (share: bigint, inode: bigint, snapshot?: bigint): string =>
  snapshot === undefined ? `${share}:${inode}` : `${share}@${snapshot}:${inode}`;
const leaseNameOf = ({ client, key }: LeaseName): string => client.hexSlice() + key.hexSlice();

export class OpenInodes {
  readonly #timers: Timers;
  readonly #sendBreak: SendBreak;
  readonly #inodes = new Map<string, OpenInode>();
  /** Open named streams by the name of their file or directory. */
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

  /** Whether a client has an oplock or a lease, perhaps one without any caching state. */
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

  /** Open inodes below a directory. It looks at every open inode, because renames of directories are rare. */
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

  /** A lease key names one file: refuses a client that uses it for another. */
  checkLease(name: LeaseName, inode: OpenInode | undefined): void {
    const entry = this.findLease(name);
    if (entry !== undefined && entry.inode !== inode) throw refuse(STATUS.INVALID_PARAMETER);
  }

  add(share: bigint, open: Open): OpenInode {
    const { inode: id, base, ref } = open.file;
    const name = nameOf(share, id, ref.snapshot);
    let inode = this.#inodes.get(name);
    if (inode === undefined) {
      inode = {
        name,
        base: base === undefined ? undefined : nameOf(share, base, ref.snapshot),
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

  remove(open: Open): void {
    const { inode } = open;
    if (inode === undefined) return;
    open.inode = undefined;
    inode.opens.delete(open);
    const entry = open.cache;
    if (entry !== undefined) {
      entry.opens.delete(open);
      if (entry.opens.size === 0) this.#remove(entry);
    }
    this.locksChanged(inode);
    if (inode.opens.size > 0) return;
    inode.lazyWrite?.timer?.cancel();
    this.#inodes.delete(inode.name);
    if (inode.base === undefined) return;
    const streams = this.#streams.get(inode.base);
    streams?.delete(inode);
    if (streams?.size === 0) this.#streams.delete(inode.base);
  }

  #remove(entry: CacheEntry): void {
    entry.state = NO_CACHE;
    entry.inode.caches.delete(entry);
    this.#cached.delete(entry);
    if (entry.lease !== undefined) this.#leases.delete(leaseNameOf(entry.lease));
    entry.breaking?.finish();
  }

  /** Grants a cache to a new open. Opens with the same lease key share the lease, which may grow. */
  grant(
    inode: OpenInode,
    open: Open,
    request: {
      readonly requested: CacheState;
      readonly lease: CacheEntry["lease"];
      /** The client's count, of a lease of version 2. */
      readonly epoch: number;
      readonly isStat: (access: number) => boolean;
    },
  ): CacheEntry | undefined {
    const { requested, lease, isStat } = request;
    const own = lease === undefined ? undefined : this.findLease(lease);
    const others = [...inode.caches].filter((entry) => entry !== own);
    const isOwn = (other: Open): boolean => other === open || (own?.opens.has(other) ?? false);
    const granted = grantCache({
      requested,
      isLease: lease !== undefined,
      isShared: [...inode.opens].some((other) => !isOwn(other) && !isStat(other.access)),
      isLocked: [...inode.opens].some((other) => !isOwn(other) && other.lockCount > 0),
      others: others.map((entry) => ({ state: entry.state, isLease: entry.lease !== undefined })),
    });
    if (own !== undefined) {
      own.opens.add(open);
      // A lease grows to all of the requested state or not at all, and a request never shrinks it.
      const isGrowing = granted === requested && (granted & own.state) === own.state && granted !== own.state;
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
   * Breaks the caches that conflict, except those under `except`. The promise, if there is one, resolves once
   * every client that must answer has answered; then the caller checks again.
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
    return allOf(waits);
  }

  /**
   * The same for the file with its named streams, whose handles conflict with a deletion and a rename, too.
   * The inode may be a stream itself, and `base` its file.
   */
  resolveWhole(
    share: bigint,
    { inode, base }: { readonly inode: bigint; readonly base?: bigint | undefined },
    conflict: "sharing" | "remove",
    except: (entry: CacheEntry) => boolean,
  ): Promise<void> | undefined {
    const waits: Promise<void>[] = [];
    const own = [this.find(share, inode), base === undefined ? undefined : this.find(share, base)];
    for (const open of [...own, ...this.streamsOf(share, inode)]) {
      const wait = open && this.resolve(open, conflict, except);
      if (wait !== undefined) waits.push(wait);
    }
    return allOf(waits);
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
        timer: this.#answerTimer(entry),
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
    if (!isAnswerNeeded) this.#setState(entry, to);
  }

  #answerTimer(entry: CacheEntry): Timer {
    return this.#timers.after(SMB_LIMITS.breakMillis, () => this.#finish(entry, NO_CACHE));
  }

  /** The client has answered, and a waiting request needs more than it has given up. */
  #breakFurther(entry: CacheEntry, breaking: Breaking, to: CacheState): void {
    // The second break belongs to the first: the epoch stays.
    const isAnswerNeeded = needsAnswer(entry.state, to);
    this.#sendBreak(entry, to, isAnswerNeeded);
    if (!isAnswerNeeded) {
      this.#finish(entry, to);
      return;
    }
    breaking.to = to;
    breaking.timer.cancel();
    breaking.timer = this.#answerTimer(entry);
  }

  #finish(entry: CacheEntry, state: CacheState): void {
    const breaking = entry.breaking;
    this.#setState(entry, state);
    breaking?.finish();
  }

  #setState(entry: CacheEntry, state: CacheState): void {
    entry.state = state;
    if (state !== NO_CACHE || entry.lease !== undefined) return;
    // An oplock ends when it breaks to none; a lease stays as long as its key has opens.
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
    // The reply to this acknowledgement goes out before the next break.
    this.#timers.after(0, () => {
      if (entry.breaking === breaking) this.#breakFurther(entry, breaking, next);
    });
  }

  locksChanged(inode: OpenInode): void {
    if (inode.lockWaiters.size === 0) return;
    void (async () => {
      for (const attempt of [...inode.lockWaiters]) if (await attempt()) inode.lockWaiters.delete(attempt);
    })();
  }
}

function allOf(waits: readonly Promise<void>[]): Promise<void> | undefined {
  return waits.length === 0 ? undefined : Promise.all(waits).then(() => {});
}
