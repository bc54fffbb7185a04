import { assert } from "../base/assert.js";
import { packKey, prefixRange } from "./keys/pack.js";
/**
 * The ephemeral key space over any key space: each record is stored with its owner in front, and an index entry
 * by owner, so that everything of a dead process can be found and removed.
 *
 *   "r" 00 key            owner 00 value
 *   "o" 00 owner 00 key   (empty)
 */
const RECORD = packKey(["r"]);
const EMPTY = Buffer.alloc(0);
export class OwnedSpace {
    owner;
    #space;
    constructor(space, owner) {
        assert(/^[\x21-\x7e]+$/.test(owner), "an owner is a word of printable ASCII");
        this.#space = space;
        this.owner = owner;
    }
    read(fn) {
        return this.#space.read((read) => fn(new OwnedReader(read)));
    }
    write(fn) {
        return this.#space.write(async (write) => {
            const owned = new OwnedWriter(write, this.owner);
            const result = await fn(owned);
            await owned.finish();
            return result;
        });
    }
    async releaseOwner(owner) {
        await this.#space.write(async (write) => {
            const prefix = packKey(["o", owner]);
            for await (const { key } of write.range(prefixRange(prefix))) {
                write.delete(key);
                write.delete(RECORD + key.slice(prefix.length));
            }
        });
    }
}
function withoutOwner(stored) {
    return stored.subarray(stored.indexOf(0) + 1);
}
class OwnedReader {
    inner;
    constructor(inner) {
        this.inner = inner;
    }
    async get(key) {
        const stored = await this.inner.get(RECORD + key);
        return stored === undefined ? undefined : withoutOwner(stored);
    }
    async getMany(keys) {
        const stored = await this.inner.getMany(keys.map((key) => RECORD + key));
        return stored.map((bytes) => (bytes === undefined ? undefined : withoutOwner(bytes)));
    }
    async *range(range) {
        const inner = { ...range, from: RECORD + range.from, to: RECORD + range.to };
        for await (const { key, value } of this.inner.range(inner)) {
            yield { key: key.slice(RECORD.length), value: withoutOwner(value) };
        }
    }
    now() {
        return this.inner.now();
    }
}
class OwnedWriter extends OwnedReader {
    #owner;
    #formerOwners = new Map();
    constructor(inner, owner) {
        super(inner);
        this.#owner = owner;
    }
    put(key, value) {
        this.#noteFormerOwner(key);
        const stored = Buffer.concat([Buffer.from(this.#owner, "latin1"), Buffer.of(0), value]);
        this.inner.put(RECORD + key, stored);
    }
    delete(key) {
        this.#noteFormerOwner(key);
        this.inner.delete(RECORD + key);
    }
    revision(above) {
        return this.inner.revision(above);
    }
    /** Read before the first change, while the stored record still names who owned it. */
    #noteFormerOwner(key) {
        if (!this.#formerOwners.has(key))
            this.#formerOwners.set(key, this.inner.get(RECORD + key));
    }
    async finish() {
        for (const [key, reading] of this.#formerOwners) {
            const former = await reading;
            if (former !== undefined) {
                this.inner.delete(packKey(["o", former.latin1Slice(0, former.indexOf(0))]) + key);
            }
            if ((await this.inner.get(RECORD + key)) !== undefined) {
                this.inner.put(packKey(["o", this.#owner]) + key, EMPTY);
            }
        }
    }
}
