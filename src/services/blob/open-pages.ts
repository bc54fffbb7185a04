import type { Reader } from "../../store/kv.ts";
import type { StoredSlice } from "../../store/records/blob.ts";
import type { OpenPayload, Payloads, SliceRange } from "../payload/payloads.ts";
import { BLOB_LIMITS } from "./limits.ts";
import { type PageContent, segmentsIn } from "./page-content.ts";
import { clip, cut } from "./page-map.ts";

const ZEROS = Buffer.alloc(BLOB_LIMITS.zeroBytes);

/** Consecutive bytes of the blob that are also consecutive in an opened group of slices. */
interface Run {
  readonly start: number;
  length: number;
  readonly group: SliceGroup;
  /** Its offset in the concatenated slices of the group. */
  readonly at: number;
}

interface SliceGroup {
  readonly slices: StoredSlice[];
  length: number;
  payload?: OpenPayload;
}

/**
 * Opens pages for reading: written ranges from their slices, zeros between them. Slices are opened in groups.
 * Ranges whose bytes are consecutive there, as in a blob written from start to end, are read together.
 */
export async function openPages(
  payloads: Payloads,
  read: Reader,
  { content, length }: { readonly content: PageContent; readonly length: number },
  range: SliceRange,
): Promise<OpenPayload> {
  const runs = await runsIn(read, content, range);
  const groups = [...new Set(runs.map(({ group }) => group))];
  for (const group of groups) group.payload = await payloads.open(read, group.slices);
  return {
    length,
    stream: (from, count) => streamPages(runs, from, from + count),
    close: () => {
      for (const { payload } of groups) payload?.close();
    },
  };
}

async function runsIn(read: Reader, content: PageContent, range: SliceRange): Promise<Run[]> {
  const bounds = { start: range.from, length: range.length };
  const runs: Run[] = [];
  let group: SliceGroup = { slices: [], length: 0 };
  for await (const { ranges } of segmentsIn(read, content, bounds)) {
    for (const whole of ranges) {
      const span = clip(whole, bounds);
      if (span === undefined) continue;
      const { start, length, from, slice } = cut(whole, span.start, span.start + span.length);
      if (group.slices.length >= BLOB_LIMITS.pageSlicesPerOpen) group = { slices: [], length: 0 };
      const at = group.length + from;
      group.slices.push(slice);
      group.length += slice.length;
      const last = runs.at(-1);
      const continues =
        last?.group === group && last.start + last.length === start && last.at + last.length === at;
      if (continues) last.length += length;
      else runs.push({ start, length, group, at });
    }
  }
  return runs;
}

async function* streamPages(runs: readonly Run[], from: number, to: number): AsyncGenerator<Buffer> {
  let position = from;
  for (const { start, length, group, at } of runs) {
    const low = Math.max(from, start);
    const high = Math.min(to, start + length);
    if (low >= high) continue;
    yield* zeros(low - position);
    yield* group.payload!.stream(at + (low - start), high - low);
    position = high;
  }
  yield* zeros(to - position);
}

function* zeros(count: number): Generator<Buffer> {
  for (let rest = count; rest > 0; rest -= ZEROS.length)
    yield ZEROS.subarray(0, Math.min(rest, ZEROS.length));
}
