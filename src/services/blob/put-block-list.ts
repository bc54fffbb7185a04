import { Refusal } from "../../base/refusals.ts";
import { stagedBlockKey, stagingKey } from "../../store/keys/blob.ts";
import type { Reader, Writer } from "../../store/kv.ts";
import {
  type BlobContent,
  type BlobRecord,
  type BlockEntry,
  type StoredSlice,
  stagingRecord,
} from "../../store/records/blob.ts";
import { NO_CONTENT } from "../payload/content.ts";
import { type Found, findBlob } from "./blobs.ts";
import { blocksOf, putBlocks } from "./content.ts";
import type { BlobContext } from "./context.ts";
import { BLOB_LIMITS } from "./limits.ts";
import {
  type BlobProperties,
  checkCreate,
  checkKey,
  type NewBlobTarget,
  newBlob,
  type Written,
  writtenOf,
} from "./new-blob.ts";
import {
  blocksVersionOf,
  checkSources,
  claimPrepared,
  type ListedBlock,
  prepareBlockList,
  releasePrepared,
  resolveBlock,
  stagedBlocks,
} from "./prepare-block-list.ts";
import { replaceBlob } from "./replace-blob.ts";

export interface PutBlockList extends NewBlobTarget {
  readonly blocks: readonly ListedBlock[];
  readonly properties: BlobProperties;
}

/**
 * Put Block List: one transaction makes the list the content, discards blocks that are not in it, and
 * replaces metadata and properties. Readers see the old content until it commits and the new content after.
 * The blocks of a short list are resolved in that transaction; those of a long list are prepared before.
 */
export async function putBlockList(blobs: BlobContext, request: PutBlockList): Promise<Written> {
  const { length } = request.blocks;
  if (length > BLOB_LIMITS.committedBlocksMax) throw new Refusal("BlockListTooLong");
  if (length <= BLOB_LIMITS.blocksAtOnceMax) return putAtOnce(blobs, request);
  return blobs.preparedLists.run(async () => {
    for (let attempt = 0; attempt < BLOB_LIMITS.listAttemptsMax; attempt++) {
      const written = await putPrepared(blobs, request);
      if (written !== undefined) return written;
    }
    // Other clients keep changing the blob: commit in one transaction, and they wait for it.
    return putAtOnce(blobs, request);
  });
}

function putAtOnce(blobs: BlobContext, request: PutBlockList): Promise<Written> {
  return blobs.store.write(async (write) => {
    const found = await findTarget(write, request);
    const blocks = await resolveBlocks(blobs, write, found.stored, request.blocks);
    const content: BlobContent = blocks.length === 0 ? NO_CONTENT : putBlocks(write, blocks);
    const length = blocks.reduce((sum, block) => sum + block.length, 0);
    return commit(blobs, write, { request, found, content, length });
  });
}

/** Undefined when the blob changed meanwhile. */
async function putPrepared(blobs: BlobContext, request: PutBlockList): Promise<Written | undefined> {
  const { store } = blobs;
  // The commit checks again; this check refuses before the list is prepared.
  const version = await store.read(async (read) =>
    blocksVersionOf(read, (await findTarget(read, request)).stored),
  );
  const prepared = await prepareBlockList(blobs, request, version);
  if (prepared === undefined) return undefined;
  try {
    const written = await store.write(async (write) => {
      const found = await findTarget(write, request);
      if (!(await claimPrepared(write, found.stored, prepared))) return undefined;
      const { content, length } = prepared;
      return commit(blobs, write, { request, found, content: { blocks: content }, length });
    });
    if (written === undefined) await releasePrepared(blobs, prepared);
    return written;
  } catch (error) {
    if (error instanceof Refusal) await releasePrepared(blobs, prepared);
    throw error;
  }
}

/** The blob that the list may be put to. */
async function findTarget(read: Reader, request: PutBlockList): Promise<Found> {
  const found = await findBlob(read, request.ref);
  checkCreate(read, found, request);
  const { stored } = found;
  if (stored !== undefined && stored.kind !== "block") throw new Refusal("InvalidBlobType");
  const { keySha256 } = request.properties.encryption;
  if (stored?.isUncommitted === true) checkKey(stored, keySha256);
  else if (stored?.staging !== undefined) {
    const bytes = await read.get(stagingKey(stored.staging));
    const staging = bytes === undefined ? undefined : stagingRecord.unpack(bytes);
    if (staging?.keySha256 !== undefined) checkKey(staging, keySha256);
  }
  return found;
}

async function commit(
  blobs: BlobContext,
  write: Writer,
  {
    request: { properties, blocks },
    found,
    ...content
  }: {
    readonly request: PutBlockList;
    readonly found: Found;
    readonly content: BlobContent;
    readonly length: number;
  },
): Promise<Written> {
  let after = newBlob(write, found, { kind: "block", ...content, properties });
  if (blocks.length > 0) {
    const blockIdBytes = Buffer.from(blocks[0]!.id, "base64").length;
    after = { ...after, blockCount: blocks.length, blockIdBytes };
  }
  return writtenOf(await replaceBlob(blobs, write, found, after));
}

/**
 * The blocks of the list, each with a reference for the content it goes into. The first use of a staged block
 * moves the staging's reference; each further use adds one.
 */
async function resolveBlocks(
  blobs: BlobContext,
  write: Writer,
  stored: BlobRecord | undefined,
  listed: readonly ListedBlock[],
): Promise<BlockEntry[]> {
  const staged = await stagedBlocks(write, stored?.staging, listed);
  const needsCommitted = listed.some(
    ({ id, from }) => from === "committed" || (from === "latest" && !staged.has(id)),
  );
  const committed = needsCommitted ? await committedBlocks(write, stored) : new Map<string, BlockEntry>();
  checkSources(listed);
  const shared: StoredSlice[] = [];
  const moved = new Set<string>();
  const blocks = listed.map((entry) => {
    const { block, isStaged } = resolveBlock(entry, staged, committed);
    if (isStaged && !moved.has(entry.id)) moved.add(entry.id);
    else if ("slices" in block.bytes) shared.push(...block.bytes.slices);
    return block;
  });
  if (shared.length > 0) await blobs.payloads.share(write, shared);
  // These leave the staging, so that the rest of it can be discarded as a whole.
  for (const id of moved) write.delete(stagedBlockKey(stored!.staging!, id));
  return blocks;
}

async function committedBlocks(
  write: Writer,
  stored: BlobRecord | undefined,
): Promise<Map<string, BlockEntry>> {
  const committed = new Map<string, BlockEntry>();
  if (stored === undefined) return committed;
  for await (const page of blocksOf(write, stored.content))
    for (const block of page) committed.set(block.id, block);
  return committed;
}
