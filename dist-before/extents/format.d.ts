/**
 * The bytes of an extent file. All numbers are little-endian.
 *
 *   0   8  magic "HFEXTENT"
 *   8   4  format version
 *   12  4  data bytes of a full chunk
 *   16  8  extent id
 *   24  4  zero
 *   28  4  CRC32 of the 28 bytes before
 *   32     frames
 *
 * A frame is the length of its data (4 bytes), a CRC32 (4 bytes) and the data. A slice is a row of frames: all
 * full but the last, so chunk i of a slice is at `offset + i * (8 + chunkBytes)` and no index is needed.
 *
 * The CRC covers the extent id, the offset of the frame, the length and the data: a frame that the disk put in
 * the wrong place, or left from a file that stood there before, does not pass for the one we look for.
 */
export declare const EXTENT_FORMAT_VERSION = 1;
export declare const FILE_HEADER_BYTES = 32;
export declare const FRAME_HEADER_BYTES = 8;
/** Where payload is: `length` bytes of data in frames that begin at `offset` of the extent's file. */
export interface Slice {
    readonly extent: bigint;
    readonly offset: number;
    readonly length: number;
}
/** The sizes of a log. Tests use smaller ones, to meet every edge within a few bytes. */
export interface ExtentShape {
    readonly chunkBytes: number;
    readonly pieceBytes: number;
    readonly extentBytesMax: number;
}
export declare function extentShape(shape?: Partial<ExtentShape>): ExtentShape;
/** What `length` bytes of data take in a file, with their frame headers. */
export declare function storedBytes(length: number, shape: Pick<ExtentShape, "chunkBytes">): number;
export declare function fileNameOf(extent: bigint): string;
/** The id in a file name; undefined for a file that is none of ours. */
export declare function extentOfFileName(name: string): bigint | undefined;
export declare function packFileHeader(extent: bigint, shape: ExtentShape): Buffer;
export type HeaderVerdict = "ok" | "damaged" | "newer";
export declare function checkFileHeader(header: Buffer, extent: bigint, shape: ExtentShape): HeaderVerdict;
/** The CRC every frame starts from: where it is and how long. The data is added with `crc32(data, seed)`. */
export declare function frameSeed(extent: bigint, offset: number, length: number): number;
/**
 * Data as it goes to the file: headers and data in turn, nothing copied. `offset` is where the first frame goes;
 * every frame but the last is full.
 */
export declare function frameParts(data: readonly Uint8Array[], at: {
    readonly extent: bigint;
    readonly offset: number;
    readonly length: number;
}, shape: ExtentShape): Uint8Array[];
