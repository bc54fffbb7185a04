import { assert } from "../../base/assert.ts";
import { LIMITS } from "../../base/limits.ts";
import type { ExtentFiles, Reading } from "../../extents/extent-files.ts";
import type { Slice } from "../../extents/format.ts";
import type { SliceRange } from "../../extents/read-slice.ts";
import type { OwnedChunk } from "../../memory/pooled-buffer.ts";

/**
 * Payload opened inside a snapshot. Until `close` it can be streamed to the end, even if it is deleted or
 * compacted meanwhile. The caller must close it, because it keeps files from being removed.
 */
export interface OpenPayload {
  readonly length: number;
  /** Yields only bytes that match their checksum. Throws `DamagedData`. */
  stream(from: number, length: number): AsyncIterable<OwnedChunk>;
  close(): void;
}

/** Payload inside a record. */
export function inlinePayload(bytes: Buffer): OpenPayload {
  return {
    length: bytes.length,
    async *stream(from, length) {
      assert(from >= 0 && from + length <= bytes.length, "a range must lie inside its payload");
      if (length > 0) yield bytes.subarray(from, from + length);
    },
    close() {},
  };
}

/** The current place of a slice, and the offset of its data in the payload. */
export interface LocatedSlice {
  readonly slice: Slice;
  readonly start: number;
}

export class SlicedPayload implements OpenPayload {
  readonly length: number;
  readonly #files: ExtentFiles;
  readonly #located: readonly LocatedSlice[];
  readonly #unpin: () => void;

  constructor(options: {
    readonly length: number;
    readonly files: ExtentFiles;
    readonly located: readonly LocatedSlice[];
    readonly unpin: () => void;
  }) {
    this.length = options.length;
    this.#files = options.files;
    this.#located = options.located;
    this.#unpin = options.unpin;
  }

  async *stream(from: number, length: number): AsyncGenerator<OwnedChunk> {
    const parts = partsOf(this.#located, { from, length });
    if (parts.length === 1 && length <= LIMITS.extentReadBytes) {
      yield await this.#files.load(parts[0]!.slice, parts[0]!.range);
      return;
    }
    const extents = new Set(parts.map(({ slice }) => slice.extent));
    // The pins keep the files. Open descriptors serve a process that was suspended so long that it was
    // considered dead and its pins were dropped.
    const reading = await this.#files.openForRead([...extents].slice(0, LIMITS.extentsPinnedPerReader));
    try {
      yield* readParts(reading, parts);
    } finally {
      reading.release();
    }
  }

  close(): void {
    this.#unpin();
  }
}

interface Part {
  readonly slice: Slice;
  readonly range: SliceRange;
}

function partsOf(located: readonly LocatedSlice[], { from, length }: SliceRange): Part[] {
  const parts: Part[] = [];
  let covered = 0;
  for (const { slice, start } of located) {
    const low = Math.max(from, start);
    const high = Math.min(from + length, start + slice.length);
    if (low >= high) continue;
    parts.push({ slice, range: { from: low - start, length: high - low } });
    covered += high - low;
  }
  assert(covered === length, "a range must lie inside what was opened");
  return parts;
}

/** Streams the parts in order; the first read of the next part runs while this one is consumed. */
async function* readParts(reading: Reading, parts: readonly Part[]): AsyncGenerator<OwnedChunk> {
  let next = begin(reading, parts[0]);
  try {
    for (let i = 0; next !== undefined; i++) {
      const { iterator, first } = next;
      next = begin(reading, parts[i + 1]);
      try {
        for (let step = await first; !step.done; step = await iterator.next()) yield step.value;
      } finally {
        await iterator.return(undefined);
      }
    }
  } finally {
    await next?.iterator.return(undefined);
  }
}

interface Begun {
  readonly iterator: AsyncGenerator<OwnedChunk>;
  readonly first: Promise<IteratorResult<OwnedChunk>>;
}

function begin(reading: Reading, part: Part | undefined): Begun | undefined {
  if (part === undefined) return undefined;
  const iterator = reading.read(part.slice, part.range);
  const first = iterator.next();
  // The error is thrown when this part is awaited.
  first.catch(() => {});
  return { iterator, first };
}
