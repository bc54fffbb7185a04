import { blockPageKey, blockPagesOf, placeOfBlockPage } from "../../store/keys/blob.ts";
import type { Writer } from "../../store/kv.ts";
import {
  type BlobContent,
  type BlobRecord,
  type BlockEntry,
  blockPageRecord,
} from "../../store/records/blob.ts";
import type { Payloads } from "../payload/payloads.ts";
import { pageStart, putNoBlocks, releaseBlobContent } from "./content.ts";

/**
 * The content of an append blob: blocks like those of a block blob, one at a key, keyed by the offset it was
 * written to. An append writes one new key and no old one, so its cost does not grow with the blob.
 *
 * Snapshots and copies share the content and read no further than their own length; the blob goes on growing
 * behind it. Only where two of them want to grow from the same place does the second one need a content of its
 * own: it finds the key it wants taken.
 */
export async function appendToContent(
  payloads: Payloads,
  write: Writer,
  { content, length }: Pick<BlobRecord, "content" | "length">,
  bytes: BlockEntry["bytes"],
  appended: number,
): Promise<BlobContent> {
  const grown = await ownBlocks(payloads, write, { content, length });
  const entry: BlockEntry = { id: "", length: appended, bytes };
  write.put(placeAt(grown, length), blockPageRecord.pack({ blocks: [entry] }));
  return { blocks: grown };
}

function placeAt(content: bigint, offset: number): string {
  return blockPageKey(content, pageStart(offset, 0));
}

/** The id of a content of blocks that ends at `length`. */
async function ownBlocks(
  payloads: Payloads,
  write: Writer,
  { content, length }: Pick<BlobRecord, "content" | "length">,
): Promise<bigint> {
  if ("blocks" in content) {
    if ((await write.get(placeAt(content.blocks, length))) === undefined) return content.blocks;
    const id = await copyBlocks(payloads, write, content.blocks, length);
    await releaseBlobContent(payloads, write, content);
    return id;
  }
  const id = putNoBlocks(write);
  // What came in one piece (a copy from elsewhere) is the first block; its references move along.
  if (length > 0 && !("pages" in content)) {
    write.put(placeAt(id, 0), blockPageRecord.pack({ blocks: [{ id: "", length, bytes: content }] }));
  }
  return id;
}

async function copyBlocks(payloads: Payloads, write: Writer, from: bigint, length: number): Promise<bigint> {
  const id = putNoBlocks(write);
  const range = { ...blockPagesOf(from), to: placeAt(from, length) };
  for await (const { key, value } of write.range(range)) {
    write.put(blockPageKey(id, placeOfBlockPage(key)), value);
    for (const { bytes } of blockPageRecord.unpack(value).blocks) {
      if ("slices" in bytes) await payloads.share(write, bytes.slices);
    }
  }
  return id;
}
