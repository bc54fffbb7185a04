import { Refusal } from "../../base/refusals.ts";
import { Semaphore } from "../../base/semaphore.ts";
import { CooperativeScheduler } from "../../base/yield-to-event-loop.ts";
import { blockPagesOf, dueKey, stagedBlockKey, stagingKey } from "../../store/keys/blob.ts";
import type { Key, Reader, Writer } from "../../store/kv.ts";
import {
  type BlobRecord,
  type BlockEntry,
  blockPageRecord,
  type StoredSlice,
  stagedBlockRecord,
  stagingRecord,
} from "../../store/records/blob.ts";
import type { BlobService } from "./blob-service.ts";
import { findBlob } from "./blobs.ts";
import { putBlockPage, putNoBlocks, releaseBlobContent } from "./content.ts";
import { BLOB_LIMITS } from "./limits.ts";
import type { BlobRef } from "./names.ts";
import type { BlockSource, ListedBlock, PutBlockList } from "./put-block-list.ts";
import { remind } from "./retention.ts";

/**
 * A list of 50,000 blocks as one transaction would hold up every other writer for as long as it takes. So the content
 * it becomes is made ready first, a page of blocks in a transaction of its own, each block with a reference of its
 * own; nobody sees it. Committing is then one small transaction that names it.
 *
 *   begin      content of no blocks + a reminder       the blob as it was seen: its staging, its content
 *   page ...   blocks 0-127, 128-255, ...              each only while the blob is as it was seen
 *   commit     the blob names it, no reminder          the same, and whatever else Put Block List demands
 *
 * A crash in between leaves a content that nobody names, and its reminder has it taken apart.
 */
export interface PreparedBlocks {
  readonly content: bigint;
  readonly length: number;
  readonly seen: Seen;
  readonly reminder: Key;
}

/** What the blocks of a list are looked for in. Neither of the two changes and keeps its name. */
export interface Seen {
  readonly staging: bigint | undefined;
  readonly changes: number;
  readonly content: bigint | undefined;
}

const gate = new Semaphore(BLOB_LIMITS.listsPreparedMax);
const turns = new CooperativeScheduler(BLOB_LIMITS.listRestMillis);

/** One long list after the other, as each holds much in memory. */
export function oneOfFewLists<T>(fn: () => Promise<T>): Promise<T> {
  return gate.run(fn);
}

export async function seenOf(read: Reader, stored: BlobRecord | undefined): Promise<Seen> {
  const content = stored !== undefined && "blocks" in stored.content ? stored.content.blocks : undefined;
  const staging = stored?.staging;
  const bytes = staging === undefined ? undefined : await read.get(stagingKey(staging));
  return { staging, changes: bytes === undefined ? 0 : (stagingRecord.unpack(bytes).changes ?? 0), content };
}

export async function isAsSeen(read: Reader, stored: BlobRecord | undefined, seen: Seen): Promise<boolean> {
  const now = await seenOf(read, stored);
  return now.staging === seen.staging && now.changes === seen.changes && now.content === seen.content;
}

/** Undefined when the blob has changed under it: then nothing of it is left. */
export async function prepareBlocks(
  blobs: BlobService,
  { ref, blocks }: Pick<PutBlockList, "ref" | "blocks">,
  seen: Seen,
): Promise<PreparedBlocks | undefined> {
  checkKinds(blocks);
  const { store } = blobs.parts;
  const begun = await store.write(async (write) => {
    const content = putNoBlocks(write);
    const at = write.now() + BLOB_LIMITS.preparedListMillis;
    const revision = remind(write, at, { what: "prepared", id: content });
    return { content, reminder: dueKey(at, revision) };
  });
  let length = 0;
  const prepared = (): PreparedBlocks => ({ ...begun, length, seen });
  try {
    const committed = await committedBlocks(blobs, ref, blocks, seen);
    if (committed === undefined) return await giveUp(blobs, prepared());
    for (let first = 0; first < blocks.length; first += BLOB_LIMITS.blocksPerPage) {
      const page = blocks.slice(first, first + BLOB_LIMITS.blocksPerPage);
      const added = await store.write((write) =>
        addPage(blobs, write, { ref, prepared: prepared(), committed, first, page }),
      );
      if (added === undefined) return await giveUp(blobs, prepared());
      length += added;
      await turns.yieldToEventLoop();
    }
  } catch (error) {
    if (error instanceof Refusal) await giveUp(blobs, prepared());
    throw error;
  }
  return prepared();
}

/** One id may stand in a list several times, but each time for the same block. */
function checkKinds(blocks: readonly ListedBlock[]): void {
  const kinds = new Map<string, BlockSource>();
  for (const { id, from } of blocks) {
    if ((kinds.get(id) ?? from) !== from) throw new Refusal("InvalidBlockList");
    kinds.set(id, from);
  }
}

interface Page {
  readonly ref: BlobRef;
  readonly prepared: PreparedBlocks;
  readonly committed: ReadonlyMap<string, BlockEntry>;
  readonly first: number;
  readonly page: readonly ListedBlock[];
}

/** The bytes of the page; undefined when the blob is no longer as it was. */
async function addPage(
  blobs: BlobService,
  write: Writer,
  { ref, prepared, committed, first, page }: Page,
): Promise<number | undefined> {
  const { content, seen, reminder, length } = prepared;
  const { stored } = await findBlob(write, ref);
  if (!(await isAsSeen(write, stored, seen)) || (await write.get(reminder)) === undefined) return undefined;
  const staged = await stagedBlocks(write, seen.staging, page);
  const blocks: BlockEntry[] = [];
  const slices: StoredSlice[] = [];
  let bytes = 0;
  for (const { id, from } of page) {
    const fresh = from === "committed" ? undefined : staged.get(id);
    const block = fresh ?? (from === "uncommitted" ? undefined : committed.get(id));
    if (block === undefined) throw new Refusal("InvalidBlockList");
    if ("slices" in block.bytes) slices.push(...block.bytes.slices);
    blocks.push(block);
    bytes += block.length;
  }
  if (slices.length > 0) await blobs.parts.payloads.share(write, slices);
  putBlockPage(write, content, { first, offset: length }, blocks);
  return bytes;
}

/** Those of the list that wait among the uncommitted. */
export async function stagedBlocks(
  read: Reader,
  staging: bigint | undefined,
  listed: readonly ListedBlock[],
): Promise<Map<string, BlockEntry>> {
  const found = new Map<string, BlockEntry>();
  if (staging === undefined) return found;
  const ids = [...new Set(listed.filter(({ from }) => from !== "committed").map(({ id }) => id))];
  const records = await read.getMany(ids.map((id) => stagedBlockKey(staging, id)));
  for (const [i, bytes] of records.entries()) {
    if (bytes !== undefined) found.set(ids[i]!, { id: ids[i]!, ...stagedBlockRecord.unpack(bytes) });
  }
  return found;
}

/** The blocks the blob has now, as far as the list may mean them; undefined when the blob has changed meanwhile. */
async function committedBlocks(
  blobs: BlobService,
  ref: BlobRef,
  listed: readonly ListedBlock[],
  seen: Seen,
): Promise<ReadonlyMap<string, BlockEntry> | undefined> {
  const found = new Map<string, BlockEntry>();
  const { content } = seen;
  if (content === undefined || listed.every(({ from }) => from === "uncommitted")) return found;
  let range = blockPagesOf(content);
  for (let isMore = true; isMore; await turns.yieldToEventLoop()) {
    const last = await blobs.parts.store.read(async (read) => {
      const { stored } = await findBlob(read, ref);
      if (!(await isAsSeen(read, stored, seen))) return undefined;
      let [key, count] = [range.from, 0];
      for await (const page of read.range({ ...range, limit: BLOB_LIMITS.reclaimPagesPerStep })) {
        for (const block of blockPageRecord.unpack(page.value).blocks) found.set(block.id, block);
        key = page.key;
        count++;
      }
      return { key, count };
    });
    if (last === undefined) return undefined;
    isMore = last.count === BLOB_LIMITS.reclaimPagesPerStep;
    range = { ...range, from: `${last.key}\0` };
  }
  return found;
}

/** What is ready becomes the blob's own, if the blob is still as it was seen. */
export async function takePrepared(
  write: Writer,
  stored: BlobRecord | undefined,
  { seen, reminder }: PreparedBlocks,
): Promise<boolean> {
  if (!(await isAsSeen(write, stored, seen)) || (await write.get(reminder)) === undefined) return false;
  write.delete(reminder);
  return true;
}

/** Gives back what was made ready, unless its reminder came first. */
export async function giveUp(
  blobs: BlobService,
  { content, reminder }: Pick<PreparedBlocks, "content" | "reminder">,
): Promise<undefined> {
  await blobs.parts.store.write(async (write) => {
    if ((await write.get(reminder)) === undefined) return;
    write.delete(reminder);
    await releaseBlobContent(blobs.parts.payloads, write, { blocks: content });
  });
}
