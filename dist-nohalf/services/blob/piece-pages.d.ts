import type { Chore } from "../reclaim/chores.ts";
import type { BlobService } from "./blob-service.ts";
/**
 * Puts segments together that were written in many small pieces: neighbouring ranges become one slice, and bytes
 * that were written over are given back. The map stays small, and reads of it stay long.
 */
export declare function piecePages(blobs: BlobService): Chore;
export declare function piecePagesStep(blobs: BlobService): Promise<"more" | "done">;
