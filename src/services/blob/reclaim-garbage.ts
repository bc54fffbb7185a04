import {
  ALL_GARBAGE,
  blobOfKey,
  blobsOf,
  blockPagesOf,
  contentKey,
  epochOfKey,
  epochsOf,
  guardedUntil,
  segmentOfKey,
  segmentsOf,
  stagedBlocksOf,
  stagingKey,
  versionsOfKey,
} from "../../store/keys/blob.ts";
import type { Key, Range, Writer } from "../../store/kv.ts";
import {
  type BlockEntry,
  blockPageRecord,
  type GarbageRecord,
  garbageRecord,
  type StoredSlice,
  segmentRecord,
  stagedBlockRecord,
} from "../../store/records/blob.ts";
import { blobRecord } from "../../store/records/blob-bytes.ts";
import type { BackgroundJob } from "../reclaim/background-jobs.ts";
import { releaseBlobContent } from "./content.ts";
import type { BlobContext } from "./context.ts";
import { BLOB_LIMITS } from "./limits.ts";
import { discard } from "./retention.ts";
import { removeTags } from "./tag-index.ts";

/**
 * Removes what no record refers to any more: the blobs of deleted containers, contents without a blob, blocks
 * that were never committed. Each step is one transaction over a bounded number of records and deletes what
 * it has processed, so the job can stop and continue anywhere.
 */
export function reclaimGarbage(blobs: BlobContext): BackgroundJob {
  return { name: "blob-garbage", interval: BLOB_LIMITS.jobMillis, run: () => reclaimStep(blobs) };
}

export async function reclaimStep(blobs: BlobContext): Promise<"more" | "done"> {
  const { store } = blobs;
  // Reads first, because a write transaction without work would still delay other writers.
  if ((await store.read((read) => read.take(ALL_GARBAGE, 1))).length === 0) return "done";
  await store.write(async (write) => {
    for (const { key, value } of await write.take(ALL_GARBAGE, 1)) {
      const garbage = garbageRecord.unpack(value);
      if (garbage.what === "epoch") {
        const from = await reclaimEpoch(blobs, write, garbage);
        if (from === undefined) write.delete(key);
        else write.put(key, garbageRecord.pack({ ...garbage, from }));
      } else if (await reclaim(blobs, write, garbage)) write.delete(key);
    }
  });
  return "more";
}

/** Removes some of it; true when nothing is left. */
async function reclaim(
  blobs: BlobContext,
  write: Writer,
  garbage: Exclude<GarbageRecord, { readonly what: "epoch" }>,
): Promise<boolean> {
  const { id } = garbage;
  switch (garbage.what) {
    case "container": {
      const { account } = garbage;
      const dropBlob = async (value: Buffer, key: Key): Promise<void> => {
        const record = blobRecord.unpack(value);
        const place = { account, container: id, blob: blobOfKey(key) };
        if (record.stateKind === undefined) removeTags(write, place, record);
        if (record.stateKind === "version") {
          removeTags(write, { ...place, version: versionsOfKey(key).revision }, record);
        }
        if (record.staging !== undefined) discard(write, { what: "staging", id: record.staging });
        await releaseBlobContent(blobs.payloads, write, record.content);
      };
      return (
        (await deleteSome(write, blobsOf("bb", id), dropBlob)) &&
        (await deleteSome(write, blobsOf("bp", id), dropBlob)) &&
        (await deleteSome(write, guardedUntil(id)))
      );
    }
    case "content":
      write.delete(contentKey(id));
      if (garbage.form === "pages") {
        const isMapGone = await deleteSome(write, segmentsOf(id), (value) =>
          dropSegment(blobs, write, value),
        );
        return isMapGone && (await deleteSome(write, epochsOf(id)));
      }
      return deleteSome(
        write,
        blockPagesOf(id),
        (value) => dropBlocks(blobs, write, blockPageRecord.unpack(value).blocks),
        BLOB_LIMITS.reclaimPagesPerStep,
      );
    case "staging":
      write.delete(stagingKey(id));
      return deleteSome(write, stagedBlocksOf(id), (value) =>
        dropBlocks(blobs, write, [stagedBlockRecord.unpack(value)]),
      );
  }
}

function dropBlocks(
  blobs: BlobContext,
  write: Writer,
  blocks: readonly Pick<BlockEntry, "bytes">[],
): Promise<void> {
  const slices = blocks.flatMap(({ bytes }) => ("slices" in bytes ? bytes.slices : []));
  return dropSlices(blobs, write, slices);
}

function dropSegment(blobs: BlobContext, write: Writer, value: Buffer): Promise<void> {
  const slices = segmentRecord.unpack(value).map(({ slice }) => slice);
  return dropSlices(blobs, write, slices);
}

async function dropSlices(blobs: BlobContext, write: Writer, slices: readonly StoredSlice[]): Promise<void> {
  if (slices.length > 0) await blobs.payloads.drop(write, slices);
}

/** Drops and deletes the first records of a range; true when those were all. */
async function deleteSome(
  write: Writer,
  range: Range,
  drop?: (value: Buffer, key: Key) => Promise<void>,
  limit: number = BLOB_LIMITS.reclaimRecordsPerStep,
): Promise<boolean> {
  const entries = await write.take(range, limit);
  for (const { key, value } of entries) {
    await drop?.(value, key);
    write.delete(key);
  }
  return entries.length < limit;
}

/**
 * Reclaims an epoch of a page blob whose last reference is gone (its snapshot was deleted, say). A segment's
 * record is deleted when no referenced epoch sees it: it is newer than the referenced epoch below, and a
 * newer record hides it from the referenced epoch above. Returns the segment to continue with, or undefined
 * at the end.
 */
async function reclaimEpoch(
  blobs: BlobContext,
  write: Writer,
  { id, epoch, from }: Extract<GarbageRecord, { readonly what: "epoch" }>,
): Promise<number | undefined> {
  const { below, above } = await referencedEpochsAround(write, id, epoch);
  let records: { readonly key: Key; readonly epoch: bigint; readonly value: Buffer }[] = [];
  let segment = from;
  let count = 0;
  const finishSegment = async (): Promise<void> => {
    for (const [i, record] of records.entries()) {
      const next = records[i + 1];
      const isBetween = record.epoch > below && (above === undefined || record.epoch < above);
      const isHidden = above === undefined || (next !== undefined && next.epoch <= above);
      if (!isBetween || !isHidden) continue;
      write.delete(record.key);
      await dropSegment(blobs, write, record.value);
    }
    records = [];
  };
  for await (const { key, value } of write.range(segmentsOf(id, from))) {
    const at = segmentOfKey(key);
    if (at.segment !== segment) {
      await finishSegment();
      segment = at.segment;
      if (count >= BLOB_LIMITS.reclaimRecordsPerStep) return segment;
    }
    records.push({ key, epoch: at.epoch, value });
    count++;
  }
  await finishSegment();
  return undefined;
}

async function referencedEpochsAround(
  write: Writer,
  id: bigint,
  epoch: bigint,
): Promise<{ readonly below: bigint; readonly above: bigint | undefined }> {
  let below = 0n;
  for await (const { key } of write.range(epochsOf(id))) {
    const referenced = epochOfKey(key);
    if (referenced > epoch) return { below, above: referenced };
    if (referenced < epoch) below = referenced;
  }
  return { below, above: undefined };
}
