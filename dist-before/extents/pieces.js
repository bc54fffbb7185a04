import { LIMITS } from "../base/limits.js";
/**
 * Cuts a source into pieces of at most `bytesMax()`, which is asked anew for each piece; every piece but the last
 * is that long. Parts are passed on as they came: a source gives its buffers away. Only small ones are copied
 * together, so that no client can make us hold a long list.
 */
export async function* cutPieces(source, bytesMax) {
    let pieceBytes = bytesMax();
    if (source instanceof Uint8Array) {
        for (let from = 0; from < source.length; from += pieceBytes) {
            const part = source.subarray(from, from + pieceBytes);
            yield { parts: [part], length: part.length };
        }
        return;
    }
    let gathering = new Gathering();
    for await (const part of source) {
        for (let from = 0; from < part.length;) {
            const count = Math.min(part.length - from, pieceBytes - gathering.length);
            gathering.add(part.subarray(from, from + count));
            from += count;
            if (gathering.length === pieceBytes) {
                yield gathering;
                gathering = new Gathering();
                pieceBytes = bytesMax();
            }
        }
    }
    if (gathering.length > 0)
        yield gathering;
}
class Gathering {
    parts = [];
    length = 0;
    /** The last part while it is a copy with room left, and how much of it is used. */
    #gathered;
    #gatheredBytes = 0;
    add(part) {
        this.length += part.length;
        if (part.length >= LIMITS.gatheredPartBytes) {
            this.parts.push(part);
            this.#gathered = undefined;
            return;
        }
        if (this.#gathered === undefined || this.#gathered.length - this.#gatheredBytes < part.length) {
            this.#gathered = Buffer.allocUnsafeSlow(LIMITS.chunkBytes);
            this.#gatheredBytes = 0;
        }
        else {
            this.parts.pop();
        }
        this.#gathered.set(part, this.#gatheredBytes);
        this.#gatheredBytes += part.length;
        this.parts.push(this.#gathered.subarray(0, this.#gatheredBytes));
    }
}
