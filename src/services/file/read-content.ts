import { assert } from "../../base/assert.ts";
import { StorageFault } from "../../base/faults.ts";
import { KIB } from "../../base/limits.ts";
import { offsetOfRangeKey, rangeKey, rangesOf } from "../../store/keys/file.ts";
import type { Reader } from "../../store/kv.ts";
import { type RangeRecord, rangeRecord } from "../../store/records/file.ts";
import type { OpenPayload, Payloads, Slice } from "../payload/payloads.ts";
import { FILE_LIMITS } from "./limits.ts";
import { isCleared, lengthOf, partOf } from "./range-record.ts";
import type { View } from "./versions.ts";

/**
 * A range of a file, opened in one snapshot of the store. Bytes that were never written read as zeros. Small
 * written ranges are held in memory, larger ones by references to their payload. A range with more small ones
 * than a reader may hold continues in a later snapshot, if the file has not changed since; otherwise the read
 * fails, because it never mixes two states of a file.
 */
export interface OpenContent {
  readonly from: number;
  readonly length: number;
  /** All of it at once, when it is small and lies in records; undefined otherwise. */
  readonly whole: Buffer | undefined;
  stream(): AsyncIterable<Buffer>;
  close(): void;
}

interface Run {
  readonly offset: number;
  length: number;
  readonly bytes?: Buffer;
  /** Where it begins in the opened payload. */
  readonly at?: number;
}

interface Window {
  readonly runs: readonly Run[];
  readonly payload: OpenPayload | undefined;
  /** Where the window ends: the end of the part, or where the next one begins. */
  readonly end: number;
}

export interface ContentRef {
  readonly share: bigint;
  readonly content: bigint;
  readonly from: number;
  readonly to: number;
}

/** The next window, in a snapshot of its own; undefined when the file has changed. */
export type NextWindow = (from: number) => Promise<Window | undefined>;

const WHOLE_BYTES_MAX = 64 * KIB;
const ZEROS = Buffer.alloc(256 * KIB);

/** The written ranges in [from, to), cut to it, in order; with `marks` also those that were cleared. */
export async function* rangesIn(
  view: View,
  { share, content, from, to }: ContentRef,
  marks?: "marks",
): AsyncGenerator<{ readonly offset: number; readonly record: RangeRecord }> {
  if (from >= to) return;
  const reach = Math.max(0, from - FILE_LIMITS.rangeBytesMax);
  const before = from === 0 ? undefined : await view.last(rangesOf(share, content, reach, from));
  if (before !== undefined) {
    const record = rangeRecord.unpack(before.value);
    const offset = offsetOfRangeKey(before.key);
    const end = Math.min(offset + lengthOf(record), to);
    if (end > from && (marks !== undefined || !isCleared(record)))
      yield { offset: from, record: partOf(record, from - offset, end - from) };
  }
  for await (const { key, value } of view.range(rangesOf(share, content, from, to))) {
    const record = rangeRecord.unpack(value);
    if (marks === undefined && isCleared(record)) continue;
    const offset = offsetOfRangeKey(key);
    const end = offset + lengthOf(record);
    yield { offset, record: end <= to ? record : partOf(record, 0, to - offset) };
  }
}

/** Most small files have one range, and a read at its start is cheaper than a search. */
async function onlyRange(
  view: View,
  { share, content, from, to }: ContentRef,
): Promise<RangeRecord | undefined> {
  if (from !== 0 || to === 0) return undefined;
  const stored = await view.get(rangeKey(share, content, 0));
  if (stored === undefined) return undefined;
  const record = rangeRecord.unpack(stored);
  const length = lengthOf(record);
  if (length < to) return undefined;
  return length === to ? record : partOf(record, 0, to);
}

export async function openWindow(
  read: Reader,
  view: View,
  payloads: Payloads,
  ref: ContentRef,
): Promise<Window> {
  const only = await onlyRange(view, ref);
  if (only !== undefined && "inline" in only) {
    const run = { offset: 0, length: only.inline.length, bytes: only.inline };
    return { runs: [run], payload: undefined, end: ref.to };
  }
  const runs: Run[] = [];
  const slices: Slice[] = [];
  let payloadBytes = 0;
  let inlineBytes = 0;
  let count = 0;
  let end = ref.to;
  for await (const { offset, record } of rangesIn(view, ref)) {
    if (inlineBytes >= FILE_LIMITS.readerInlineBytesMax || count >= FILE_LIMITS.readerRangesPerStep) {
      end = offset;
      break;
    }
    count++;
    if ("inline" in record) {
      runs.push({ offset, length: record.inline.length, bytes: record.inline });
      inlineBytes += record.inline.length;
      continue;
    }
    const at = payloadBytes + record.skip;
    const last = runs.at(-1);
    const isContinued =
      last?.at !== undefined && last.offset + last.length === offset && last.at + last.length === at;
    if (isContinued) last.length += record.length;
    else runs.push({ offset, length: record.length, at });
    for (const slice of record.slices) {
      slices.push(slice);
      payloadBytes += slice.length;
    }
  }
  const payload = slices.length === 0 ? undefined : await payloads.open(read, slices);
  return { runs, payload, end };
}

export class FileContent implements OpenContent {
  readonly from: number;
  readonly length: number;
  readonly whole: Buffer | undefined;
  readonly #to: number;
  readonly #next: NextWindow;
  #window: Window | undefined;

  constructor({ from, to }: { from: number; to: number }, first: Window, next: NextWindow) {
    this.from = from;
    this.length = to - from;
    this.#to = to;
    this.#window = first;
    this.#next = next;
    this.whole = wholeOf(first, from, to);
  }

  async *stream(): AsyncGenerator<Buffer> {
    let at = this.from;
    while (at < this.#to) {
      const window = this.#window;
      if (window === undefined) throw new StorageFault("the file was changed while it was read");
      assert(window.end > at, "a window of a file moves on");
      yield* gathered(streamWindow(window, at));
      at = window.end;
      window.payload?.close();
      this.#window = at < this.#to ? await this.#next(at) : undefined;
    }
  }

  close(): void {
    this.#window?.payload?.close();
    this.#window = undefined;
  }
}

/** A small part without payload in extents needs no stream. */
export function wholeOf({ runs, payload, end }: Window, from: number, to: number): Buffer | undefined {
  if (payload !== undefined || end < to || to - from > WHOLE_BYTES_MAX) return undefined;
  const only = runs[0];
  if (only?.bytes !== undefined && only.length === to - from) return only.bytes;
  const bytes = Buffer.alloc(to - from);
  for (const run of runs) bytes.set(run.bytes!, run.offset - from);
  return bytes;
}

export async function* streamWindow({ runs, payload, end }: Window, from: number): AsyncGenerator<Buffer> {
  let at = from;
  for (const run of runs) {
    yield* zeros(run.offset - at);
    if (run.bytes !== undefined) yield run.bytes;
    else yield* payload!.stream(run.at!, run.length);
    at = run.offset + run.length;
  }
  yield* zeros(end - at);
}

const GATHERED_BYTES = 64 * KIB;

/** Joins small chunks: a file of many small ranges would otherwise be sent a few bytes at a time. */
async function* gathered(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let small: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    if (bytes + chunk.length < GATHERED_BYTES) {
      small.push(chunk);
      bytes += chunk.length;
      continue;
    }
    if (bytes > 0) yield small.length === 1 ? small[0]! : Buffer.concat(small, bytes);
    small = [];
    bytes = 0;
    yield chunk;
  }
  if (bytes > 0) yield small.length === 1 ? small[0]! : Buffer.concat(small, bytes);
}

function* zeros(length: number): Generator<Buffer> {
  for (let left = length; left > 0; left -= ZEROS.length) {
    yield left >= ZEROS.length ? ZEROS : ZEROS.subarray(0, left);
  }
}
