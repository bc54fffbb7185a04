/**
 * Direct TCP: a zero byte, the length in 24 bits big-endian, then that many bytes. The assembler takes the pieces a
 * socket gives and hands out whole messages. A message inside one piece is a view of it; one that spans pieces is
 * gathered into a buffer of its final size, so no byte is copied twice.
 */
export declare const PREFIX_BYTES = 4;
export declare class FrameAssembler {
    #private;
    constructor(bytesMax: number);
    /** The longest message from now on. */
    allow(bytesMax: number): void;
    /** Calls `take` for every message that `piece` completes. Throws a breach for a prefix that cannot be one. */
    add(piece: Buffer, take: (frame: Buffer) => void): void;
}
export declare function prefixFor(length: number): Buffer;
