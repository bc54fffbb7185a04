import { assert } from "../../base/assert.js";
import { LIMITS } from "../../base/limits.js";
/** Payload that lies inside a record. */
export function inlinePayload(bytes) {
    return {
        length: bytes.length,
        async *stream(from, length) {
            assert(from >= 0 && from + length <= bytes.length, "a range must lie inside its payload");
            if (length > 0)
                yield bytes.subarray(from, from + length);
        },
        close() { },
    };
}
export class SlicedPayload {
    length;
    #files;
    #located;
    #unpin;
    constructor(options) {
        this.length = options.length;
        this.#files = options.files;
        this.#located = options.located;
        this.#unpin = options.unpin;
    }
    async *stream(from, length) {
        const parts = partsOf(this.#located, { from, length });
        if (parts.length === 1 && length <= LIMITS.extentReadBytes) {
            yield await this.#files.load(parts[0].slice, parts[0].range);
            return;
        }
        const extents = new Set(parts.map(({ slice }) => slice.extent));
        // The pins keep the files in place. Descriptors from the start are for a process that stood still so long
        // that it was held for dead, and its pins with it.
        const reading = await this.#files.openForRead([...extents].slice(0, LIMITS.extentsHeldPerReader));
        try {
            yield* readParts(reading, parts);
        }
        finally {
            reading.release();
        }
    }
    close() {
        this.#unpin();
    }
}
function partsOf(located, { from, length }) {
    const parts = [];
    let covered = 0;
    for (const { slice, start } of located) {
        const low = Math.max(from, start);
        const high = Math.min(from + length, start + slice.length);
        if (low >= high)
            continue;
        parts.push({ slice, range: { from: low - start, length: high - low } });
        covered += high - low;
    }
    assert(covered === length, "a range must lie inside what was opened");
    return parts;
}
/** One part after the other; the first read of the next part runs while this one is consumed. */
async function* readParts(reading, parts) {
    let next = begin(reading, parts[0]);
    try {
        for (let i = 0; next !== undefined; i++) {
            const { iterator, first } = next;
            next = begin(reading, parts[i + 1]);
            try {
                for (let step = await first; !step.done; step = await iterator.next())
                    yield step.value;
            }
            finally {
                await iterator.return(undefined);
            }
        }
    }
    finally {
        await next?.iterator.return(undefined);
    }
}
function begin(reading, part) {
    if (part === undefined)
        return undefined;
    const iterator = reading.read(part.slice, part.range);
    const first = iterator.next();
    // Its error is met when its turn comes.
    first.catch(() => { });
    return { iterator, first };
}
