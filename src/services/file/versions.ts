import { Mapped } from "../../base/mapped.ts";
import type { Revision } from "../../base/revision.ts";
import {
  epochIndexKey,
  readVersionKey,
  versionKey,
  versionsFrom,
  versionsOfRange,
} from "../../store/keys/file.ts";
import type { Entry, Key, MaybePromise, Range, Reader, Writer } from "../../store/kv.ts";
import { SINCE_BYTES } from "../../store/records/file-contents.ts";

/**
 * How a share snapshot costs nothing when it is taken.
 *
 * Taking one writes down a moment, its *epoch*: a revision. Nothing is copied. Each record of the contents (entries
 * of directories, nodes, extended attributes, ranges) starts with the revision at which it was written, its *since*. When a record is
 * about to change or go, and the newest snapshot was taken after it was written, then that snapshot still sees it:
 * the old bytes move to a version key first.
 *
 *   ("fr", share, content, 0)                       since 120   as the share has it now
 *   ("fv", ("fr", share, content, 0), 110)          since 40    as snapshots from 40 to 110 see it
 *   ("fw", share, 110, ("fr", ...))                             an index: what was kept for epoch 110
 *
 * Reading at epoch s takes the first version kept at an epoch >= s, or else the live record; either counts only
 * when its since is <= s, for otherwise the record was not there yet. No later version can be meant: had the
 * record changed between s and that version's epoch, the change would have kept a version in between. A record
 * that appears needs no mark for the snapshots before it, because its since says so.
 *
 * Deleting a snapshot hands each version kept for it to the snapshot before, if that one sees it; otherwise it
 * goes. That is done in the background, record by record (see reclaim.ts), and a
 * reader may come at any moment of it: a version that has not been handed down yet is still found as the first one
 * at an epoch >= s.
 *
 * Payload is shared by references: a version takes over the reference of the record it was, so keeping one moves
 * bytes in the store only when they lie in the record itself.
 */
const EMPTY = Buffer.alloc(0);

/** What of a share a change must know. */
export interface Volume {
  readonly id: bigint;
  /** The newest snapshot; 0 when there is none. */
  readonly epoch: Revision;
}

/** A stored record with its since taken off. */
export function bodyOf(stored: Buffer): Buffer {
  return stored.subarray(SINCE_BYTES);
}

export function sinceOf(stored: Buffer): Revision {
  return stored.readBigUInt64BE(0);
}

/** Writes a record, packed with its since. `stored` is what lies there now, as it was read in this transaction. */
export function putVersioned(
  write: Writer,
  volume: Volume,
  change: { readonly key: Key; readonly packed: Buffer; readonly stored?: Buffer | undefined },
): "kept" | "replaced" {
  const { key, packed, stored } = change;
  const outcome = stored === undefined ? "replaced" : keepVersion(write, volume, key, stored);
  write.put(key, packed);
  return outcome;
}

/** "kept": a snapshot still sees the record, and its payload with it. */
export function deleteVersioned(
  write: Writer,
  volume: Volume,
  key: Key,
  stored: Buffer,
): "kept" | "replaced" {
  const outcome = keepVersion(write, volume, key, stored);
  write.delete(key);
  return outcome;
}

function keepVersion(write: Writer, volume: Volume, key: Key, stored: Buffer): "kept" | "replaced" {
  if (sinceOf(stored) > volume.epoch) return "replaced";
  write.put(versionKey(key, volume.epoch), stored);
  write.put(epochIndexKey(volume.id, volume.epoch, key), EMPTY);
  return "kept";
}

/** The contents of a share, as they are now or as a snapshot sees them. Values come without their since. */
export interface View {
  get(key: Key): MaybePromise<Buffer | undefined>;
  getMany(keys: readonly Key[]): Promise<(Buffer | undefined)[]>;
  range(range: Range): AsyncIterable<Entry>;
  /** The last entry of a range that holds few: a snapshot has to look at all of them. */
  last(range: Range): Promise<Entry | undefined>;
}

const ownBody = (stored: Buffer | undefined): Buffer | undefined =>
  stored === undefined ? undefined : bodyOf(stored);

export class LiveView implements View {
  readonly #read: Reader;

  constructor(read: Reader) {
    this.#read = read;
  }

  get(key: Key): MaybePromise<Buffer | undefined> {
    const stored = this.#read.get(key);
    return stored instanceof Promise ? stored.then(ownBody) : ownBody(stored);
  }

  async getMany(keys: readonly Key[]): Promise<(Buffer | undefined)[]> {
    const stored = await this.#read.getMany(keys);
    return stored.map(ownBody);
  }

  range(range: Range): AsyncIterable<Entry> {
    return new Mapped(this.#read.range(range), ({ key, value }) => ({ key, value: bodyOf(value) }));
  }

  async last({ from, to }: Range): Promise<Entry | undefined> {
    const [last] = await this.#read.take({ from, to, reverse: true }, 1);
    return last && { key: last.key, value: bodyOf(last.value) };
  }
}

export class SnapshotView implements View {
  readonly #read: Reader;
  readonly #epoch: Revision;

  constructor(read: Reader, epoch: Revision) {
    this.#read = read;
    this.#epoch = epoch;
  }

  async get(key: Key): Promise<Buffer | undefined> {
    const [version] = await this.#read.take(versionsFrom(key, this.#epoch), 1);
    if (version !== undefined) return this.#seen(version.value);
    const live = await this.#read.get(key);
    return live === undefined ? undefined : this.#seen(live);
  }

  async getMany(keys: readonly Key[]): Promise<(Buffer | undefined)[]> {
    const found: (Buffer | undefined)[] = [];
    for (const key of keys) found.push(await this.get(key));
    return found;
  }

  #seen(stored: Buffer): Buffer | undefined {
    return sinceOf(stored) <= this.#epoch ? bodyOf(stored) : undefined;
  }

  /** Live records and versions side by side, both in the order of keys; a version hides the live record. */
  async *range({ limit = Number.POSITIVE_INFINITY, ...range }: Range): AsyncGenerator<Entry> {
    const live = this.#read.range(range)[Symbol.asyncIterator]();
    const versions = this.#versions(range)[Symbol.asyncIterator]();
    try {
      let left = await live.next();
      let right = await versions.next();
      for (let count = 0; count < limit && !(left.done && right.done); ) {
        const isVersion = left.done || (!right.done && right.value.key <= left.value.key);
        const { key, value } = isVersion ? (right.value as Entry) : (left.value as Entry);
        if (isVersion) right = await versions.next();
        if (!left.done && left.value.key === key) left = await live.next();
        const body = this.#seen(value);
        if (body === undefined) continue;
        count++;
        yield { key, value: body };
      }
    } finally {
      await live.return?.(undefined);
      await versions.return?.(undefined);
    }
  }

  /** Of each record in the range the first version at our epoch or later. */
  async *#versions(range: Range): AsyncGenerator<Entry> {
    let done: Key | undefined;
    for await (const { key: stored, value } of this.#read.range(versionsOfRange(range))) {
      const { key, epoch } = readVersionKey(stored);
      if (key === done || epoch < this.#epoch) continue;
      done = key;
      yield { key, value };
    }
  }

  async last(range: Range): Promise<Entry | undefined> {
    let last: Entry | undefined;
    for await (const entry of this.range(range)) last = entry;
    return last;
  }
}
