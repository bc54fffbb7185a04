import type { Reader } from "../../store/kv.ts";
import type { StoredSlice } from "../../store/records/blob.ts";
import type { OpenPayload, Payloads, SliceRange } from "../payload/payloads.ts";
import { BLOB_LIMITS } from "./limits.ts";
import { type PageContent, segmentsIn } from "./page-content.ts";
import { clip, cut } from "./page-map.ts";

const ZEROS = Buffer.alloc(BLOB_LIMITS.zeroBytes);

/** A stretch of the blob that is one stretch of an opened payload. */
interface Stretch {
  readonly start: number;
  length: number;
  readonly group: Group;
  /** Where it begins in the slices of its group, laid end to end. */
  readonly at: number;
}

interface Group {
  readonly slices: StoredSlice[];
  length: number;
  payload?: OpenPayload;
}

/**
 * Opens pages for reading: written ranges from their slices, zeros between them. Slices are opened some at a
 * time; ranges whose bytes follow each other there, as those of a blob written from end to end do, are read
 * as one.
 */
export async function openPages(
  payloads: Payloads,
  read: Reader,
  { content, length }: { readonly content: PageContent; readonly length: number },
  range: SliceRange,
): Promise<OpenPayload> {
  const stretches = await stretchesOf(read, content, range);
  const groups = [...new Set(stretches.map(({ group }) => group))];
  for (const group of groups) group.payload = await payloads.open(read, group.slices);
  return {
    length,
    stream: (from, wanted) => streamPages(stretches, from, from + wanted),
    close: () => {
      for (const { payload } of groups) payload?.close();
    },
  };
}

async function stretchesOf(read: Reader, content: PageContent, range: SliceRange): Promise<Stretch[]> {
  const bounds = { start: range.from, length: range.length };
  const stretches: Stretch[] = [];
  let group: Group = { slices: [], length: 0 };
  for await (const { ranges } of segmentsIn(read, content, bounds)) {
    for (const whole of ranges) {
      const part = clip(whole, bounds);
      if (part === undefined) continue;
      const { start, length, from, slice } = cut(whole, part.start, part.start + part.length);
      if (group.slices.length >= BLOB_LIMITS.pageSlicesPerOpen) group = { slices: [], length: 0 };
      const at = group.length + from;
      group.slices.push(slice);
      group.length += slice.length;
      const last = stretches.at(-1);
      const continues =
        last?.group === group && last.start + last.length === start && last.at + last.length === at;
      if (continues) last.length += length;
      else stretches.push({ start, length, group, at });
    }
  }
  return stretches;
}

async function* streamPages(stretches: readonly Stretch[], from: number, to: number): AsyncGenerator<Buffer> {
  let at = from;
  for (const { start, length, group, at: place } of stretches) {
    const low = Math.max(from, start);
    const high = Math.min(to, start + length);
    if (low >= high) continue;
    yield* zeros(low - at);
    yield* group.payload!.stream(place + (low - start), high - low);
    at = high;
  }
  yield* zeros(to - at);
}

function* zeros(count: number): Generator<Buffer> {
  for (let left = count; left > 0; left -= ZEROS.length)
    yield ZEROS.subarray(0, Math.min(left, ZEROS.length));
}
