import "../base/bytes.ts";
import type { Instant } from "../base/clock.ts";
import type { Revision } from "../base/revision.ts";
import type { Entry, Key, Range, Reader, Writer } from "./kv.ts";
/**
 * Keys of any length over engines that carry only short ones.
 *
 * A blob name may be 3,072 bytes, a table key two such names; LMDB carries 1,978 bytes, a PostgreSQL index row
 * 2,704. So a key longer than K = `LIMITS.engineKeyBytesMax` is cut. With P its first K bytes:
 *
 *   P 00                     a link: "keys that start with P and are longer than P live below"
 *   00 'L' sha256(P) rest    the value, where `rest` is the key without P (cut again if it is still too long)
 *
 * The link sorts right after P and before everything that does not start with P, which is just where the long
 * keys belong, so a scan that meets a link walks below it and comes back: order is kept. Only links are K+1
 * bytes long. A get needs no link: it computes the place. The link goes when nothing is left below it.
 */
export interface RawReader {
    get(key: Key): Buffer | undefined | Promise<Buffer | undefined>;
    getMany(keys: readonly Key[]): (Buffer | undefined)[] | Promise<(Buffer | undefined)[]>;
    /** Up to `limit` entries of the range in order; fewer mean that the range has no more. */
    page(range: Range, limit: number): Entry[] | Promise<Entry[]>;
    now(): Instant;
}
export interface RawWriter extends RawReader {
    put(key: Key, value: Uint8Array): void;
    delete(key: Key): void;
    revision(above?: Revision): Revision;
}
export declare class LongKeyReader<Raw extends RawReader = RawReader> implements Reader {
    #private;
    protected raw: Raw;
    constructor(raw: Raw);
    get(key: Key): Promise<Buffer | undefined>;
    getMany(keys: readonly Key[]): Promise<(Buffer | undefined)[]>;
    now(): Instant;
    /** The transaction has ended. Whoever kept the reader gets an error, not the state of somebody else. */
    end(): void;
    range(range: Range): AsyncIterable<Entry>;
}
export declare class LongKeyWriter extends LongKeyReader<RawWriter> implements Writer {
    #private;
    put(key: Key, value: Uint8Array): void;
    delete(key: Key): void;
    revision(above?: Revision): Revision;
    /** Removes links with nothing left below. The engine calls it when the transaction's own work is done. */
    finish(): Promise<void>;
}
