import type { PayloadService } from "../payload/payload-service.ts";
/**
 * Moves what is alive in a sealed extent into the open one, up to about `bytesMax` of it. Returns the bytes moved.
 *
 * Bytes first, records second, as with any write: the copies are durable before a transaction points homes to
 * them, and that transaction leaves alone what was dropped meanwhile. Readers of the old place have its extent
 * pinned. A crash in between leaves copies nobody points to.
 */
export declare function compactExtent(payload: PayloadService, extent: bigint, bytesMax: number): Promise<number>;
