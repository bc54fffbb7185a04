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
import type { ShareRecord } from "../../store/records/file.ts";
import { SINCE_BYTES } from "../../store/records/file-contents.ts";

/**
 * How share snapshots work: copy on write, record by record.
 *
 * Taking a snapshot stores its *epoch*, which is a revision, and copies nothing. Each record of the contents
 * (directory entries, inodes, extended attributes, ranges) starts with the revision that wrote it, its
 * *since*. A change moves the old record to a version key when the newest snapshot was taken after the record
 * was written, because that snapshot still sees it.
 *
 *   ("fr", share, content, 0)                       since 120   the live record
 *   ("fv", ("fr", share, content, 0), 110)          since 40    what snapshots from 40 to 110 see
 *   ("fw", share, 110, ("fr", ...))                             index of the versions kept for epoch 110
 *
 * A read at epoch s uses the first version kept at an epoch >= s, or else the live record. Either counts only
 * when its since is <= s; otherwise the record did not exist yet. No later version can be the right one: a
 * change between s and that version's epoch would have kept a version in between. So a new record needs no
 * mark for earlier snapshots.
 *
 * Deleting a snapshot moves each version kept for it to the snapshot before, if that one sees it, and deletes
 * the version otherwise. A background job does this record by record (reclaim.ts). Readers may run at any
 * time: they still find a version that has not moved yet as the first one at an epoch >= s.
 *
 * A version takes over the payload references of its record, so keeping one copies only inline bytes.
 */
const EMPTY = Buffer.alloc(0);

/** A share with the epoch of its newest snapshot, if it has one. */
export type Volume = Pick<ShareRecord, "id" | "epoch">;

/** A stored record without its since. */
export function bodyOf(stored: Buffer): Buffer {
  return stored.subarray(SINCE_BYTES);
}

export function sinceOf(stored: Buffer): Revision {
  return stored.readBigUInt64BE(0);
}

/** Whether a snapshot still sees the former record ("kept"), and its payload with it. */
export type Outcome = "kept" | "replaced";

/** Writes a record, packed with its since. `stored` is the present record as this transaction read it. */
export function putVersioned(
  write: Writer,
  volume: Volume,
  change: { readonly key: Key; readonly packed: Buffer; readonly stored?: Buffer | undefined },
): Outcome {
  const { key, packed, stored } = change;
  const outcome = stored === undefined ? "replaced" : keepVersion(write, volume, key, stored);
  write.put(key, packed);
  return outcome;
}

/** The same, reading the present record first when there is one that a snapshot may see. */
export function replaceVersioned(
  write: Writer,
  volume: Volume,
  { key, packed, isNew }: { readonly key: Key; readonly packed: Buffer; readonly isNew: boolean },
): MaybePromise<void> {
  const stored = isNew || volume.epoch === undefined ? undefined : write.get(key);
  if (stored instanceof Promise)
    return stored.then((read) => void putVersioned(write, volume, { key, packed, stored: read }));
  putVersioned(write, volume, { key, packed, stored });
}

export function deleteVersioned(write: Writer, volume: Volume, key: Key, stored: Buffer): Outcome {
  const outcome = keepVersion(write, volume, key, stored);
  write.delete(key);
  return outcome;
}

/** Deletes the record of a key, if there is one. */
export async function removeVersioned(write: Writer, volume: Volume, key: Key): Promise<void> {
  const stored = await write.get(key);
  if (stored !== undefined) deleteVersioned(write, volume, key, stored);
}

function keepVersion(write: Writer, { id, epoch = 0n }: Volume, key: Key, stored: Buffer): Outcome {
  if (sinceOf(stored) > epoch) return "replaced";
  write.put(versionKey(key, epoch), stored);
  write.put(epochIndexKey(id, epoch, key), EMPTY);
  return "kept";
}

/** The contents of a share, live or as a snapshot sees them. Values come without their since. */
export interface View {
  get(key: Key): MaybePromise<Buffer | undefined>;
  getMany(keys: readonly Key[]): Promise<(Buffer | undefined)[]>;
  range(range: Range): AsyncIterable<Entry>;
  /** The last entry of a range. A snapshot reads the whole range for it, so use it on short ranges only. */
  last(range: Range): Promise<Entry | undefined>;
}

const optionalBody = (stored: Buffer | undefined): Buffer | undefined => stored && bodyOf(stored);

export class LiveView implements View {
  readonly #read: Reader;

  constructor(read: Reader) {
    this.#read = read;
  }

  get(key: Key): MaybePromise<Buffer | undefined> {
    const stored = this.#read.get(key);
    return stored instanceof Promise ? stored.then(optionalBody) : optionalBody(stored);
  }

  async getMany(keys: readonly Key[]): Promise<(Buffer | undefined)[]> {
    const stored = await this.#read.getMany(keys);
    return stored.map(optionalBody);
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
    if (version !== undefined) return this.#visible(version.value);
    const live = await this.#read.get(key);
    return live && this.#visible(live);
  }

  async getMany(keys: readonly Key[]): Promise<(Buffer | undefined)[]> {
    const found: (Buffer | undefined)[] = [];
    for (const key of keys) found.push(await this.get(key));
    return found;
  }

  #visible(stored: Buffer): Buffer | undefined {
    return sinceOf(stored) <= this.#epoch ? bodyOf(stored) : undefined;
  }

  /** Merges live records and versions in key order. A version hides the live record of its key. */
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
        const body = this.#visible(value);
        if (body === undefined) continue;
        count++;
        yield { key, value: body };
      }
    } finally {
      await live.return?.(undefined);
      await versions.return?.(undefined);
    }
  }

  /** For each record of the range, its first version at our epoch or later. */
  async *#versions(range: Range): AsyncGenerator<Entry> {
    let yielded: Key | undefined;
    for await (const { key: stored, value } of this.#read.range(versionsOfRange(range))) {
      const { key, epoch } = readVersionKey(stored);
      if (key === yielded || epoch < this.#epoch) continue;
      yielded = key;
      yield { key, value };
    }
  }

  async last(range: Range): Promise<Entry | undefined> {
    let last: Entry | undefined;
    for await (const entry of this.range(range)) last = entry;
    return last;
  }
}
