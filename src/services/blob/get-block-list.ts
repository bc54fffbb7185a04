import { Refusal } from "../../base/refusals.ts";
import { CooperativeScheduler } from "../../base/yield-to-event-loop.ts";
import { type Conditions, checkWrite } from "../../concurrency/conditions.ts";
import { checkLeaseRead } from "../../concurrency/lease.ts";
import { blockIdOfKey, blockPagesOf, stagedBlocksOf } from "../../store/keys/blob.ts";
import { keyAfter } from "../../store/keys/pack.ts";
import type { Entry, Range, Reader } from "../../store/kv.ts";
import { type BlobRecord, blockPageRecord, stagedBlockRecord } from "../../store/records/blob.ts";
import type { Page } from "../page.ts";
import type { BlobService } from "./blob-service.ts";
import { findBlob, readState, type Selector } from "./blobs.ts";
import { leaseOf, throwIf } from "./containers.ts";
import { BLOB_LIMITS } from "./limits.ts";
import type { BlobRef } from "./names.ts";
import { isAsSeen, type Seen, seenOf } from "./prepare-blocks.ts";

export interface GetBlockList<P extends Page<NamedBlock>> {
  readonly ref: BlobRef;
  readonly selector: Selector;
  readonly conditions: Conditions;
  readonly leaseId: string | undefined;
  readonly wants: "committed" | "uncommitted" | "all";
  /** For each of the two lists; it is never full. */
  readonly newPage: () => P;
}

export interface NamedBlock {
  readonly id: string;
  readonly length: number;
}

export interface BlockLists<P> {
  /** Undefined where there is no committed content: an ETag would be of nothing. */
  readonly record: BlobRecord | undefined;
  readonly committed: P;
  readonly uncommitted: P;
}

/**
 * Committed blocks in the order of the blob, uncommitted ones by id. A long list is read in steps, with a rest between
 * them: what each step reads belongs together only while the blob is as the first one saw it. If it changes the work
 * begins again, and after some times it is done in one step after all.
 */
export async function getBlockList<P extends Page<NamedBlock>>(
  blobs: BlobService,
  request: GetBlockList<P>,
): Promise<BlockLists<P>> {
  for (let attempt = 0; attempt < BLOB_LIMITS.listAttemptsMax; attempt++) {
    const lists = await readInSteps(blobs, request);
    if (lists !== undefined) return lists;
  }
  return blobs.parts.store.read(async (read) => {
    const lists = await begin(read, request);
    while (!isWhole(lists)) await readStep(read, lists);
    return lists;
  });
}

/** Lists on their way, and from where on what is still to be read. */
interface Lists<P> {
  readonly record: BlobRecord | undefined;
  readonly seen: Seen;
  readonly committed: P;
  readonly uncommitted: P;
  pages: Range | undefined;
  staged: Range | undefined;
}

const turns = new CooperativeScheduler(BLOB_LIMITS.listRestMillis);

/** Undefined when the blob has changed meanwhile. */
async function readInSteps<P extends Page<NamedBlock>>(
  blobs: BlobService,
  request: GetBlockList<P>,
): Promise<BlockLists<P> | undefined> {
  const { store } = blobs.parts;
  const lists = await store.read(async (read) => {
    const begun = await begin(read, request);
    if (!isWhole(begun)) await readStep(read, begun);
    return begun;
  });
  while (!isWhole(lists)) {
    await turns.yieldToEventLoop();
    const isSame = await store.read(async (read) => {
      const now = await recordOf(read, request.ref, request.selector);
      if (!(await isAsSeen(read, now, lists.seen))) return false;
      await readStep(read, lists);
      return true;
    });
    if (!isSame) return undefined;
  }
  return lists;
}

/** The checks, and what is to be read. */
async function begin<P extends Page<NamedBlock>>(read: Reader, request: GetBlockList<P>): Promise<Lists<P>> {
  const { ref, selector, wants } = request;
  const record = await recordOf(read, ref, selector);
  throwIf(checkLeaseRead(leaseOf(record), request.leaseId, read.now(), "Blob"));
  const visible = record.isUncommitted === true ? undefined : record;
  throwIf(checkWrite(request.conditions, visible, "change"));
  if (record.kind !== "block") throw new Refusal("InvalidBlobType");
  const { content, stateKind, staging } = record;
  const hasStaged = wants !== "committed" && stateKind === undefined && staging !== undefined;
  return {
    record: visible,
    seen: await seenOf(read, record),
    committed: request.newPage(),
    uncommitted: request.newPage(),
    pages: wants !== "uncommitted" && "blocks" in content ? blockPagesOf(content.blocks) : undefined,
    staged: hasStaged ? stagedBlocksOf(staging) : undefined,
  };
}

function isWhole({ pages, staged }: Lists<unknown>): boolean {
  return pages === undefined && staged === undefined;
}

/** Some pages of committed blocks, or some uncommitted ones; most lists end within the first step. */
async function readStep(read: Reader, lists: Lists<Page<NamedBlock>>): Promise<void> {
  if (lists.pages !== undefined) {
    const entries = await read.take(lists.pages, BLOB_LIMITS.listedPagesPerStep);
    for (const { value } of entries) {
      for (const { id, length } of blockPageRecord.unpack(value).blocks) lists.committed.add({ id, length });
    }
    lists.pages = restOf(lists.pages, entries, BLOB_LIMITS.listedPagesPerStep);
    // A short list leaves room for the other one in the same step.
    if (lists.pages !== undefined) return;
  }
  if (lists.staged === undefined) return;
  const entries = await read.take(lists.staged, BLOB_LIMITS.listedBlocksPerStep);
  for (const { key, value } of entries) {
    lists.uncommitted.add({ id: blockIdOfKey(key), length: stagedBlockRecord.unpack(value).length });
  }
  lists.staged = restOf(lists.staged, entries, BLOB_LIMITS.listedBlocksPerStep);
}

function restOf(range: Range, entries: readonly Entry[], limit: number): Range | undefined {
  return entries.length < limit ? undefined : { ...range, from: keyAfter(entries.at(-1)!.key) };
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
