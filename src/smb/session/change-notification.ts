import { SMB_LIMITS } from "../limits.ts";
import { encodeNotifyRecords, type NotifyRecord, notifyRecordBytes } from "../wire/directory.ts";
import { STATUS } from "../wire/status.ts";

/**
 * Change notification. A watch belongs to an open directory; its first request sets the filter. Changes
 * between two requests are recorded up to a limit; beyond it the reply is NOTIFY_ENUM_DIR, and the client
 * lists the directory. Only changes by SMB clients are recorded: REST calls do not notify, as on Azure.
 */
export class Watch {
  readonly path: readonly string[];
  readonly filter: number;
  readonly isRecursive: boolean;
  #records: NotifyRecord[] = [];
  #bytes = 0;
  #hasOverflowed = false;
  readonly #waiting = new Set<{
    readonly bytesMax: number;
    readonly resolve: (result: WatchResult) => void;
  }>();

  /** Of the first request's buffer; like the filter, it holds for later requests. */
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

  /** The next reply is NOTIFY_ENUM_DIR. */
  overflow(): void {
    this.#hasOverflowed = true;
    this.#records = [];
    this.#bytes = 0;
  }

  /** Answers the oldest waiting request, if something was recorded. */
  flush(): void {
    const [oldest] = this.#waiting;
    const result = oldest && this.drain(oldest.bytesMax);
    if (result === undefined) return;
    this.#waiting.delete(oldest!);
    oldest!.resolve(result);
  }

  /** Returns and clears the records; undefined if there are none. */
  drain(bytesMax: number): WatchResult | undefined {
    if (this.#records.length === 0 && !this.#hasOverflowed) return undefined;
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
    let cancel = (): void => {};
    const result = new Promise<WatchResult>((resolve) => {
      const entry = { bytesMax, resolve };
      this.#waiting.add(entry);
      cancel = () => void this.#waiting.delete(entry);
    });
    return { result, cancel };
  }

  /** Ends every waiting request: the directory was closed or removed. */
  end(status: number): void {
    for (const { resolve } of this.#waiting) resolve({ status, data: Buffer.alloc(0) });
    this.#waiting.clear();
  }
}

export interface ChangeEvent {
  readonly path: readonly string[];
  readonly action: number;
  readonly filter: number;
  /** A watch with one of these in its filter gets another event for the same change. */
  readonly unless?: number;
}

export interface WatchResult {
  readonly status: number;
  readonly data: Buffer;
}

const fold = (path: readonly string[]): string => path.join("\\").toUpperCase();

/** Notifies the clients of other processes. */
interface RemoteWatches {
  /** A client of this process watches the share. */
  watched(share: bigint): void;
  notify(share: bigint, events: readonly ChangeEvent[]): void;
  removed(share: bigint, path: readonly string[]): void;
}

/** The watches of all shares by directory: an event looks only at the directories above it. */
export class ChangeHub {
  readonly #watches = new Map<string, Set<Watch>>();
  readonly #counts = new Map<bigint, number>();
  remote: RemoteWatches | undefined;

  #nameOf(share: bigint, path: readonly string[]): string {
    return `${share}:${fold(path)}`;
  }

  add(share: bigint, watch: Watch): void {
    const name = this.#nameOf(share, watch.path);
    const found = this.#watches.get(name);
    if (found === undefined) this.#watches.set(name, new Set([watch]));
    else found.add(watch);
    this.#counts.set(share, (this.#counts.get(share) ?? 0) + 1);
    this.remote?.watched(share);
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

  /** Events of one operation belong into one reply, so they come together. */
  notify(share: bigint, events: readonly ChangeEvent[]): void {
    this.notifyLocal(share, events);
    this.remote?.notify(share, events);
  }

  /** The same for changes by clients of another process. */
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

  /** Overflows every watch of a share. */
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

  /** Ends the watches of a removed directory. */
  removed(share: bigint, path: readonly string[]): void {
    this.removedLocal(share, path);
    this.remote?.removed(share, path);
  }

  removedLocal(share: bigint, path: readonly string[]): void {
    for (const watch of this.#watches.get(this.#nameOf(share, path)) ?? []) watch.end(STATUS.DELETE_PENDING);
  }
}
