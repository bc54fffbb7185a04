export type PayloadSource = AsyncIterable<Uint8Array> | Uint8Array;
/** Some data on its way to the disk, in the parts it came in. */
export interface Piece {
    readonly parts: readonly Uint8Array[];
    readonly length: number;
}
/**
 * Cuts a source into pieces of at most `bytesMax()`, which is asked anew for each piece; every piece but the last
 * is that long. Parts are passed on as they came: a source gives its buffers away. Only small ones are copied
 * together, so that no client can make us hold a long list.
 */
export declare function cutPieces(source: PayloadSource, bytesMax: () => number): AsyncGenerator<Piece>;
