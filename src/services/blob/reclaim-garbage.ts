import {
  ALL_GARBAGE,
  blobOfKey,
  blobsOf,
  blockPagesOf,
  contentKey,
  epochsOf,
  guardedUntil,
  segmentsOf,
  stagedBlocksOf,
  stagingKey,
  versionsOfKey,
} from "../../store/keys/blob.ts";
import type { Key, Range, Writer } from "../../store/kv.ts";
import {
  blockPageRecord,
  type GarbageRecord,
  garbageRecord,
  type StoredSlice,
  segmentRecord,
  stagedBlockRecord,
} from "../../store/records/blob.ts";
import { blobRecord } from "../../store/records/blob-bytes.ts";
import type { BackgroundJob } from "../reclaim/background-jobs.ts";
import type { BlobService } from "./blob-service.ts";
import { releaseBlobContent } from "./content.ts";
import { BLOB_LIMITS } from "./limits.ts";
import { dropRanges, pruneEpoch } from "./prune-pages.ts";
import { discard } from "./retention.ts";
import { dropTags } from "./tag-index.ts";

/**
 * Takes apart what nobody names any more: the contents of deleted containers, contents without a record, blocks
 * that never made it into a list. Each step is one transaction over a bounded number of records, and what it
 * finds is gone from where the next step looks, so it can stop and start again anywhere.
 */
export function reclaimGarbage(blobs: BlobService): BackgroundJob {
  return {
    name: "blob-garbage",
    interval: BLOB_LIMITS.jobMillis,
    run: () => reclaimStep(blobs),
  };
}

export async function reclaimStep(blobs: BlobService): Promise<"more" | "done"> {
  const { store } = blobs.parts;
  const isThere = await store.read(async (read) => {
    for await (const _ of read.range({ ...ALL_GARBAGE, limit: 1 })) return true;
    return false;
  });
  if (!isThere) return "done";
  await store.write(async (write) => {
    for await (const { key, value } of write.range({ ...ALL_GARBAGE, limit: 1 })) {
      const garbage = garbageRecord.unpack(value);
      if (garbage.what === "epoch") {
        const from = await pruneEpoch(blobs, write, garbage);
        if (from === undefined) write.delete(key);
        else write.put(key, garbageRecord.pack({ ...garbage, from }));
      } else if (await takeApart(blobs, write, garbage)) write.delete(key);
    }
  });
  return "more";
}

/** Whether nothing is left of it. */
async function takeApart(
  blobs: BlobService,
  write: Writer,
  garbage: Exclude<GarbageRecord, { readonly what: "epoch" }>,
): Promise<boolean> {
  const { payloads } = blobs.parts;
  switch (garbage.what) {
    case "container": {
      const { account, id } = garbage;
      const dropBlob = async (value: Buffer, key: Key): Promise<void> => {
        const record = blobRecord.unpack(value);
        const place = { account, container: id, blob: blobOfKey(key) };
        if (record.stateKind === undefined) dropTags(write, place, record);
        if (record.stateKind === "version") {
          dropTags(write, { ...place, version: versionsOfKey(key).revision }, record);
        }
        if (record.staging !== undefined) discard(write, { what: "staging", id: record.staging });
        await releaseBlobContent(payloads, write, record.content);
      };
      const isPresentGone = await consume(write, blobsOf("bb", garbage.id), dropBlob);
      const isVersionGone = isPresentGone && (await consume(write, blobsOf("bp", garbage.id), dropBlob));
      return isVersionGone && (await consume(write, guardedUntil(garbage.id), async () => {}));
    }
    case "content":
      write.delete(contentKey(garbage.id));
      if (garbage.form === "pages") {
        const isMapGone = await consume(write, segmentsOf(garbage.id), (value) =>
          dropRanges(blobs, write, segmentRecord.unpack(value)),
        );
        return isMapGone && (await consume(write, epochsOf(garbage.id), async () => {}));
      }
      return consume(
        write,
        blockPagesOf(garbage.id),
        (value) => dropSlices(blobs, write, slicesOfPage(value)),
        BLOB_LIMITS.reclaimPagesPerStep,
      );
    case "staging": {
      write.delete(stagingKey(garbage.id));
      return consume(write, stagedBlocksOf(garbage.id), (value) => {
        const { bytes } = stagedBlockRecord.unpack(value);
        return dropSlices(blobs, write, "slices" in bytes ? bytes.slices : []);
      });
    }
  }
}

async function dropSlices(blobs: BlobService, write: Writer, slices: readonly StoredSlice[]): Promise<void> {
  if (slices.length > 0) await blobs.parts.payloads.drop(write, slices);
}

function slicesOfPage(value: Buffer): StoredSlice[] {
  return blockPageRecord.unpack(value).blocks.flatMap(({ bytes }) => ("slices" in bytes ? bytes.slices : []));
}

/** Drops and deletes the first records of a range; true when that was all of them. */
async function consume(
  write: Writer,
  range: Range,
  drop: (value: Buffer, key: Key) => Promise<void>,
  limit: number = BLOB_LIMITS.reclaimRecordsPerStep,
): Promise<boolean> {
  const found: { readonly key: Key; readonly value: Buffer }[] = [];
  for await (const entry of write.range({ ...range, limit })) found.push(entry);
  for (const { key, value } of found) {
    await drop(value, key);
    write.delete(key);
  }
  return found.length < limit;
}
