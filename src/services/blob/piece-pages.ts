import { collect } from "../../base/bytes.ts";
import { ALL_FRAGMENTED_SEGMENTS, segmentKey } from "../../store/keys/blob.ts";
import type { Entry } from "../../store/kv.ts";
import {
  type FragmentedSegment,
  fragmentedSegmentRecord,
  type PageRangeEntry,
  segmentRecord,
} from "../../store/records/blob.ts";
import type { Appended } from "../payload/payloads.ts";
import type { BackgroundJob } from "../reclaim/background-jobs.ts";
import type { BlobService } from "./blob-service.ts";
import { BLOB_LIMITS } from "./limits.ts";

/**
 * Puts segments together that were written in many small pieces: neighbouring ranges become one slice, and bytes
 * that were written over are given back. The map stays small, and reads of it stay long.
 */
export function defragmentPages(blobs: BlobService): BackgroundJob {
  return { name: "blob-pages", interval: BLOB_LIMITS.jobMillis, run: () => defragmentPagesStep(blobs) };
}

export async function defragmentPagesStep(blobs: BlobService): Promise<"more" | "done"> {
  const limit = BLOB_LIMITS.defragmentSegmentsPerStep;
  const due = await blobs.parts.store.read(async (read) => {
    const found: Entry[] = [];
    for await (const entry of read.range({ ...ALL_FRAGMENTED_SEGMENTS, limit })) found.push(entry);
    return found;
  });
  for (const { key, value } of due) {
    await defragmentSegment(blobs, fragmentedSegmentRecord.unpack(value));
    await blobs.parts.store.write(async (write) => write.delete(key));
  }
  return due.length < limit ? "done" : "more";
}

async function defragmentSegment(
  blobs: BlobService,
  { content, segment, epoch }: FragmentedSegment,
): Promise<void> {
  const { store, payloads } = blobs.parts;
  const key = segmentKey(content, segment, epoch);
  const seen = await store.read(async (read) => {
    const stored = await read.get(key);
    if (stored === undefined) return undefined;
    const opened = runsOf(segmentRecord.unpack(stored)).filter(isWorthwhile);
    const runs = [];
    for (const run of opened) {
      runs.push({
        run,
        payload: await payloads.open(
          read,
          run.map(({ slice }) => slice),
        ),
      });
    }
    return { stored, runs };
  });
  if (seen === undefined) return;
  const made: { readonly run: readonly PageRangeEntry[]; readonly appended: Appended }[] = [];
  try {
    for (const { run, payload } of seen.runs) {
      made.push({ run, appended: await payloads.append(await collect(bytesOf(run, payload))) });
    }
    await store.write(async (write) => {
      const stored = await write.get(key);
      // Written again meanwhile: what was put together is of yesterday, and the next write may ask again.
      if (stored === undefined || !stored.equals(seen.stored)) return;
      let ranges = segmentRecord.unpack(stored);
      for (const { run, appended } of made) {
        await payloads.keep(write, appended.slices);
        await payloads.drop(
          write,
          run.map(({ slice }) => slice),
        );
        ranges = ranges.flatMap((range) => {
          if (range.start === run[0]!.start) return joinedRanges(run, appended);
          return run.some(({ start }) => start === range.start) ? [] : [range];
        });
      }
      write.put(key, segmentRecord.pack(ranges));
    });
  } finally {
    for (const { payload } of seen.runs) payload.close();
    for (const { appended } of made) appended.release();
  }
}

/** Neighbours written in the same epoch: differences between snapshots look at nothing finer. */
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

async function* bytesOf(
  run: readonly PageRangeEntry[],
  payload: { stream(from: number, length: number): AsyncIterable<Buffer> },
): AsyncGenerator<Buffer> {
  let at = 0;
  for (const { slice, from, length } of run) {
    yield* payload.stream(at + from, length);
    at += slice.length;
  }
}

function joinedRanges(run: readonly PageRangeEntry[], { slices }: Appended): PageRangeEntry[] {
  let start = run[0]!.start;
  return slices.map((slice) => {
    const range = { start, length: slice.length, epoch: run[0]!.epoch, slice, from: 0 };
    start += slice.length;
    return range;
  });
}
