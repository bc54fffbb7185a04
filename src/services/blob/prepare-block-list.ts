import { Refusal } from "../../base/refusals.ts";
import { blockPagesOf, dueKey, stagedBlockKey, stagingKey } from "../../store/keys/blob.ts";
import { keyAfter } from "../../store/keys/pack.ts";
import type { Key, Range, Reader, Writer } from "../../store/kv.ts";
import {
  type BlobRecord,
  type BlockEntry,
  blockPageRecord,
  type StoredSlice,
  stagedBlockRecord,
  stagingRecord,
} from "../../store/records/blob.ts";
import { findBlob } from "./blobs.ts";
import { putBlockPage, putEmptyBlocks, releaseBlobContent } from "./content.ts";
import type { BlobContext } from "./context.ts";
import { BLOB_LIMITS } from "./limits.ts";
import type { BlobRef } from "./names.ts";
import { scheduleDeadline } from "./retention.ts";

/** Where a listed block is looked up; "latest" means the uncommitted blocks first. */
export type BlockSource = "committed" | "uncommitted" | "latest";

export interface ListedBlock {
  readonly id: string;
  readonly from: BlockSource;
}

/**
 * One transaction over 50,000 blocks would delay every other writer. So a long list's content is prepared
 * first, a page of blocks per transaction, with its own reference to each block, while no record names it.
 * The commit is then one small transaction.
 *
 *   begin      an empty content and a deadline         notes the blob's version: its staging and its content
 *   page ...   blocks 0-127, 128-255, ...              each only while the blob's version is the same
 *   commit     the blob names the content,             the same, and all checks of Put Block List
 *              and the deadline is removed
 *
 * A crash in between leaves a content that no record names, which its deadline releases.
 */
export interface PreparedList {
  readonly content: bigint;
  readonly length: number;
  readonly version: BlocksVersion;
  readonly deadline: Key;
}

/** Identifies one state of a blob's uncommitted and committed blocks: any change of them changes this. */
export interface BlocksVersion {
  readonly staging: bigint | undefined;
  readonly changes: number;
  readonly content: bigint | undefined;
}

export async function blocksVersionOf(read: Reader, stored: BlobRecord | undefined): Promise<BlocksVersion> {
  const content = stored !== undefined && "blocks" in stored.content ? stored.content.blocks : undefined;
  const staging = stored?.staging;
  const bytes = staging === undefined ? undefined : await read.get(stagingKey(staging));
  return { staging, changes: bytes === undefined ? 0 : (stagingRecord.unpack(bytes).changes ?? 0), content };
}

export async function hasBlocksVersion(
  read: Reader,
  stored: BlobRecord | undefined,
  version: BlocksVersion,
): Promise<boolean> {
  const { staging, changes, content } = await blocksVersionOf(read, stored);
  return staging === version.staging && changes === version.changes && content === version.content;
}

/** Undefined when the blob changes meanwhile; then the prepared content is released. */
export async function prepareBlockList(
  blobs: BlobContext,
  { ref, blocks }: { readonly ref: BlobRef; readonly blocks: readonly ListedBlock[] },
  version: BlocksVersion,
): Promise<PreparedList | undefined> {
  checkSources(blocks);
  const { store, scheduler } = blobs;
  const begun = await store.write(async (write) => {
    const content = putEmptyBlocks(write);
    const at = write.now() + BLOB_LIMITS.preparedListMillis;
    const revision = scheduleDeadline(write, at, { what: "prepared", id: content });
    return { content, deadline: dueKey(at, revision) };
  });
  let length = 0;
  const prepared = (): PreparedList => ({ ...begun, length, version });
  try {
    const committed = await committedBlocks(blobs, ref, blocks, version);
    if (committed === undefined) return await releasePrepared(blobs, begun);
    for (let first = 0; first < blocks.length; first += BLOB_LIMITS.blocksPerPage) {
      const page = blocks.slice(first, first + BLOB_LIMITS.blocksPerPage);
      const added = await store.write((write) =>
        addPage(blobs, write, { ref, prepared: prepared(), committed, first, page }),
      );
      if (added === undefined) return await releasePrepared(blobs, begun);
      length += added;
      await scheduler.yieldToEventLoop();
    }
  } catch (error) {
    if (error instanceof Refusal) await releasePrepared(blobs, begun);
    throw error;
  }
  return prepared();
}

/** A list may name one id several times, but each time from the same source. */
export function checkSources(blocks: readonly ListedBlock[]): void {
  const sources = new Map<string, BlockSource>();
  for (const { id, from } of blocks) {
    if ((sources.get(id) ?? from) !== from) throw new Refusal("InvalidBlockList");
    sources.set(id, from);
  }
}

/** The block that an entry of the list names, and whether it was staged. Throws InvalidBlockList. */
export function resolveBlock(
  { id, from }: ListedBlock,
  staged: ReadonlyMap<string, BlockEntry>,
  committed: ReadonlyMap<string, BlockEntry>,
): { readonly block: BlockEntry; readonly isStaged: boolean } {
  const stagedBlock = from === "committed" ? undefined : staged.get(id);
  const block = stagedBlock ?? (from === "uncommitted" ? undefined : committed.get(id));
  if (block === undefined) throw new Refusal("InvalidBlockList");
  return { block, isStaged: stagedBlock !== undefined };
}

interface ListPage {
  readonly ref: BlobRef;
  readonly prepared: PreparedList;
  readonly committed: ReadonlyMap<string, BlockEntry>;
  readonly first: number;
  readonly page: readonly ListedBlock[];
}

/** The bytes of the page; undefined when the blob has changed. */
async function addPage(
  blobs: BlobContext,
  write: Writer,
  { ref, prepared, committed, first, page }: ListPage,
): Promise<number | undefined> {
  const { stored } = await findBlob(write, ref);
  if (!(await isUsable(write, stored, prepared))) return undefined;
  const staged = await stagedBlocks(write, prepared.version.staging, page);
  const blocks = page.map((listed) => resolveBlock(listed, staged, committed).block);
  const slices: StoredSlice[] = [];
  let length = 0;
  for (const { bytes, length: blockBytes } of blocks) {
    if ("slices" in bytes) slices.push(...bytes.slices);
    length += blockBytes;
  }
  if (slices.length > 0) await blobs.payloads.share(write, slices);
  putBlockPage(write, prepared.content, { first, offset: prepared.length }, blocks);
  return length;
}

async function isUsable(
  read: Reader,
  stored: BlobRecord | undefined,
  { version, deadline }: PreparedList,
): Promise<boolean> {
  return (await hasBlocksVersion(read, stored, version)) && (await read.get(deadline)) !== undefined;
}

/** The uncommitted blocks that the list names. */
export async function stagedBlocks(
  read: Reader,
  staging: bigint | undefined,
  listed: readonly ListedBlock[],
): Promise<Map<string, BlockEntry>> {
  const staged = new Map<string, BlockEntry>();
  if (staging === undefined) return staged;
  const ids = [...new Set(listed.filter(({ from }) => from !== "committed").map(({ id }) => id))];
  const records = await read.getMany(ids.map((id) => stagedBlockKey(staging, id)));
  for (const [i, bytes] of records.entries()) {
    if (bytes !== undefined) staged.set(ids[i]!, { id: ids[i]!, ...stagedBlockRecord.unpack(bytes) });
  }
  return staged;
}

/**
 * The committed blocks of the blob, as far as the list may name them; undefined when the blob has changed.
 */
async function committedBlocks(
  { store, scheduler }: BlobContext,
  ref: BlobRef,
  listed: readonly ListedBlock[],
  version: BlocksVersion,
): Promise<ReadonlyMap<string, BlockEntry> | undefined> {
  const committed = new Map<string, BlockEntry>();
  const { content } = version;
  if (content === undefined || listed.every(({ from }) => from === "uncommitted")) return committed;
  let range: Range = blockPagesOf(content);
  for (let isMore = true; isMore; await scheduler.yieldToEventLoop()) {
    const pages = await store.read(async (read) => {
      const { stored } = await findBlob(read, ref);
      if (!(await hasBlocksVersion(read, stored, version))) return undefined;
      return read.take(range, BLOB_LIMITS.reclaimPagesPerStep);
    });
    if (pages === undefined) return undefined;
    for (const { key, value } of pages) {
      for (const block of blockPageRecord.unpack(value).blocks) committed.set(block.id, block);
      range = { ...range, from: keyAfter(key) };
    }
    isMore = pages.length === BLOB_LIMITS.reclaimPagesPerStep;
  }
  return committed;
}

/** Removes the deadline of a prepared list for its commit; false when the blob has changed. */
export async function claimPrepared(
  write: Writer,
  stored: BlobRecord | undefined,
  prepared: PreparedList,
): Promise<boolean> {
  if (!(await isUsable(write, stored, prepared))) return false;
  write.delete(prepared.deadline);
  return true;
}

/** Releases the prepared content, unless its deadline has done so already. */
export async function releasePrepared(
  { store, payloads }: BlobContext,
  { content, deadline }: Pick<PreparedList, "content" | "deadline">,
): Promise<undefined> {
  await store.write(async (write) => {
    if ((await write.get(deadline)) === undefined) return;
    write.delete(deadline);
    await releaseBlobContent(payloads, write, { blocks: content });
  });
}
