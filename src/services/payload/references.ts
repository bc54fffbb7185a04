import { assert } from "../../base/assert.ts";
import { DamagedData } from "../../base/faults.ts";
import { type ExtentShape, fileNameOf, type Slice, storedBytes } from "../../extents/format.ts";
import { type Place, sliceKey } from "../../store/keys/payload.ts";
import type { Key, Reader, Writer } from "../../store/kv.ts";
import { type HomeRecord, sliceRecord } from "../../store/records/payload.ts";
import { ExtentLedger } from "./extent-ledger.ts";

/**
 * Reference counts of slices. The identity of a slice is the place it was first written to; records of blobs
 * and files name that place and nothing else, so compaction changes none of them.
 *
 *   home   ("xs", extent, offset) = { length, refs, at? }    where it was written first
 *   guest  ("xs", extent, offset) = { length, home }         where compaction moved it
 *
 * Everything here happens in the caller's transaction, together with the live bytes of the extents.
 */
export class References {
  readonly #owner: string;
  readonly #shape: ExtentShape;

  constructor(owner: string, shape: ExtentShape) {
    this.#owner = owner;
    this.#shape = shape;
  }

  /** Adds the first reference to slices just appended. */
  async keep(write: Writer, slices: readonly Slice[]): Promise<void> {
    if (slices.length === 0) return;
    const ledger = this.#ledger();
    const keys = slices.map(sliceKey);
    for (const [i, stored] of (await write.getMany(keys)).entries()) {
      assert(stored === undefined, "a slice is kept once; later references are shared");
      const { extent, length } = slices[i]!;
      write.put(keys[i]!, sliceRecord.pack({ length, refs: 1 }));
      ledger.add(extent, storedBytes(length, this.#shape));
    }
    await ledger.apply(write);
  }

  /** Adds one reference to each, for a snapshot or a copy. */
  async share(write: Writer, slices: readonly Slice[]): Promise<void> {
    for (const [key, { home, count }] of await readHomes(write, slices)) {
      write.put(key, sliceRecord.pack({ ...home, refs: home.refs + count }));
    }
  }

  /** Removes one reference from each; the last one frees the slice. */
  async drop(write: Writer, slices: readonly Slice[]): Promise<void> {
    const ledger = this.#ledger();
    for (const [key, { home, identity, count }] of await readHomes(write, slices)) {
      const refs = home.refs - count;
      assert(refs >= 0, "a slice is dropped as often as it was kept and shared");
      if (refs > 0) {
        write.put(key, sliceRecord.pack({ ...home, refs }));
        continue;
      }
      write.delete(key);
      if (home.at !== undefined) write.delete(sliceKey(home.at));
      ledger.add((home.at ?? identity).extent, -storedBytes(home.length, this.#shape));
    }
    await ledger.apply(write);
  }

  /**
   * Slices have been copied to new places. It skips those that were dropped or moved since, whose copies are
   * dead. Returns how many now live at their new place.
   */
  async moved(write: Writer, moves: readonly Move[]): Promise<number> {
    const ledger = this.#ledger();
    const stored = await write.getMany(moves.map(({ home }) => sliceKey(home)));
    let count = 0;
    for (const [i, { home, from, to, length }] of moves.entries()) {
      const record = stored[i] && (sliceRecord.unpack(stored[i]) as HomeRecord);
      if (record === undefined || !isSamePlace(record.at ?? home, from)) continue;
      if (record.at !== undefined) write.delete(sliceKey(record.at));
      write.put(sliceKey(home), sliceRecord.pack({ ...record, at: to }));
      write.put(sliceKey(to), sliceRecord.pack({ length, home }));
      ledger.add(from.extent, -storedBytes(length, this.#shape));
      ledger.add(to.extent, storedBytes(length, this.#shape));
      count++;
    }
    await ledger.apply(write);
    return count;
  }

  #ledger(): ExtentLedger {
    return new ExtentLedger(this.#owner, this.#shape);
  }
}

export interface Move {
  readonly home: Place;
  readonly from: Place;
  readonly to: Place;
  readonly length: number;
}

/** Where the bytes of these slices are in this snapshot, in their order. */
export async function locate(read: Reader, slices: readonly Slice[]): Promise<Slice[]> {
  const stored = await read.getMany(slices.map(sliceKey));
  return slices.map((slice, i) => {
    const { at } = homeOf(stored[i], slice);
    return at === undefined ? slice : { extent: at.extent, offset: at.offset, length: slice.length };
  });
}

interface Counted {
  readonly identity: Place;
  readonly home: HomeRecord;
  count: number;
}

/** The home records of these slices, each with the number of times it is listed. */
async function readHomes(read: Reader, slices: readonly Slice[]): Promise<Map<Key, Counted>> {
  // A block list may name one block 50,000 times; it is looked up once.
  const named = new Map<Slice, number>();
  for (const slice of slices) named.set(slice, (named.get(slice) ?? 0) + 1);
  const unique = [...named.keys()];
  const keys = unique.map(sliceKey);
  const stored = await read.getMany(keys);
  const homes = new Map<Key, Counted>();
  for (const [i, slice] of unique.entries()) {
    const count = named.get(slice)!;
    const counted = homes.get(keys[i]!);
    if (counted !== undefined) counted.count += count;
    else homes.set(keys[i]!, { identity: slice, home: homeOf(stored[i], slice), count });
  }
  return homes;
}

function homeOf(stored: Buffer | undefined, { extent, offset, length }: Slice): HomeRecord {
  const record = stored && sliceRecord.unpack(stored);
  if (record === undefined || !("refs" in record) || record.length !== length) {
    throw new DamagedData(
      `a record points to ${fileNameOf(extent)} at offset ${offset}, where no slice of it is`,
    );
  }
  return record;
}

function isSamePlace(a: Place, b: Place): boolean {
  return a.extent === b.extent && a.offset === b.offset;
}
