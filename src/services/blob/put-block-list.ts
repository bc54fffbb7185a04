import { Refusal } from "../../base/refusals.ts";
import { stagedBlockKey } from "../../store/keys/blob.ts";
import type { Reader, Writer } from "../../store/kv.ts";
import type { BlobContent, BlobRecord, BlockEntry, StoredSlice } from "../../store/records/blob.ts";
import type { BlobService } from "./blob-service.ts";
import { type Found, findBlob } from "./blobs.ts";
import { blocksOf, putBlocks } from "./content.ts";
import { checkKey } from "./get-blob.ts";
import { BLOB_LIMITS } from "./limits.ts";
import type { BlobRef } from "./names.ts";
import {
  giveUp,
  oneOfFewLists,
  prepareBlocks,
  seenOf,
  stagedBlocks,
  takePrepared,
} from "./prepare-blocks.ts";
import {
  type BlobProperties,
  type CreateGuards,
  checkCreate,
  newBlob,
  type Written,
  writtenOf,
} from "./put-blob.ts";
import { replaceBlob } from "./replace-blob.ts";

/** Where a block of the list is to be looked for; "latest": among the uncommitted first. */
export type BlockSource = "committed" | "uncommitted" | "latest";

export interface ListedBlock {
  readonly id: string;
  readonly from: BlockSource;
}

export interface PutBlockList extends CreateGuards {
  readonly ref: BlobRef;
  readonly blocks: readonly ListedBlock[];
  readonly properties: BlobProperties;
}

/**
 * Put Block List: in one transaction the list becomes the content, blocks that are not in it go, and metadata and
 * properties are replaced. Until then readers have the old content, after it the new one. The blocks of a short
 * list are found in that transaction; those of a long one were made ready before it.
 */
export async function putBlockList(blobs: BlobService, request: PutBlockList): Promise<Written> {
  const { length } = request.blocks;
  if (length > BLOB_LIMITS.committedBlocksMax) throw new Refusal("BlockListTooLong");
  if (length <= BLOB_LIMITS.blocksAtOnceMax) return putAtOnce(blobs, request);
  return oneOfFewLists(async () => {
    for (let attempt = 0; attempt < BLOB_LIMITS.listAttemptsMax; attempt++) {
      const written = await putPrepared(blobs, request);
      if (written !== undefined) return written;
    }
    // Somebody goes on putting blocks: they wait for once.
    return putAtOnce(blobs, request);
  });
}

function putAtOnce(blobs: BlobService, request: PutBlockList): Promise<Written> {
  return blobs.parts.store.write(async (write) => {
    const found = await findList(write, request);
    const blocks = await gather(blobs, write, found.stored, request.blocks);
    const content: BlobContent = blocks.length === 0 ? { inline: Buffer.alloc(0) } : putBlocks(write, blocks);
    const length = blocks.reduce((sum, block) => sum + block.length, 0);
    return commit(blobs, write, { request, found, content, length });
  });
}

/** Undefined when the blob changed meanwhile. */
async function putPrepared(blobs: BlobService, request: PutBlockList): Promise<Written | undefined> {
  const { store } = blobs.parts;
  // Not trusted later, but whoever will be refused hears of it before the work.
  const seen = await store.read(async (read) => seenOf(read, (await findList(read, request)).stored));
  const prepared = await prepareBlocks(blobs, request, seen);
  if (prepared === undefined) return undefined;
  try {
    const written = await store.write(async (write) => {
      const found = await findList(write, request);
      if (!(await takePrepared(write, found.stored, prepared))) return undefined;
      const { content, length } = prepared;
      return commit(blobs, write, { request, found, content: { blocks: content }, length });
    });
    if (written === undefined) await giveUp(blobs, prepared);
    return written;
  } catch (error) {
    if (error instanceof Refusal) await giveUp(blobs, prepared);
    throw error;
  }
}

/** The blob the list is for, when it may be put there. */
async function findList(read: Reader, request: PutBlockList): Promise<Found> {
  const found = await findBlob(read, request.ref);
  checkCreate(read, found, request);
  const { stored } = found;
  if (stored !== undefined && stored.kind !== "block") throw new Refusal("InvalidBlobType");
  if (stored?.isUncommitted === true) checkKey(stored, request.properties.encryption.keySha256);
  return found;
}

interface ListedContent {
  readonly request: PutBlockList;
  readonly found: Found;
  readonly content: BlobContent;
  readonly length: number;
}

async function commit(
  blobs: BlobService,
  write: Writer,
  { request, found, content, length }: ListedContent,
): Promise<Written> {
  const { ref, properties, blocks } = request;
  const { stored, container } = found;
  const made = newBlob(write, found, { kind: "block", content, length, properties });
  const after: BlobRecord =
    blocks.length === 0
      ? made
      : { ...made, blockCount: blocks.length, blockIdBytes: Buffer.from(blocks[0]!.id, "base64").length };
  return writtenOf(await replaceBlob(blobs, write, { container, ref }, { before: stored, after }));
}

/**
 * The blocks of the list, each holding a reference of the content it goes into: a staged block brings its own
 * along the first time it is used, every other use is one more.
 */
async function gather(
  blobs: BlobService,
  write: Writer,
  stored: BlobRecord | undefined,
  listed: readonly ListedBlock[],
): Promise<BlockEntry[]> {
  const staged = await stagedBlocks(write, stored?.staging, listed);
  const needsCommitted = listed.some(
    ({ id, from }) => from === "committed" || (from === "latest" && !staged.has(id)),
  );
  const committed = needsCommitted ? await committedOf(write, stored) : new Map<string, BlockEntry>();
  const blocks: BlockEntry[] = [];
  const shared: StoredSlice[] = [];
  const used = new Set<string>();
  const kinds = new Map<string, BlockSource>();
  for (const { id, from } of listed) {
    // One id may stand in the list several times, but each time for the same block.
    if ((kinds.get(id) ?? from) !== from) throw new Refusal("InvalidBlockList");
    kinds.set(id, from);
    const fresh = from === "committed" ? undefined : staged.get(id);
    const block = fresh ?? (from === "uncommitted" ? undefined : committed.get(id));
    if (block === undefined) throw new Refusal("InvalidBlockList");
    if (fresh !== undefined && !used.has(id)) used.add(id);
    else if ("slices" in block.bytes) shared.push(...block.bytes.slices);
    blocks.push(block);
  }
  if (shared.length > 0) await blobs.parts.payloads.share(write, shared);
  // Taken out of the staging, so that what is left there can be given back as a whole.
  for (const id of used) write.delete(stagedBlockKey(stored!.staging!, id));
  return blocks;
}

async function committedOf(write: Writer, stored: BlobRecord | undefined): Promise<Map<string, BlockEntry>> {
  const found = new Map<string, BlockEntry>();
  if (stored === undefined) return found;
  for await (const page of blocksOf(write, stored.content))
    for (const block of page) found.set(block.id, block);
  return found;
}
