import { assert } from "../base/assert.ts";
import { type Instant, pause } from "../base/clock.ts";
import { isTransientFault, OutcomeUnknown } from "../base/faults.ts";
import { LIMITS } from "../base/limits.ts";
import { Mapped } from "../base/mapped.ts";
import type { Revision } from "../base/revision.ts";
import { packKey, prefixRange } from "./keys/pack.ts";
import type {
  Entry,
  EphemeralSpace,
  Key,
  KeySpace,
  MaybePromise,
  Range,
  Reader,
  ReadWork,
  SyncReader,
  SyncWriter,
  Writer,
  WriteWork,
} from "./kv.ts";
import { updateFetching, viewFetching } from "./sync-transaction.ts";

/**
 * The ephemeral key space over any key space: each value is stored behind the name of its owner, with an
 * index entry by owner, so that the records of a dead process can be removed.
 *
 *   "r" 00 key            owner 00 value
 *   "o" 00 owner 00 key   (empty)
 */
const RECORD = packKey(["r"]);
const EMPTY = Buffer.alloc(0);

export class OwnedSpace implements EphemeralSpace {
  readonly owner: string;
  readonly #space: KeySpace;

  constructor(space: KeySpace, owner: string) {
    assert(/^[\x21-\x7e]+$/.test(owner), "an owner is a word of printable ASCII");
    this.#space = space;
    this.owner = owner;
  }

  read<T>(work: ReadWork<T>): Promise<T> {
    return this.#space.read((read) => work(new OwnedReader(read)));
  }

  async write<T>(work: WriteWork<T>): Promise<T> {
    let last: OwnedWriter | undefined;
    try {
      return await this.#space.write(async (write) => {
        const owned = new OwnedWriter(write, this.owner);
        last = owned;
        const result = await work(owned);
        await owned.finish();
        return result;
      });
    } catch (error) {
      const created = last?.created ?? [];
      if (error instanceof OutcomeUnknown && created.length > 0) void this.#undoLanded(error.landed, created);
      throw error;
    }
  }

  /**
   * The caller got an error, so it will never close a handle that was created all the same and that would
   * block others until this process ends. Deletions stay, and so do records that others have changed since.
   */
  async #undoLanded(landed: Promise<boolean>, created: readonly Entry[]): Promise<void> {
    if (!(await landed)) return;
    for (;;) {
      try {
        await this.write(async (write) => {
          for (const { key, value } of created) {
            if ((await write.get(key))?.equals(value)) write.delete(key);
          }
        });
        return;
      } catch (error) {
        if (error instanceof OutcomeUnknown) {
          if (await error.landed) return;
        } else if (!isTransientFault(error)) {
          // A closed store has released the records of this process.
          return;
        }
        await pause(LIMITS.databaseRetryMillis);
      }
    }
  }

  async releaseOwner(owner: string): Promise<void> {
    await this.#space.write(async (write) => {
      const prefix = packKey(["o", owner]);
      for await (const { key } of write.range(prefixRange(prefix))) {
        write.delete(key);
        write.delete(RECORD + key.slice(prefix.length));
      }
    });
  }
}

function withoutOwner(stored: Buffer): Buffer {
  return stored.subarray(stored.indexOf(0) + 1);
}

function withoutOwnKey({ key, value }: Entry): Entry {
  return { key: key.slice(RECORD.length), value: withoutOwner(value) };
}

class OwnedReader<Inner extends Reader> implements Reader {
  protected readonly inner: Inner;

  constructor(inner: Inner) {
    this.inner = inner;
  }

  async get(key: Key): Promise<Buffer | undefined> {
    const stored = await this.inner.get(RECORD + key);
    return stored === undefined ? undefined : withoutOwner(stored);
  }

  async getMany(keys: readonly Key[]): Promise<(Buffer | undefined)[]> {
    const stored = await this.inner.getMany(keys.map((key) => RECORD + key));
    return stored.map((bytes) => (bytes === undefined ? undefined : withoutOwner(bytes)));
  }

  range(range: Range): AsyncIterable<Entry> {
    const { from, to, reverse = false, limit = Number.POSITIVE_INFINITY } = range;
    const inner = this.inner.range({ from: RECORD + from, to: RECORD + to, reverse, limit });
    return new Mapped(inner, withoutOwnKey);
  }

  async take(range: Range, count: number): Promise<Entry[]> {
    const inner = { ...range, from: RECORD + range.from, to: RECORD + range.to };
    const found = await this.inner.take(inner, count);
    return found.map(withoutOwnKey);
  }

  now(): Instant {
    return this.inner.now();
  }

  view<T>(decide: (read: SyncReader) => T): Promise<T> {
    return viewFetching(this, decide);
  }
}

class OwnedWriter extends OwnedReader<Writer> implements Writer {
  /** Records that the transaction created, with their final values. */
  readonly created: Entry[] = [];
  readonly #owner: string;
  readonly #formerOwners = new Map<Key, MaybePromise<Buffer | undefined>>();

  constructor(inner: Writer, owner: string) {
    super(inner);
    this.#owner = owner;
  }

  put(key: Key, value: Uint8Array): void {
    this.#noteFormerOwner(key);
    const stored = Buffer.concat([Buffer.from(this.#owner, "latin1"), Buffer.of(0), value]);
    this.inner.put(RECORD + key, stored);
  }

  delete(key: Key): void {
    this.#noteFormerOwner(key);
    this.inner.delete(RECORD + key);
  }

  revision(above?: Revision): Revision {
    return this.inner.revision(above);
  }

  update<T>(decide: (write: SyncWriter) => T): Promise<T> {
    return updateFetching(this, decide);
  }

  /** Reads the former owner before the first change of the record. */
  #noteFormerOwner(key: Key): void {
    if (this.#formerOwners.has(key)) return;
    const reading = this.inner.get(RECORD + key);
    // A transaction that throws never reaches `finish`, and an engine may fail an abandoned read.
    if (reading instanceof Promise) reading.catch(() => {});
    this.#formerOwners.set(key, reading);
  }

  async finish(): Promise<void> {
    for (const [key, reading] of this.#formerOwners) {
      const former = await reading;
      if (former !== undefined) {
        this.inner.delete(packKey(["o", former.latin1Slice(0, former.indexOf(0))]) + key);
      }
      const stored = await this.inner.get(RECORD + key);
      if (stored === undefined) continue;
      this.inner.put(packKey(["o", this.#owner]) + key, EMPTY);
      if (former === undefined) this.created.push({ key, value: withoutOwner(stored) });
    }
  }
}
