import { Refusal } from "../../base/refusals.ts";
import { type Conditions, checkWrite } from "../../concurrency/conditions.ts";
import { checkLeaseRead } from "../../concurrency/lease.ts";
import { blockIdOfKey, stagedBlocksOf } from "../../store/keys/blob.ts";
import type { Reader } from "../../store/kv.ts";
import { type BlobRecord, stagedBlockRecord } from "../../store/records/blob.ts";
import type { BlobService } from "./blob-service.ts";
import { findBlob, readState, type Selector } from "./blobs.ts";
import { leaseOf, throwIf } from "./containers.ts";
import { blocksOf } from "./content.ts";
import type { BlobRef } from "./names.ts";

export interface GetBlockList {
  readonly ref: BlobRef;
  readonly selector: Selector;
  readonly conditions: Conditions;
  readonly leaseId: string | undefined;
  readonly wants: "committed" | "uncommitted" | "all";
}

export interface NamedBlock {
  readonly id: string;
  readonly length: number;
}

export interface BlockLists {
  /** Undefined where there is no committed content: an ETag would be of nothing. */
  readonly record: BlobRecord | undefined;
  readonly committed: readonly NamedBlock[];
  readonly uncommitted: readonly NamedBlock[];
}

/** Committed blocks in the order of the blob, uncommitted ones by id. */
export async function getBlockList(blobs: BlobService, request: GetBlockList): Promise<BlockLists> {
  const { ref, selector, wants } = request;
  return blobs.parts.store.read(async (read) => {
    const record = await recordOf(read, ref, selector);
    throwIf(checkLeaseRead(leaseOf(record), request.leaseId, read.now(), "Blob"));
    const visible = record.isUncommitted === true ? undefined : record;
    throwIf(checkWrite(request.conditions, visible, "change"));
    if (record.kind !== "block") throw new Refusal("InvalidBlobType");
    const committed: NamedBlock[] = [];
    if (wants !== "uncommitted") {
      for await (const page of blocksOf(read, record.content))
        for (const { id, length } of page) committed.push({ id, length });
    }
    const uncommitted: NamedBlock[] = [];
    if (wants !== "committed" && record.past === undefined && record.staging !== undefined) {
      for await (const { key, value } of read.range(stagedBlocksOf(record.staging))) {
        uncommitted.push({ id: blockIdOfKey(key), length: stagedBlockRecord.unpack(value).length });
      }
    }
    return { record: visible, committed, uncommitted };
  });
}

async function recordOf(read: Reader, ref: BlobRef, selector: Selector): Promise<BlobRecord> {
  if (selector.snapshot !== undefined || selector.version !== undefined) {
    return (await readState(read, ref, selector)).record;
  }
  const { stored, blob } = await findBlob(read, ref);
  const record = stored?.isUncommitted === true ? stored : blob;
  if (record === undefined) throw new Refusal("BlobNotFound");
  return record;
}
