import { isOutOfSpace, StorageFault } from "../base/faults.js";
import { FILE_HEADER_BYTES, fileNameOf, frameParts } from "./format.js";
/**
 * An extent this process appends to. Room is taken from its end before anything is written, so appends that run
 * at the same time never meet. Room whose write failed stays dead: no slice will ever point into it.
 */
export class WritableExtent {
    id;
    file;
    #shape;
    #tail = FILE_HEADER_BYTES;
    /** Appends that took room here and have not been released: their slices may not be in any record yet. */
    #pending = 0;
    #isRetired = false;
    #isLeft = false;
    constructor(id, file, shape) {
        this.id = id;
        this.file = file;
        this.#shape = shape;
    }
    get tail() {
        return this.#tail;
    }
    get isPending() {
        return this.#pending > 0;
    }
    get isRetired() {
        return this.#isRetired;
    }
    /** No more room is given from here. */
    retire() {
        this.#isRetired = true;
    }
    hold() {
        this.#pending++;
    }
    letGo() {
        this.#pending--;
    }
    /** True once: when nobody will write here again and every append here has been released. */
    leave() {
        if (this.#isLeft || !this.#isRetired || this.#pending > 0)
            return false;
        this.#isLeft = true;
        return true;
    }
    /** Undefined when `bytes` do not fit any more. */
    claim(bytes) {
        // An empty extent takes anything: a slice moved here may come from a time of larger extents.
        const isFull = this.#tail + bytes > this.#shape.extentBytesMax && this.#tail > FILE_HEADER_BYTES;
        if (this.#isRetired || isFull)
            return undefined;
        const spot = { extent: this, offset: this.#tail };
        this.#tail += bytes;
        return spot;
    }
    /** Frames a piece at `offset`, which a claim covers. Returns the bytes written. */
    async write(piece, offset) {
        const at = { extent: this.id, offset, length: piece.length };
        const parts = frameParts(piece.parts, at, this.#shape);
        const bytes = parts.reduce((total, part) => total + part.length, 0);
        try {
            await this.file.write(parts, offset);
        }
        catch (error) {
            // A full disk asks again and again: give the room back when it is still the last.
            if (isOutOfSpace(error) && this.#tail === offset + bytes)
                this.#tail = offset;
            // Any other error says that this file is not to be trusted with more.
            if (!isOutOfSpace(error))
                this.retire();
            throw writeFault(fileNameOf(this.id), error);
        }
        return bytes;
    }
}
export function writeFault(name, cause) {
    if (isOutOfSpace(cause)) {
        return new StorageFault(`no space left to write ${name}`, { cause, isTransient: true });
    }
    return new StorageFault(`cannot write ${name}`, { cause });
}
