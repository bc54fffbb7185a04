import type { Entry, Key, Range } from "../kv.ts";
import type { Snapshot } from "../overlay.ts";

/**
 * An ordered map with cheap snapshots: keys lie in sorted chunks, a snapshot shares all chunks, and a write
 * copies the chunk it changes if a snapshot may use it.
 */
interface Chunk {
  readonly epoch: number;
  readonly keys: Key[];
  readonly values: Buffer[];
}

const CHUNK_ENTRIES_MAX = 256;

export class OrderedMap {
  #chunks: Chunk[] = [];
  #epoch = 0;
  #isShared = false;
  size = 0;

  snapshot(): Snapshot {
    this.#isShared = true;
    return new ChunkSnapshot(this.#chunks);
  }

  set(key: Key, value: Buffer): void {
    this.#unshare();
    if (this.#chunks.length === 0) this.#chunks.push({ epoch: this.#epoch, keys: [], values: [] });
    const at = chunkIndexOf(this.#chunks, key);
    const chunk = this.#ownChunk(at);
    const index = indexIn(chunk.keys, key);
    if (chunk.keys[index] === key) {
      chunk.values[index] = value;
      return;
    }
    chunk.keys.splice(index, 0, key);
    chunk.values.splice(index, 0, value);
    this.size++;
    if (chunk.keys.length > CHUNK_ENTRIES_MAX) this.#split(at, chunk);
  }

  delete(key: Key): void {
    if (this.#chunks.length === 0) return;
    const at = chunkIndexOf(this.#chunks, key);
    const index = indexIn(this.#chunks[at]!.keys, key);
    if (this.#chunks[at]!.keys[index] !== key) return;
    this.#unshare();
    const chunk = this.#ownChunk(at);
    chunk.keys.splice(index, 1);
    chunk.values.splice(index, 1);
    this.size--;
    if (chunk.keys.length === 0) this.#chunks.splice(at, 1);
  }

  #unshare(): void {
    if (!this.#isShared) return;
    this.#isShared = false;
    this.#epoch++;
    this.#chunks = this.#chunks.slice();
  }

  #ownChunk(at: number): Chunk {
    const chunk = this.#chunks[at]!;
    if (chunk.epoch === this.#epoch) return chunk;
    const own = { epoch: this.#epoch, keys: chunk.keys.slice(), values: chunk.values.slice() };
    this.#chunks[at] = own;
    return own;
  }

  #split(at: number, chunk: Chunk): void {
    const half = chunk.keys.length >>> 1;
    const upper = { epoch: this.#epoch, keys: chunk.keys.splice(half), values: chunk.values.splice(half) };
    this.#chunks.splice(at + 1, 0, upper);
  }
}

class ChunkSnapshot implements Snapshot {
  readonly #chunks: readonly Chunk[];

  constructor(chunks: readonly Chunk[]) {
    this.#chunks = chunks;
  }

  get(key: Key): Buffer | undefined {
    if (this.#chunks.length === 0) return undefined;
    const { keys, values } = this.#chunks[chunkIndexOf(this.#chunks, key)]!;
    const index = indexIn(keys, key);
    return keys[index] === key ? Buffer.from(values[index]!) : undefined;
  }

  page({ from, to, reverse = false }: Range, limit: number): Entry[] {
    const found: Entry[] = [];
    if (this.#chunks.length === 0 || from >= to) return found;
    const start = reverse ? to : from;
    let at = chunkIndexOf(this.#chunks, start);
    let index = indexIn(this.#chunks[at]!.keys, start);
    if (reverse) index--;
    while (found.length < limit) {
      const chunk = this.#chunks[at];
      if (chunk === undefined) break;
      const key = chunk.keys[index];
      if (key === undefined) {
        at += reverse ? -1 : 1;
        index = reverse ? (this.#chunks[at]?.keys.length ?? 0) - 1 : 0;
        continue;
      }
      if (reverse ? key < from : key >= to) break;
      found.push({ key, value: Buffer.from(chunk.values[index]!) });
      index += reverse ? -1 : 1;
    }
    return found;
  }
}

/** The chunk that holds `key`, or would. */
function chunkIndexOf(chunks: readonly Chunk[], key: Key): number {
  let low = 0;
  let high = chunks.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (chunks[middle]!.keys[0]! <= key) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Index of the first key at or above `key`. */
function indexIn(keys: readonly Key[], key: Key): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (keys[middle]! < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
