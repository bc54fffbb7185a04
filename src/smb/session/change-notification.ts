import { SMB_LIMITS } from "../limits.ts";
import { encodeNotifyRecords, type NotifyRecord, notifyRecordBytes } from "../wire/directory.ts";
import { refuse, STATUS } from "../wire/status.ts";

/**
 * Change notification. A watch belongs to an open directory; its first request fixes what it looks for, and what
 * happens between two requests is kept, up to a limit beyond which the client is told to look for itself. Only what
 * SMB clients do is told: REST calls do not notify, as on Azure.
 */
export class Watch {
  readonly path: readonly string[];
  readonly filter: number;
  readonly isRecursive: boolean;
  #records: NotifyRecord[] = [];
  #bytes = 0;
  #hasOverflowed = false;
  #waiting: { readonly bytesMax: number; readonly resolve: (result: WatchResult) => void }[] = [];

  /** Like the filter, the size of the first request's buffer holds for all that follow. */
  readonly #bytesMax: number;

  constructor(input: {
    readonly path: readonly string[];
    readonly filter: number;
    readonly isRecursive: boolean;
    readonly bytesMax: number;
  }) {
    this.path = input.path;
    this.filter = input.filter;
    this.isRecursive = input.isRecursive;
    this.#bytesMax = input.bytesMax;
  }

  record(record: NotifyRecord): void {
    if (this.#hasOverflowed) return;
    this.#records.push(record);
    this.#bytes += notifyRecordBytes(record);
    if (this.#bytes > SMB_LIMITS.notifyBytesMax) this.overflow();
  }

  /** More has happened than can be told: the client is to look for itself. */
  overflow(): void {
    this.#hasOverflowed = true;
    this.#records = [];
    this.#bytes = 0;
  }

  /** Answers a request that waits, when there is something to say. */
  flush(): void {
    if (this.#records.length === 0 && !this.#hasOverflowed) return;
    const next = this.#waiting.shift();
    if (next !== undefined) next.resolve(this.#take(next.bytesMax));
  }

  take(bytesMax: number): WatchResult | undefined {
    if (this.#records.length === 0 && !this.#hasOverflowed) return undefined;
    return this.#take(bytesMax);
  }

  #take(bytesMax: number): WatchResult {
    const data = encodeNotifyRecords(this.#records);
    const isTooMuch = this.#hasOverflowed || data.length > Math.min(bytesMax, this.#bytesMax);
    this.#records = [];
    this.#bytes = 0;
    this.#hasOverflowed = false;
    return isTooMuch
      ? { status: STATUS.NOTIFY_ENUM_DIR, data: Buffer.alloc(0) }
      : { status: STATUS.SUCCESS, data };
  }

  wait(bytesMax: number): { readonly result: Promise<WatchResult>; readonly cancel: () => void } {
    let settle: (result: WatchResult) => void = () => {};
    const result = new Promise<WatchResult>((resolve) => {
      settle = resolve;
    });
    const entry = { bytesMax, resolve: settle };
    this.#waiting.push(entry);
    const cancel = (): void => {
      this.#waiting = this.#waiting.filter((one) => one !== entry);
    };
    return { result, cancel };
  }

  /** Ends every request that waits: the directory was closed or removed. */
  end(status: number): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { resolve } of waiting) resolve({ status, data: Buffer.alloc(0) });
  }
}

export interface ChangeEvent {
  readonly path: readonly string[];
  readonly action: number;
  readonly filter: number;
  /** Who looks for one of these as well has been told in another way. */
  readonly unless?: number;
}

export interface WatchResult {
  readonly status: number;
  readonly data: Buffer;
}

const fold = (path: readonly string[]): string => path.join("\\").toUpperCase();

/** Who passes on to the clients of other nodes what happened here. */
export interface Elsewhere {
  /** Somebody here watches the share. */
  watched(share: bigint): void;
  notify(share: bigint, events: readonly ChangeEvent[]): void;
  removed(share: bigint, path: readonly string[]): void;
}

/** The watches of all shares, found by directory: an event looks at the directories above it and nowhere else. */
export class ChangeHub {
  readonly #watches = new Map<string, Set<Watch>>();
  readonly #counts = new Map<bigint, number>();
  elsewhere: Elsewhere | undefined;

  #nameOf(share: bigint, path: readonly string[]): string {
    return `${share}:${fold(path)}`;
  }

  add(share: bigint, watch: Watch): void {
    const name = this.#nameOf(share, watch.path);
    const found = this.#watches.get(name);
    if (found === undefined) this.#watches.set(name, new Set([watch]));
    else found.add(watch);
    this.#counts.set(share, (this.#counts.get(share) ?? 0) + 1);
    this.elsewhere?.watched(share);
  }

  remove(share: bigint, watch: Watch): void {
    const name = this.#nameOf(share, watch.path);
    const found = this.#watches.get(name);
    if (found?.delete(watch) !== true) return;
    if (found.size === 0) this.#watches.delete(name);
    const left = this.#counts.get(share)! - 1;
    if (left === 0) this.#counts.delete(share);
    else this.#counts.set(share, left);
  }

  watchedShares(): Iterable<bigint> {
    return this.#counts.keys();
  }

  /** Tells what happened at a path. Several events of one operation belong into one answer, so they come together. */
  notify(share: bigint, events: readonly ChangeEvent[]): void {
    this.notifyLocal(share, events);
    this.elsewhere?.notify(share, events);
  }

  /** The same for what clients of another node did. */
  notifyLocal(share: bigint, events: readonly ChangeEvent[]): void {
    if (this.#watches.size === 0) return;
    const touched = new Set<Watch>();
    for (const { path, action, filter, unless = 0 } of events) {
      for (let depth = path.length - 1; depth >= 0; depth--) {
        const isParent = depth === path.length - 1;
        for (const watch of this.#watches.get(this.#nameOf(share, path.slice(0, depth))) ?? []) {
          if ((watch.filter & filter) === 0 || !(isParent || watch.isRecursive)) continue;
          if ((watch.filter & unless) !== 0) continue;
          watch.record({ action, name: path.slice(depth).join("\\") });
          touched.add(watch);
        }
      }
    }
    for (const watch of touched) watch.flush();
  }

  /** So much has happened in a share that every watch of it is to look for itself. */
  overflow(share: bigint): void {
    if (!this.#counts.has(share)) return;
    for (const [name, watches] of this.#watches) {
      if (!name.startsWith(`${share}:`)) continue;
      for (const watch of watches) {
        watch.overflow();
        watch.flush();
      }
    }
  }

  /** A directory is gone: whoever watched it is told. */
  removed(share: bigint, path: readonly string[]): void {
    this.removedHere(share, path);
    this.elsewhere?.removed(share, path);
  }

  removedHere(share: bigint, path: readonly string[]): void {
    for (const watch of this.#watches.get(this.#nameOf(share, path)) ?? []) watch.end(STATUS.DELETE_PENDING);
  }
}

export function checkWatchSize(bytes: number): void {
  if (bytes > SMB_LIMITS.transactBytesMax) throw refuse(STATUS.INVALID_PARAMETER);
}
