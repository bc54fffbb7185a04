import { Refusal, throwIf } from "../../base/refusals.ts";
import { checkWrite } from "../../concurrency/conditions.ts";
import { blockIdOfKey, blockPagesOf, stagedBlocksOf } from "../../store/keys/blob.ts";
import { keyAfter } from "../../store/keys/pack.ts";
import type { Entry, Range, Reader } from "../../store/kv.ts";
import { type BlobRecord, blockPageRecord, stagedBlockRecord } from "../../store/records/blob.ts";
import type { Page } from "../page.ts";
import { checkBlobLease, findBlob, type GuardedState, readState } from "./blobs.ts";
import type { BlobContext } from "./context.ts";
import { BLOB_LIMITS } from "./limits.ts";
import { type BlocksVersion, blocksVersionOf, hasBlocksVersion } from "./prepare-block-list.ts";

export interface GetBlockList<P extends Page<NamedBlock>> extends GuardedState {
  readonly listType: "committed" | "uncommitted" | "all";
  /** For each of the two lists; it is never full. */
  readonly newPage: () => P;
}

export interface NamedBlock {
  readonly id: string;
  readonly length: number;
}

export interface BlockLists<P> {
  /** Undefined without committed content: there is no ETag then. */
  readonly record: BlobRecord | undefined;
  readonly committed: P;
  readonly uncommitted: P;
}

/**
 * Get Block List: committed blocks in the order of the blob, uncommitted ones by id. A long list is read in
 * several steps that yield in between, so the blob's blocks must not change until the last. If they do,
 * reading starts again; after some attempts it runs in one step.
 */
export async function getBlockList<P extends Page<NamedBlock>>(
  blobs: BlobContext,
  request: GetBlockList<P>,
): Promise<BlockLists<P>> {
  for (let attempt = 0; attempt < BLOB_LIMITS.listAttemptsMax; attempt++) {
    const lists = await readInSteps(blobs, request);
    if (lists !== undefined) return lists;
  }
  return blobs.store.read(async (read) => {
    const lists = await begin(read, request);
    while (!isComplete(lists)) await readStep(read, lists);
    return lists;
  });
}

/** The lists read so far, and the ranges still to read. */
interface Lists<P> {
  readonly record: BlobRecord | undefined;
  readonly version: BlocksVersion;
  readonly committed: P;
  readonly uncommitted: P;
  pages: Range | undefined;
  staged: Range | undefined;
}

/** Undefined when the blob has changed meanwhile. */
async function readInSteps<P extends Page<NamedBlock>>(
  blobs: BlobContext,
  request: GetBlockList<P>,
): Promise<BlockLists<P> | undefined> {
  const { store, scheduler } = blobs;
  const lists = await store.read(async (read) => {
    const begun = await begin(read, request);
    if (!isComplete(begun)) await readStep(read, begun);
    return begun;
  });
  while (!isComplete(lists)) {
    await scheduler.yieldToEventLoop();
    const isUnchanged = await store.read(async (read) => {
      if (!(await hasBlocksVersion(read, await recordOf(read, request), lists.version))) return false;
      await readStep(read, lists);
      return true;
    });
    if (!isUnchanged) return undefined;
  }
  return lists;
}

/** Checks the request and notes what is to be read. */
async function begin<P extends Page<NamedBlock>>(read: Reader, request: GetBlockList<P>): Promise<Lists<P>> {
  const { listType } = request;
  const record = await recordOf(read, request);
  checkBlobLease(read, record, request.leaseId, "read");
  const visible = record.isUncommitted === true ? undefined : record;
  throwIf(checkWrite(request.conditions, visible, "change"));
  if (record.kind !== "block") throw new Refusal("InvalidBlobType");
  const { content, staging } = record;
  const hasStaged = listType !== "committed" && record.stateKind === undefined && staging !== undefined;
  return {
    record: visible,
    version: await blocksVersionOf(read, record),
    committed: request.newPage(),
    uncommitted: request.newPage(),
    pages: listType !== "uncommitted" && "blocks" in content ? blockPagesOf(content.blocks) : undefined,
    staged: hasStaged ? stagedBlocksOf(staging) : undefined,
  };
}

function isComplete({ pages, staged }: Lists<unknown>): boolean {
  return pages === undefined && staged === undefined;
}

/** Reads some pages of committed blocks, or some uncommitted ones; most lists need one step. */
async function readStep(read: Reader, lists: Lists<Page<NamedBlock>>): Promise<void> {
  if (lists.pages !== undefined) {
    const entries = await read.take(lists.pages, BLOB_LIMITS.listedPagesPerStep);
    for (const { value } of entries) {
      for (const { id, length } of blockPageRecord.unpack(value).blocks) lists.committed.add({ id, length });
    }
    lists.pages = restOf(lists.pages, entries, BLOB_LIMITS.listedPagesPerStep);
    // When few committed blocks are left, the same step also reads uncommitted ones.
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

async function recordOf(
  read: Reader,
  { ref, selector }: Pick<GuardedState, "ref" | "selector">,
): Promise<BlobRecord> {
  if (selector.snapshot !== undefined || selector.version !== undefined) {
    return (await readState(read, ref, selector)).record;
  }
  const { stored, blob } = await findBlob(read, ref);
  const record = stored?.isUncommitted === true ? stored : blob;
  if (record === undefined) throw new Refusal("BlobNotFound");
  return record;
}
