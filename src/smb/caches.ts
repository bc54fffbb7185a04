import type { Timer, Timers } from "../base/clock.ts";
import { SMB_LIMITS } from "../base/limits-smb.ts";
import {
  breakCache,
  type CacheConflict,
  type CacheState,
  grantCache,
  isAnswerValid,
  NO_CACHE,
  needsAnswer,
  nextStep,
} from "../concurrency/cache-lease.ts";
import type { FileOpen } from "./open.ts";
import { refuse, STATUS } from "./status.ts";
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
  readonly node: OpenedNode;
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

export interface OpenedNode {
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

const NONE: readonly OpenedNode[] = [];
const nameOf = (share: bigint, node: bigint): string => `${share}:${node}`;
const leaseNameOf = ({ client, key }: LeaseName): string => client.hexSlice() + key.hexSlice();

export class OpenedNodes {
  readonly #timers: Timers;
  readonly #sendBreak: SendBreak;
  readonly #nodes = new Map<string, OpenedNode>();
  /** Named streams that are open, by what they belong to. */
  readonly #streams = new Map<string, Set<OpenedNode>>();
  readonly #leases = new Map<string, CacheEntry>();
  readonly #cached = new Set<CacheEntry>();

  constructor(timers: Timers, sendBreak: SendBreak) {
    this.#timers = timers;
    this.#sendBreak = sendBreak;
  }

  get size(): number {
    return this.#nodes.size;
  }

  /** Somebody holds a cache, or a lease by its key alone. */
  get isAnyCached(): boolean {
    return this.#cached.size > 0;
  }

  find(share: bigint, node: bigint): OpenedNode | undefined {
    return this.#nodes.get(nameOf(share, node));
  }

  /** The open named streams of a file or directory. */
  streamsOf(share: bigint, node: bigint): Iterable<OpenedNode> {
    return this.#streams.get(nameOf(share, node)) ?? NONE;
  }

  /** Nodes with something open below a directory: as many looks as there are nodes open, for a rename that is rare. */
  *below(share: bigint, directory: readonly string[]): Generator<OpenedNode> {
    const prefix = `${directory.join("\\").toUpperCase()}\\`;
    for (const node of this.#nodes.values()) {
      const [open] = node.opens;
      if (open?.tree.share?.id !== share || open.path.length <= directory.length) continue;
      if (open.path.join("\\").toUpperCase().startsWith(prefix)) yield node;
    }
  }

  findLease(name: LeaseName): CacheEntry | undefined {
    return this.#leases.get(leaseNameOf(name));
  }

  /** A lease key names one file: using it for another is a mistake of the client. */
  checkLease(name: LeaseName, node: OpenedNode | undefined): void {
    const entry = this.findLease(name);
    if (entry !== undefined && entry.node !== node) throw refuse(STATUS.INVALID_PARAMETER);
  }

  add(share: bigint, open: FileOpen): OpenedNode {
    const name = nameOf(share, open.file.node);
    let node = this.#nodes.get(name);
    if (node === undefined) {
      const { base } = open.file;
      node = {
        name,
        base: base === undefined ? undefined : nameOf(share, base),
        isDeletePending: false,
        lazyWrite: undefined,
        opens: new Set(),
        caches: new Set(),
        lockWaiters: new Set(),
      };
      this.#nodes.set(name, node);
      if (node.base !== undefined)
        this.#streams.set(node.base, (this.#streams.get(node.base) ?? new Set()).add(node));
    }
    node.opens.add(open);
    open.node = node;
    return node;
  }

  remove(open: FileOpen): void {
    const { node } = open;
    if (node === undefined) return;
    open.node = undefined;
    node.opens.delete(open);
    const entry = open.cache;
    if (entry !== undefined) {
      entry.opens.delete(open);
      if (entry.opens.size === 0) this.#forget(entry);
    }
    this.locksChanged(node);
    if (node.opens.size > 0) return;
    node.lazyWrite?.timer?.cancel();
    this.#nodes.delete(node.name);
    if (node.base === undefined) return;
    const beside = this.#streams.get(node.base);
    beside?.delete(node);
    if (beside?.size === 0) this.#streams.delete(node.base);
  }

  #forget(entry: CacheEntry): void {
    entry.state = NO_CACHE;
    entry.node.caches.delete(entry);
    this.#cached.delete(entry);
    if (entry.lease !== undefined) this.#leases.delete(leaseNameOf(entry.lease));
    entry.breaking?.finish();
  }

  /** Gives a new open the cache it may have. A lease that exists under the key is shared, and may grow. */
  grant(
    node: OpenedNode,
    open: FileOpen,
    wish: {
      readonly wanted: CacheState;
      readonly lease: CacheEntry["lease"];
      /** Of a lease of version 2: what the client counted up to. */
      readonly epoch: number;
      readonly isStat: (access: number) => boolean;
    },
  ): CacheEntry | undefined {
    const { wanted, lease, isStat } = wish;
    const own = lease === undefined ? undefined : this.findLease(lease);
    const others = [...node.caches].filter((entry) => entry !== own);
    const isOwn = (other: FileOpen): boolean => other === open || (own?.opens.has(other) ?? false);
    const granted = grantCache({
      wanted,
      isLease: lease !== undefined,
      isShared: [...node.opens].some((other) => !isOwn(other) && !isStat(other.access)),
      isLocked: [...node.opens].some((other) => !isOwn(other) && other.lockCount > 0),
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
      node,
      lease,
      opens: new Set([open]),
      state: granted,
      epoch: lease?.version === 2 ? (wish.epoch + 1) & 0xffff : 0,
      breaking: undefined,
    };
    node.caches.add(entry);
    this.#cached.add(entry);
    if (lease !== undefined) this.#leases.set(leaseNameOf(lease), entry);
    return entry;
  }

  /**
   * Breaks what stands in the way of `conflict`, caches under `except` apart. The promise, when there is one, ends
   * once every client that must answer has; then the caller looks again.
   */
  resolve(
    node: OpenedNode,
    conflict: CacheConflict,
    except: (entry: CacheEntry) => boolean,
  ): Promise<void> | undefined {
    const waits: Promise<void>[] = [];
    for (const entry of node.caches) {
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
    { node, base }: { readonly node: bigint; readonly base?: bigint | undefined },
    conflict: "sharing" | "remove",
    except: (entry: CacheEntry) => boolean,
  ): Promise<void> | undefined {
    const waits: Promise<void>[] = [];
    const own = [this.find(share, node), base === undefined ? undefined : this.find(share, base)];
    for (const one of [...own, ...this.streamsOf(share, node)]) {
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
    entry.node.caches.delete(entry);
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

  locksChanged(node: OpenedNode): void {
    if (node.lockWaiters.size === 0) return;
    void (async () => {
      for (const attempt of [...node.lockWaiters]) if (await attempt()) node.lockWaiters.delete(attempt);
    })();
  }
}
