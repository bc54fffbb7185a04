import type { Reader, Writer } from "../../store/kv.ts";
import { type BlobContent, type BlobRecord, type BlockEntry } from "../../store/records/blob.ts";
import type { OpenPayload, Payloads, SliceRange } from "../payload/payloads.ts";
/**
 * The bytes of a blob: who counts on them, and how they are read. Every record that names a content holds one
 * reference; moving a record (a blob that becomes its own past) moves the reference and touches nothing.
 */
export declare function shareBlobContent(payloads: Payloads, write: Writer, content: BlobContent): Promise<void>;
export declare function releaseBlobContent(payloads: Payloads, write: Writer, content: BlobContent): Promise<void>;
/** A new content made of these blocks, with its first reference. The slices must already be counted. */
export declare function putBlocks(write: Writer, blocks: readonly BlockEntry[]): BlobContent;
export declare function pageStart(offset: number, firstBlock: number): bigint;
/** All blocks, in order. */
export declare function blocksOf(read: Reader, content: BlobContent): AsyncGenerator<BlockEntry>;
/**
 * Opens the bytes of a record for reading, inside the snapshot the record was read in. From then on they can be
 * streamed to the end, whatever is written over the blob meanwhile.
 */
export declare function openBlobContent(payloads: Payloads, read: Reader, { content, length }: Pick<BlobRecord, "content" | "length">, range?: SliceRange): Promise<OpenPayload>;
