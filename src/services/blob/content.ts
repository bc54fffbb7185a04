import { assert } from "../../base/assert.ts";
import { DamagedData } from "../../base/faults.ts";
import { KIB } from "../../base/limits.ts";
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
import { inlinePayload } from "../payload/open-payload.ts";
import type { OpenPayload, Payloads, SliceRange } from "../payload/payloads.ts";
import { BLOB_LIMITS } from "./limits.ts";
import { openPages } from "./open-pages.ts";
import { releasePages, sharePages } from "./page-content.ts";
import { discard } from "./retention.ts";

/**
 * The bytes of a blob: who counts on them, and how they are read. Every record that names a content holds one
 * reference; moving a record (a blob that becomes its own past) moves the reference and touches nothing.
 */
export async function shareBlobContent(
  payloads: Payloads,
  write: Writer,
  content: BlobContent,
): Promise<void> {
  if ("slices" in content) await payloads.share(write, content.slices);
  else if ("pages" in content) await sharePages(write, content);
  else if ("blocks" in content) await count(write, content.blocks, 1);
}

export function releaseBlobContent(
  payloads: Payloads,
  write: Writer,
  content: BlobContent,
): MaybePromise<void> {
  if (!("inline" in content)) return releaseLong(payloads, write, content);
}

async function releaseLong(
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
  assert(stored !== undefined, () => `content ${id} is named and not counted`);
  const refs = contentRecord.unpack(stored).refs + change;
  assert(refs >= 0, () => `content ${id} would have ${refs} references`);
  if (refs === 0) write.delete(contentKey(id));
  else write.put(contentKey(id), contentRecord.pack({ refs }));
  return refs;
}

/** A new content made of these blocks, with its first reference. The slices must already be counted. */
export function putBlocks(write: Writer, blocks: readonly BlockEntry[]): BlobContent {
  const id = putNoBlocks(write);
  let offset = 0;
  for (let first = 0; first < blocks.length; first += BLOB_LIMITS.blocksPerPage) {
    const page = blocks.slice(first, first + BLOB_LIMITS.blocksPerPage);
    putBlockPage(write, id, { first, offset }, page);
    for (const { length } of page) offset += length;
  }
  return { blocks: id };
}

/** A new content of no blocks yet, with its first reference. */
export function putNoBlocks(write: Writer): bigint {
  const id = write.revision();
  write.put(contentKey(id), contentRecord.pack({ refs: 1 }));
  return id;
}

/** Up to `blocksPerPage` blocks, the first of which is the list's `first` and begins at `offset`. */
export function putBlockPage(
  write: Writer,
  content: bigint,
  { first, offset }: { readonly first: number; readonly offset: number },
  blocks: readonly BlockEntry[],
): void {
  write.put(blockPageKey(content, pageStart(offset, first)), blockPageRecord.pack({ blocks }));
}

/**
 * Pages are found by the offset of their first byte. Blocks may be empty, so that two pages could begin at the
 * same byte: the low bits tell them apart by their place in the list.
 */
const PAGES_MAX = 1_024n;

export function pageStart(offset: number, firstBlock: number): bigint {
  return BigInt(offset) * PAGES_MAX + BigInt(Math.floor(firstBlock / BLOB_LIMITS.blocksPerPage));
}

/** All blocks, in order, a page at a time: 50,000 steps of an asynchronous loop cost more than the blocks do. */
export async function* blocksOf(read: Reader, content: BlobContent): AsyncGenerator<readonly BlockEntry[]> {
  if (!("blocks" in content)) return;
  for await (const { value } of read.range(blockPagesOf(content.blocks))) {
    yield blockPageRecord.unpack(value).blocks;
  }
}

/** Blocks that hold bytes of the range, with the offset of the first of them. */
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
 * Opens the bytes of a record for reading, inside the snapshot the record was read in. From then on they can be
 * streamed to the end, whatever is written over the blob meanwhile.
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

interface Part {
  /** Where in the blob it begins. */
  readonly start: number;
  readonly payload: OpenPayload;
}

async function openBlocks(
  payloads: Payloads,
  read: Reader,
  blocks: readonly BlockEntry[],
  { start, range, length }: { readonly start: number; readonly range: SliceRange; readonly length: number },
): Promise<OpenPayload> {
  // Neighbours in extents are opened together: one look-up, and the reader runs ahead across them.
  const groups: {
    readonly start: number;
    readonly bytes: BlockEntry["bytes"] & { slices?: StoredSlice[] };
  }[] = [];
  let at = start;
  for (const block of blocks) {
    const begin = at;
    at += block.length;
    if (!overlaps(begin, at, range)) continue;
    const { bytes } = block;
    const last = groups.at(-1)?.bytes.slices;
    if ("inline" in bytes) groups.push({ start: begin, bytes });
    else if (last === undefined) groups.push({ start: begin, bytes: { slices: [...bytes.slices] } });
    else last.push(...bytes.slices);
  }
  const parts: Part[] = [];
  for (const { start: begin, bytes } of groups) {
    const payload =
      "inline" in bytes
        ? inlinePayload(bytes.inline)
        : await payloads.open(read, bytes.slices, {
            from: Math.max(0, range.from - begin),
            length: range.length,
          });
    parts.push({ start: begin, payload });
  }
  return joined(parts, length);
}

function overlaps(from: number, to: number, range: SliceRange): boolean {
  return from < range.from + range.length && to > range.from;
}

function joined(parts: readonly Part[], length: number): OpenPayload {
  if (parts.length === 1 && parts[0]!.start === 0) return parts[0]!.payload;
  return {
    length,
    stream: (from, wanted) => gathered(parts, from, wanted),
    close() {
      for (const { payload } of parts) payload.close();
    },
  };
}

/** Small blocks go out together: each piece costs the client's connection as much as a large one. */
const GATHERED_BYTES = 64 * KIB;
const SMALL_BYTES = 4 * KIB;

async function* gathered(parts: readonly Part[], from: number, wanted: number): AsyncGenerator<Buffer> {
  let small: Buffer[] = [];
  let bytes = 0;
  const taken = (): Buffer => {
    const whole = small.length === 1 ? small[0]! : Buffer.concat(small, bytes);
    small = [];
    bytes = 0;
    return whole;
  };
  let left = wanted;
  for (const { start, payload } of parts) {
    const low = Math.max(from, start);
    const high = Math.min(from + wanted, start + payload.length);
    if (low >= high) continue;
    for await (const piece of payload.stream(low - start, high - low)) {
      if (bytes > 0 && (piece.length >= SMALL_BYTES || bytes >= GATHERED_BYTES)) yield taken();
      if (piece.length >= SMALL_BYTES) yield piece;
      else {
        small.push(piece);
        bytes += piece.length;
      }
    }
    left -= high - low;
  }
  if (bytes > 0) yield taken();
  if (left !== 0) throw new DamagedData(`the blocks of a blob are ${left} bytes short`);
}
