import { blockPageKey, blockPagesOf, placeOfBlockPage } from "../../store/keys/blob.ts";
import type { Writer } from "../../store/kv.ts";
import {
  type BlobContent,
  type BlobRecord,
  type BlockEntry,
  blockPageRecord,
} from "../../store/records/blob.ts";
import type { Payloads } from "../payload/payloads.ts";
import { pageStart, putEmptyBlocks, releaseBlobContent } from "./content.ts";

/**
 * The content of an append blob: blocks like those of a block blob, one per key, keyed by their offset. An
 * append writes one new key and changes none, so its cost does not grow with the blob.
 *
 * Snapshots and copies share the content and read only up to their own length, while the blob grows behind
 * that. When a second blob appends at the same offset, its key is already in use, and the blob gets a copy of
 * its own.
 */
export async function appendToContent(
  payloads: Payloads,
  write: Writer,
  { content, length }: Pick<BlobRecord, "content" | "length">,
  bytes: BlockEntry["bytes"],
  appended: number,
): Promise<BlobContent> {
  const blocks = await appendableBlocks(payloads, write, { content, length });
  const entry: BlockEntry = { id: "", length: appended, bytes };
  write.put(keyAt(blocks, length), blockPageRecord.pack({ blocks: [entry] }));
  return { blocks };
}

function keyAt(content: bigint, offset: number): string {
  return blockPageKey(content, pageStart(offset, 0));
}

/** The id of a content of blocks that ends at `length`. */
async function appendableBlocks(
  payloads: Payloads,
  write: Writer,
  { content, length }: Pick<BlobRecord, "content" | "length">,
): Promise<bigint> {
  if ("blocks" in content) {
    if ((await write.get(keyAt(content.blocks, length))) === undefined) return content.blocks;
    const id = await copyBlocks(payloads, write, content.blocks, length);
    await releaseBlobContent(payloads, write, content);
    return id;
  }
  const id = putEmptyBlocks(write);
  // Content without blocks (of a copy from another server) becomes the first block, with its references.
  if (length > 0 && !("pages" in content)) {
    write.put(keyAt(id, 0), blockPageRecord.pack({ blocks: [{ id: "", length, bytes: content }] }));
  }
  return id;
}

async function copyBlocks(payloads: Payloads, write: Writer, from: bigint, length: number): Promise<bigint> {
  const id = putEmptyBlocks(write);
  const range = { ...blockPagesOf(from), to: keyAt(from, length) };
  for await (const { key, value } of write.range(range)) {
    write.put(blockPageKey(id, placeOfBlockPage(key)), value);
    for (const { bytes } of blockPageRecord.unpack(value).blocks) {
      if ("slices" in bytes) await payloads.share(write, bytes.slices);
    }
  }
  return id;
}
