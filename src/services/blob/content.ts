import { assert } from "../../base/assert.ts";
import { DamagedData } from "../../base/faults.ts";
import { KIB } from "../../base/limits.ts";
import { release } from "../../memory/pooled-buffer.ts";
import { blockPageKey, blockPagesOf, contentKey, placeOfBlockPage } from "../../store/keys/blob.ts";
import type { MaybePromise, Reader, Writer } from "../../store/kv.ts";
import {
  type BlobContent,
  type BlobRecord,
  type BlockEntry,
  blockPageRecord,
  contentRecord,
  type StoredSlice,
} from "../../store/records/blob.ts";
import { openContent } from "../payload/content.ts";
import { inlinePayload } from "../payload/open-payload.ts";
import type { OpenPayload, Payloads, SliceRange } from "../payload/payloads.ts";
import { BLOB_LIMITS } from "./limits.ts";
import { openPages } from "./open-pages.ts";
import { addPagesReference, releasePages } from "./page-content.ts";
import { discard } from "./retention.ts";

/**
 * The bytes of a blob: their reference counts, and how they are read. Each record that names a content holds
 * one reference. When a blob's current record becomes a version, the reference moves with it.
 */
export async function addBlobContentReference(
  payloads: Payloads,
  write: Writer,
  content: BlobContent,
): Promise<void> {
  if ("slices" in content) await payloads.share(write, content.slices);
  else if ("pages" in content) await addPagesReference(write, content);
  else if ("blocks" in content) await count(write, content.blocks, 1);
}

export function releaseBlobContent(
  payloads: Payloads,
  write: Writer,
  content: BlobContent,
): MaybePromise<void> {
  if (!("inline" in content)) return releaseStored(payloads, write, content);
}

async function releaseStored(
  payloads: Payloads,
  write: Writer,
  content: Exclude<BlobContent, { readonly inline: Buffer }>,
): Promise<void> {
  if ("slices" in content) await payloads.drop(write, content.slices);
  else if ("pages" in content) await releasePages(write, content);
  else if ("blocks" in content && (await count(write, content.blocks, -1)) === 0) {
    discard(write, { what: "content", id: content.blocks, form: "blocks" });
  }
}

async function count(write: Writer, id: bigint, change: number): Promise<number> {
  const stored = await write.get(contentKey(id));
  assert(stored !== undefined, () => `content ${id} is referenced but has no reference count`);
  const refs = contentRecord.unpack(stored).refs + change;
  assert(refs >= 0, () => `content ${id} would have ${refs} references`);
  if (refs === 0) write.delete(contentKey(id));
  else write.put(contentKey(id), contentRecord.pack({ refs }));
  return refs;
}

/** A new content made of these blocks, with its first reference. The slices must already be referenced. */
export function putBlocks(write: Writer, blocks: readonly BlockEntry[]): BlobContent {
  const id = putEmptyBlocks(write);
  let offset = 0;
  for (let first = 0; first < blocks.length; first += BLOB_LIMITS.blocksPerPage) {
    const page = blocks.slice(first, first + BLOB_LIMITS.blocksPerPage);
    putBlockPage(write, id, { first, offset }, page);
    for (const { length } of page) offset += length;
  }
  return { blocks: id };
}

/** A new content without blocks, with its first reference. */
export function putEmptyBlocks(write: Writer): bigint {
  const id = write.revision();
  write.put(contentKey(id), contentRecord.pack({ refs: 1 }));
  return id;
}

/**
 * Writes up to `blocksPerPage` blocks. The first is block `first` of the list and begins at byte `offset`.
 */
export function putBlockPage(
  write: Writer,
  content: bigint,
  { first, offset }: { readonly first: number; readonly offset: number },
  blocks: readonly BlockEntry[],
): void {
  write.put(blockPageKey(content, pageStart(offset, first)), blockPageRecord.pack({ blocks }));
}

/**
 * Pages are found by the offset of their first byte. Blocks may be empty, so two pages can begin at the same
 * byte: the low bits distinguish them by their position in the list.
 */
const PAGES_MAX = 1_024n;

export function pageStart(offset: number, firstBlock: number): bigint {
  return BigInt(offset) * PAGES_MAX + BigInt(Math.floor(firstBlock / BLOB_LIMITS.blocksPerPage));
}

/** All blocks in order, a page at a time: 50,000 steps of an asynchronous loop cost more than the blocks. */
export async function* blocksOf(read: Reader, content: BlobContent): AsyncGenerator<readonly BlockEntry[]> {
  if (!("blocks" in content)) return;
  for await (const { value } of read.range(blockPagesOf(content.blocks))) {
    yield blockPageRecord.unpack(value).blocks;
  }
}

/** The blocks that overlap the range, and the offset of the first. */
async function blocksIn(
  read: Reader,
  content: { readonly blocks: bigint },
  { from, length }: SliceRange,
): Promise<{ readonly start: number; readonly blocks: BlockEntry[] }> {
  const all = blockPagesOf(content.blocks);
  // The page with the first byte is the last one that does not begin after it.
  const last = blockPageKey(content.blocks, pageStart(from + 1, 0));
  let first = all.from;
  for await (const { key } of read.range({ from: all.from, to: last, reverse: true, limit: 1 })) first = key;
  const end = blockPageKey(content.blocks, pageStart(from + length, 0));
  const blocks: BlockEntry[] = [];
  let start: number | undefined;
  for await (const { key, value } of read.range({ from: first, to: end })) {
    start ??= Number(placeOfBlockPage(key) / PAGES_MAX);
    blocks.push(...blockPageRecord.unpack(value).blocks);
  }
  return { start: start ?? 0, blocks };
}

/**
 * Opens the bytes of a record inside the store snapshot that the record was read in. They can then be
 * streamed to the end, even if the blob is overwritten meanwhile.
 */
export async function openBlobContent(
  payloads: Payloads,
  read: Reader,
  { content, length }: Pick<BlobRecord, "content" | "length">,
  range: SliceRange = { from: 0, length },
): Promise<OpenPayload> {
  if ("inline" in content) return inlinePayload(content.inline);
  if ("slices" in content) return payloads.open(read, content.slices, range);
  if ("pages" in content) return openPages(payloads, read, { content, length }, range);
  const { start, blocks } = await blocksIn(read, content, range);
  return openBlocks(payloads, read, blocks, { start, range, length });
}

interface OpenBlock {
  /** Its offset in the blob. */
  readonly start: number;
  readonly payload: OpenPayload;
}

async function openBlocks(
  payloads: Payloads,
  read: Reader,
  blocks: readonly BlockEntry[],
  { start, range, length }: { readonly start: number; readonly range: SliceRange; readonly length: number },
): Promise<OpenPayload> {
  // Adjacent blocks in extents are opened together: one look-up, and the reader prefetches across them.
  const groups: {
    readonly begin: number;
    readonly bytes: BlockEntry["bytes"] & { slices?: StoredSlice[] };
  }[] = [];
  let end = start;
  for (const { bytes, length: blockBytes } of blocks) {
    const begin = end;
    end += blockBytes;
    if (begin >= range.from + range.length || end <= range.from) continue;
    const last = groups.at(-1)?.bytes.slices;
    if ("inline" in bytes) groups.push({ begin, bytes });
    else if (last === undefined) groups.push({ begin, bytes: { slices: [...bytes.slices] } });
    else last.push(...bytes.slices);
  }
  const opened: OpenBlock[] = [];
  for (const { begin, bytes } of groups) {
    const inGroup = { from: Math.max(0, range.from - begin), length: range.length };
    opened.push({ start: begin, payload: await openContent(payloads, read, bytes, inGroup) });
  }
  if (opened.length === 1 && opened[0]!.start === 0) return opened[0]!.payload;
  return {
    length,
    stream: (from, count) => streamBlocks(opened, from, count),
    close() {
      for (const { payload } of opened) payload.close();
    },
  };
}

/** Small chunks are sent together, because each one costs the connection as much as a large one. */
const COALESCED_BYTES = 64 * KIB;
const SMALL_CHUNK_BYTES = 4 * KIB;

async function* streamBlocks(
  blocks: readonly OpenBlock[],
  from: number,
  count: number,
): AsyncGenerator<Buffer> {
  let small: Buffer[] = [];
  let smallBytes = 0;
  const flush = (): Buffer => {
    const chunk = small.length === 1 ? small[0]! : Buffer.concat(small, smallBytes);
    if (small.length > 1) for (const copied of small) release(copied);
    small = [];
    smallBytes = 0;
    return chunk;
  };
  let missing = count;
  for (const { start, payload } of blocks) {
    const low = Math.max(from, start);
    const high = Math.min(from + count, start + payload.length);
    if (low >= high) continue;
    for await (const chunk of payload.stream(low - start, high - low)) {
      const isSmall = chunk.length < SMALL_CHUNK_BYTES;
      if (smallBytes > 0 && (!isSmall || smallBytes >= COALESCED_BYTES)) yield flush();
      if (isSmall) {
        small.push(chunk);
        smallBytes += chunk.length;
      } else yield chunk;
    }
    missing -= high - low;
  }
  if (smallBytes > 0) yield flush();
  if (missing !== 0) throw new DamagedData(`the blocks of a blob are ${missing} bytes short`);
}
