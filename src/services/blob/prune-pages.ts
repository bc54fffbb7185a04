import { epochOfKey, epochsOf, segmentOfKey, segmentsOf } from "../../store/keys/blob.ts";
import type { Key, Writer } from "../../store/kv.ts";
import { type PageRangeEntry, segmentRecord } from "../../store/records/blob.ts";
import type { BlobService } from "./blob-service.ts";
import { BLOB_LIMITS } from "./limits.ts";

/** The epochs somebody holds on both sides of one that nobody holds any more. */
interface Neighbours {
  readonly below: bigint;
  readonly above: bigint | undefined;
}

/**
 * An epoch of a page blob has lost its last holder (its snapshot was deleted, say). A segment's record that no
 * held epoch sees goes: it is newer than the held epoch below, and a newer record hides it from the held epoch
 * above. Returns the segment to go on with, or undefined at the end.
 */
export async function pruneEpoch(
  blobs: BlobService,
  write: Writer,
  { id, epoch, from }: { readonly id: bigint; readonly epoch: bigint; readonly from: number },
): Promise<number | undefined> {
  const { below, above } = await neighboursOf(write, id, epoch);
  let records: { readonly key: Key; readonly epoch: bigint; readonly value: Buffer }[] = [];
  let segment = from;
  let seen = 0;
  const finish = async (): Promise<void> => {
    for (const [i, record] of records.entries()) {
      const next = records[i + 1];
      const isBetween = record.epoch > below && (above === undefined || record.epoch < above);
      const isHidden = above === undefined || (next !== undefined && next.epoch <= above);
      if (!isBetween || !isHidden) continue;
      write.delete(record.key);
      await dropRanges(blobs, write, segmentRecord.unpack(record.value));
    }
    records = [];
  };
  for await (const { key, value } of write.range(segmentsOf(id, from))) {
    const at = segmentOfKey(key);
    if (at.segment !== segment) {
      await finish();
      segment = at.segment;
      if (seen >= BLOB_LIMITS.reclaimRecordsPerStep) return segment;
    }
    records.push({ key, epoch: at.epoch, value });
    seen++;
  }
  await finish();
  return undefined;
}

export async function dropRanges(
  blobs: BlobService,
  write: Writer,
  ranges: readonly PageRangeEntry[],
): Promise<void> {
  if (ranges.length === 0) return;
  await blobs.parts.payloads.drop(
    write,
    ranges.map(({ slice }) => slice),
  );
}

async function neighboursOf(write: Writer, id: bigint, epoch: bigint): Promise<Neighbours> {
  let below = 0n;
  for await (const { key } of write.range(epochsOf(id))) {
    const held = epochOfKey(key);
    if (held > epoch) return { below, above: held };
    if (held < epoch) below = held;
  }
  return { below, above: undefined };
}
