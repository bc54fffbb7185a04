import "../../base/bytes.js";
import { assert } from "../../base/assert.js";
export function packKey(parts) {
    let key = "";
    for (const part of parts)
        key += typeof part === "string" ? packText(part) : packWhole(part);
    return key;
}
const PLAIN = /^[\x02-\x7f]*$/;
const ESCAPED = /[\0\x01]/g;
const ESCAPE = /\x01[\x01\x02]/g;
function packText(text) {
    if (PLAIN.test(text))
        return `${text}\0`;
    // A lone surrogate has no UTF-8 form: two different names would become one key.
    assert(text.isWellFormed(), "a key part must be well-formed Unicode");
    const bytes = Buffer.from(text, "utf8").latin1Slice();
    return `${bytes.replace(ESCAPED, (byte) => (byte === "\0" ? "\x01\x01" : "\x01\x02"))}\0`;
}
const scratch = Buffer.alloc(8);
function packWhole(value) {
    if (typeof value === "bigint") {
        assert(value >= 0n && value < 1n << 64n, "a whole number in a key must fit 64 bits");
        scratch.writeBigUInt64BE(value);
    }
    else {
        assert(Number.isSafeInteger(value) && value >= 0, "a number in a key must be whole and not negative");
        scratch.writeUInt32BE(Math.floor(value / 2 ** 32), 0);
        scratch.writeUInt32BE(value >>> 0, 4);
    }
    return scratch.latin1Slice();
}
/** Takes a key apart again, in the order of its layout. */
export class KeyReader {
    #key;
    #at = 0;
    constructor(key) {
        this.#key = key;
    }
    text() {
        const end = this.#key.indexOf("\0", this.#at);
        assert(end >= 0, "a key part has no end");
        const raw = this.#key.slice(this.#at, end);
        this.#at = end + 1;
        if (PLAIN.test(raw))
            return raw;
        const bytes = raw.replace(ESCAPE, (pair) => (pair === "\x01\x01" ? "\0" : "\x01"));
        return Buffer.from(bytes, "latin1").toString("utf8");
    }
    whole() {
        assert(this.#at + 8 <= this.#key.length, "a key ends inside a number");
        scratch.latin1Write(this.#key.slice(this.#at, this.#at + 8));
        this.#at += 8;
        return scratch.readBigUInt64BE();
    }
    skipText() {
        this.text();
        return this;
    }
    skipWhole() {
        this.#at += 8;
        return this;
    }
}
/** The first key after every key that starts with `prefix`. */
export function prefixEnd(prefix) {
    let end = prefix.length;
    while (end > 0 && prefix.charCodeAt(end - 1) === 0xff)
        end--;
    assert(end > 0, "a prefix must hold a byte below 0xff");
    return prefix.slice(0, end - 1) + String.fromCharCode(prefix.charCodeAt(end - 1) + 1);
}
export function prefixRange(prefix) {
    return { from: prefix, to: prefixEnd(prefix) };
}
/** The key right after `key`: where a page that ended with `key` goes on. */
export function keyAfter(key) {
    return `${key}\0`;
}
/**
 * The start of a text part, left open: every key whose next part begins with `text`. For listing by prefix.
 */
export function packOpenText(parts, text) {
    const closed = packText(text);
    return packKey(parts) + closed.slice(0, -1);
}
