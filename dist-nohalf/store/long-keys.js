import "../base/bytes.js";
import { createHash } from "node:crypto";
import { assert, InvariantBroken } from "../base/assert.js";
import { LIMITS } from "../base/limits.js";
import { prefixEnd } from "./keys/pack.js";
const K = LIMITS.engineKeyBytesMax;
const EMPTY = Buffer.alloc(0);
/** Keys that start with 00 are the store's own: links, what lies below them, the highest revision. */
const FIRST_KEY = "\x01";
function checkKey(key) {
    // The empty key has no first byte: NaN, which is not above 0 either.
    assert(key.charCodeAt(0) > 0, "the empty key and keys that start with 00 belong to the store");
    assert(key.length <= LIMITS.keyBytesMax, "a key is longer than any legal name needs");
}
function refuse() {
    throw new InvariantBroken("a transaction is used after it has ended");
}
/** What a reader or writer stands on once its transaction has ended: nothing it does can be lost in silence. */
const ENDED = {
    get: refuse,
    getMany: refuse,
    page: refuse,
    now: refuse,
    put: refuse,
    delete: refuse,
    revision: refuse,
};
function linkOf(key) {
    return `${key.slice(0, K)}\0`;
}
function belowOf(prefix) {
    return `\0L${createHash("sha256").update(prefix, "latin1").digest().latin1Slice()}`;
}
function engineKey(key) {
    checkKey(key);
    let at = key;
    while (at.length > K)
        at = belowOf(at.slice(0, K)) + at.slice(K);
    return at;
}
export class LongKeyReader {
    raw;
    constructor(raw) {
        this.raw = raw;
    }
    async get(key) {
        return this.raw.get(engineKey(key));
    }
    async getMany(keys) {
        return this.raw.getMany(keys.map(engineKey));
    }
    now() {
        return this.raw.now();
    }
    /** The transaction has ended. Whoever kept the reader gets an error, not the state of somebody else. */
    end() {
        this.raw = ENDED;
    }
    range(range) {
        return this.#walk(range.from < FIRST_KEY ? { ...range, from: FIRST_KEY } : range);
    }
    async *#walk({ from, to, reverse = false, limit = Number.POSITIVE_INFINITY, }) {
        let low = from.length <= K ? from : linkOf(from);
        let high = to.length <= K ? to : `${linkOf(to)}\0`;
        let left = limit;
        while (low < high && left > 0) {
            const asked = Math.min(left, LIMITS.rangePageEntries);
            const page = await this.raw.page({ from: low, to: high, reverse }, asked);
            for (const entry of page) {
                if (entry.key.length <= K) {
                    yield entry;
                    left--;
                }
                else {
                    for await (const long of this.#below(entry.key.slice(0, K), { from, to, reverse, limit: left })) {
                        yield long;
                        left--;
                    }
                }
                if (left <= 0)
                    return;
            }
            const last = page.at(-1);
            if (last === undefined || page.length < asked)
                return;
            if (reverse)
                high = last.key;
            else
                low = `${last.key}\0`;
        }
    }
    /** The part of the range that lies below a link, with keys as the caller knows them. */
    async *#below(prefix, { from, to, ...rest }) {
        const below = belowOf(prefix);
        const isCutLow = from.length > K && from.startsWith(prefix);
        const isCutHigh = to.length > K && to.startsWith(prefix);
        const part = {
            ...rest,
            from: isCutLow ? below + from.slice(K) : below,
            to: isCutHigh ? below + to.slice(K) : prefixEnd(below),
        };
        for await (const { key, value } of this.#walk(part)) {
            yield { key: prefix + key.slice(below.length), value };
        }
    }
}
export class LongKeyWriter extends LongKeyReader {
    #shortened;
    put(key, value) {
        checkKey(key);
        assert(value.length <= LIMITS.valueBytesMax, "a record is larger than the store takes");
        let at = key;
        while (at.length > K) {
            this.raw.put(linkOf(at), EMPTY);
            at = belowOf(at.slice(0, K)) + at.slice(K);
        }
        this.raw.put(at, value);
    }
    delete(key) {
        this.raw.delete(engineKey(key));
        if (key.length <= K)
            return;
        this.#shortened ??= new Set();
        this.#shortened.add(key);
    }
    revision(above) {
        return this.raw.revision(above);
    }
    /** Removes links with nothing left below. The engine calls it when the transaction's own work is done. */
    async finish() {
        if (this.#shortened === undefined)
            return;
        for (const key of this.#shortened) {
            const links = [];
            for (let at = key; at.length > K;) {
                const below = belowOf(at.slice(0, K));
                links.push({ link: linkOf(at), below });
                at = below + at.slice(K);
            }
            for (const { link, below } of links.reverse()) {
                const rest = await this.raw.page({ from: below, to: prefixEnd(below) }, 1);
                if (rest.length === 0)
                    this.raw.delete(link);
            }
        }
    }
}
