import { collect } from "../../base/bytes.ts";
import { ALL_FRAGMENTED_SEGMENTS, segmentKey } from "../../store/keys/blob.ts";
import {
  type FragmentedSegment,
  fragmentedSegmentRecord,
  type PageRangeEntry,
  segmentRecord,
} from "../../store/records/blob.ts";
import type { Appended, OpenPayload } from "../payload/payloads.ts";
import type { BackgroundJob } from "../reclaim/background-jobs.ts";
import type { BlobContext } from "./context.ts";
import { BLOB_LIMITS } from "./limits.ts";

/**
 * Rewrites segments that many small writes have fragmented: adjacent ranges become one slice, and overwritten
 * bytes are released. The map stays small, and reads of it stay long.
 */
export function defragmentPages(blobs: BlobContext): BackgroundJob {
  return { name: "blob-pages", interval: BLOB_LIMITS.jobMillis, run: () => defragmentPagesStep(blobs) };
}

export async function defragmentPagesStep(blobs: BlobContext): Promise<"more" | "done"> {
  const limit = BLOB_LIMITS.defragmentSegmentsPerStep;
  const entries = await blobs.store.read((read) => read.take(ALL_FRAGMENTED_SEGMENTS, limit));
  for (const { key, value } of entries) {
    await defragmentSegment(blobs, fragmentedSegmentRecord.unpack(value));
    await blobs.store.write(async (write) => write.delete(key));
  }
  return entries.length < limit ? "done" : "more";
}

async function defragmentSegment(
  { store, payloads }: BlobContext,
  { content, segment, epoch }: FragmentedSegment,
): Promise<void> {
  const key = segmentKey(content, segment, epoch);
  const before = await store.read(async (read) => {
    const stored = await read.get(key);
    if (stored === undefined) return undefined;
    const runs: { readonly run: PageRangeEntry[]; readonly payload: OpenPayload }[] = [];
    for (const run of runsOf(segmentRecord.unpack(stored)).filter(isWorthwhile))
      runs.push({ run, payload: await payloads.open(read, slicesOf(run)) });
    return { stored, runs };
  });
  if (before === undefined) return;
  const rewritten: { readonly run: PageRangeEntry[]; readonly appended: Appended }[] = [];
  try {
    for (const { run, payload } of before.runs) {
      rewritten.push({ run, appended: await payloads.append(await collect(bytesOf(run, payload))) });
    }
    await store.write(async (write) => {
      const stored = await write.get(key);
      // The segment was written meanwhile, so the new slices are out of date. A later write may ask again.
      if (stored === undefined || !stored.equals(before.stored)) return;
      let ranges = segmentRecord.unpack(stored);
      for (const { run, appended } of rewritten) {
        await payloads.keep(write, appended.slices);
        await payloads.drop(write, slicesOf(run));
        ranges = ranges.flatMap((range) => {
          if (range.start === run[0]!.start) return rangesOf(run, appended);
          return run.some(({ start }) => start === range.start) ? [] : [range];
        });
      }
      write.put(key, segmentRecord.pack(ranges));
    });
  } finally {
    for (const { payload } of before.runs) payload.close();
    for (const { appended } of rewritten) appended.release();
  }
}

const slicesOf = (run: readonly PageRangeEntry[]) => run.map(({ slice }) => slice);

/** Adjacent ranges of the same epoch: differences between snapshots need nothing finer. */
function runsOf(ranges: readonly PageRangeEntry[]): PageRangeEntry[][] {
  const runs: PageRangeEntry[][] = [];
  for (const range of ranges) {
    const last = runs.at(-1)?.at(-1);
    const follows =
      last !== undefined && last.start + last.length === range.start && last.epoch === range.epoch;
    if (follows) runs.at(-1)!.push(range);
    else runs.push([range]);
  }
  return runs;
}

function isWorthwhile(run: readonly PageRangeEntry[]): boolean {
  return run.length > 1 || run[0]!.slice.length > 2 * run[0]!.length;
}

async function* bytesOf(run: readonly PageRangeEntry[], payload: OpenPayload): AsyncGenerator<Buffer> {
  let at = 0;
  for (const { slice, from, length } of run) {
    yield* payload.stream(at + from, length);
    at += slice.length;
  }
}

/** The ranges of the new slices, which replace the run. */
function rangesOf(run: readonly PageRangeEntry[], { slices }: Appended): PageRangeEntry[] {
  let start = run[0]!.start;
  return slices.map((slice) => {
    const range = { start, length: slice.length, epoch: run[0]!.epoch, slice, from: 0 };
    start += slice.length;
    return range;
  });
}
