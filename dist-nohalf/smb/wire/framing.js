import { breach } from "../status.js";
/**
 * Direct TCP: a zero byte, the length in 24 bits big-endian, then that many bytes. The assembler takes the pieces a
 * socket gives and hands out whole messages. A message inside one piece is a view of it; one that spans pieces is
 * gathered into a buffer of its final size, so no byte is copied twice.
 */
export const PREFIX_BYTES = 4;
export class FrameAssembler {
    #bytesMax;
    #prefix = Buffer.alloc(PREFIX_BYTES);
    #prefixBytes = 0;
    #frame;
    #filled = 0;
    constructor(bytesMax) {
        this.#bytesMax = bytesMax;
    }
    /** The longest message from now on. */
    allow(bytesMax) {
        this.#bytesMax = bytesMax;
    }
    /** Calls `take` for every message that `piece` completes. Throws a breach for a prefix that cannot be one. */
    add(piece, take) {
        let at = 0;
        while (at < piece.length) {
            if (this.#frame !== undefined) {
                at += this.#fill(this.#frame, piece, at, take);
                continue;
            }
            const copied = Math.min(PREFIX_BYTES - this.#prefixBytes, piece.length - at);
            piece.copy(this.#prefix, this.#prefixBytes, at, at + copied);
            this.#prefixBytes += copied;
            at += copied;
            if (this.#prefixBytes < PREFIX_BYTES)
                return;
            this.#prefixBytes = 0;
            const length = this.#checkedLength();
            if (piece.length - at >= length) {
                take(piece.subarray(at, at + length));
                at += length;
            }
            else {
                this.#frame = Buffer.allocUnsafeSlow(length);
                this.#filled = 0;
            }
        }
    }
    #fill(frame, piece, at, take) {
        const copied = Math.min(frame.length - this.#filled, piece.length - at);
        piece.copy(frame, this.#filled, at, at + copied);
        this.#filled += copied;
        if (this.#filled === frame.length) {
            this.#frame = undefined;
            take(frame);
        }
        return copied;
    }
    #checkedLength() {
        if (this.#prefix[0] !== 0)
            throw breach("not a direct TCP message");
        const length = this.#prefix.readUIntBE(1, 3);
        if (length < PREFIX_BYTES || length > this.#bytesMax)
            throw breach(`a message of ${length} bytes`);
        return length;
    }
}
export function prefixFor(length) {
    const prefix = Buffer.alloc(PREFIX_BYTES);
    prefix.writeUIntBE(length, 1, 3);
    return prefix;
}
