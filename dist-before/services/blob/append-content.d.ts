import type { Writer } from "../../store/kv.ts";
import { type BlobContent, type BlobRecord, type BlockEntry } from "../../store/records/blob.ts";
import type { Payloads } from "../payload/payloads.ts";
/**
 * The content of an append blob: blocks like those of a block blob, one at a key, keyed by the offset it was
 * written to. An append writes one new key and no old one, so its cost does not grow with the blob.
 *
 * Snapshots and copies share the content and read no further than their own length; the blob goes on growing
 * behind it. Only where two of them want to grow from the same place does the second one need a content of its
 * own: it finds the key it wants taken.
 */
export declare function appendToContent(payloads: Payloads, write: Writer, { content, length }: Pick<BlobRecord, "content" | "length">, bytes: BlockEntry["bytes"], appended: number): Promise<BlobContent>;
