import { BLOB_LIMITS } from "../../base/limits-blob.ts";
import { Refusal } from "../../base/refusals.ts";
import { stagedBlockKey } from "../../store/keys/blob.ts";
import type { Writer } from "../../store/kv.ts";
import {
  type BlobContent,
  type BlobRecord,
  type BlockEntry,
  type StoredSlice,
  stagedBlockRecord,
} from "../../store/records/blob.ts";
import type { BlobService } from "./blob-service.ts";
import { findBlob } from "./blobs.ts";
import { blocksOf, putBlocks } from "./content.ts";
import { checkKey } from "./get-blob.ts";
import type { BlobRef } from "./names.ts";
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
 * Put Block List: in one transaction every id is found, the list becomes the content, blocks that are not in it
 * go, and metadata and properties are replaced. Until then readers have the old content, after it the new one.
 */
export async function putBlockList(blobs: BlobService, request: PutBlockList): Promise<Written> {
  const { ref, properties } = request;
  if (request.blocks.length > BLOB_LIMITS.committedBlocksMax) throw new Refusal("BlockListTooLong");
  return blobs.parts.store.write(async (write) => {
    const found = await findBlob(write, ref);
    checkCreate(write, found, request);
    const { stored } = found;
    if (stored !== undefined && stored.kind !== "block") throw new Refusal("InvalidBlobType");
    if (stored?.isUncommitted === true) checkKey(stored, properties.encryption.keySha256);
    const blocks = await gather(blobs, write, stored, request.blocks);
    const content: BlobContent = blocks.length === 0 ? { inline: Buffer.alloc(0) } : putBlocks(write, blocks);
    const length = blocks.reduce((sum, block) => sum + block.length, 0);
    const made = newBlob(write, found, { kind: "block", content, length, properties });
    const after: BlobRecord =
      blocks.length === 0
        ? made
        : { ...made, blockCount: blocks.length, blockIdBytes: Buffer.from(blocks[0]!.id, "base64").length };
    return writtenOf(
      await replaceBlob(blobs, write, { container: found.container, ref }, { before: stored, after }),
    );
  });
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
  const staged = await stagedOf(write, stored?.staging, listed);
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

async function stagedOf(
  write: Writer,
  staging: bigint | undefined,
  listed: readonly ListedBlock[],
): Promise<Map<string, BlockEntry>> {
  const found = new Map<string, BlockEntry>();
  if (staging === undefined) return found;
  const ids = [...new Set(listed.filter(({ from }) => from !== "committed").map(({ id }) => id))];
  const records = await write.getMany(ids.map((id) => stagedBlockKey(staging, id)));
  for (const [i, bytes] of records.entries()) {
    if (bytes !== undefined) found.set(ids[i]!, { id: ids[i]!, ...stagedBlockRecord.unpack(bytes) });
  }
  return found;
}

async function committedOf(write: Writer, stored: BlobRecord | undefined): Promise<Map<string, BlockEntry>> {
  const found = new Map<string, BlockEntry>();
  if (stored === undefined) return found;
  for await (const page of blocksOf(write, stored.content))
    for (const block of page) found.set(block.id, block);
  return found;
}
