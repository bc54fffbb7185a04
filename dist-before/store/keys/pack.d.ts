import "../../base/bytes.ts";
import type { Key, Range } from "../kv.ts";
/**
 * Keys as tuples that sort like their parts.
 *
 *   string   its UTF-8 bytes, 00 as 01 01 and 01 as 01 02, then 00   "a" < "ab" < "b", and "a","b" < "ab"
 *   bigint   8 bytes, big-endian, unsigned                           9n < 10n
 *   number   the same, for whole numbers up to 2^53
 *
 * A 00 is the end of a text and nothing else, whatever follows it, so everything below one text is one prefix.
 * Each key layout fixes the type of every part, so no part carries a tag. An example, message 7 of a queue:
 * `packKey(["qv", "devstoreaccount1", 5n, 7n])` = `71 76 00` `64 65 ... 31 00` `00..05` `00..07`.
 */
export type KeyPart = string | bigint | number;
export declare function packKey(parts: readonly KeyPart[]): Key;
/** Takes a key apart again, in the order of its layout. */
export declare class KeyReader {
    #private;
    constructor(key: Key);
    text(): string;
    whole(): bigint;
    skipText(): this;
    skipWhole(): this;
}
/** The first key after every key that starts with `prefix`. */
export declare function prefixEnd(prefix: Key): Key;
export declare function prefixRange(prefix: Key): Range;
/** The key right after `key`: where a page that ended with `key` goes on. */
export declare function keyAfter(key: Key): Key;
/**
 * The start of a text part, left open: every key whose next part begins with `text`. For listing by prefix.
 */
export declare function packOpenText(parts: readonly KeyPart[], text: string): Key;
