import type { Reader } from "../../store/kv.ts";
import { type RangeRecord } from "../../store/records/file.ts";
import type { OpenPayload, Payloads } from "../payload/payloads.ts";
import type { View } from "./versions.ts";
/**
 * A part of a file, opened in one snapshot of the store. What was never written reads as zero. Small ranges are
 * held in memory, larger ones by the references that keep their bytes; a part with more small ranges than a
 * reader may hold is read on in a later snapshot, and only if nobody has written to the file since: a reader never
 * mixes two states of a file, it rather breaks off.
 */
export interface OpenContent {
    readonly from: number;
    readonly length: number;
    /** All of it at once, when it is small and lies in records; undefined otherwise. */
    readonly whole: Buffer | undefined;
    stream(): AsyncIterable<Buffer>;
    close(): void;
}
interface Run {
    readonly offset: number;
    length: number;
    readonly bytes?: Buffer;
    /** Where it begins in the opened payload. */
    readonly at?: number;
}
interface Window {
    readonly runs: readonly Run[];
    readonly payload: OpenPayload | undefined;
    /** Where the window ends: the end of the part, or where the next one begins. */
    readonly end: number;
}
export interface ContentRef {
    readonly share: bigint;
    readonly content: bigint;
    readonly from: number;
    readonly to: number;
}
/** The next window, in a snapshot of its own; undefined when the file has changed. */
export type NextWindow = (from: number) => Promise<Window | undefined>;
/** The ranges in [from, to), cut to it, in order. */
export declare function rangesIn(view: View, { share, content, from, to }: ContentRef): AsyncGenerator<{
    readonly offset: number;
    readonly record: RangeRecord;
}>;
export declare function openWindow(read: Reader, view: View, payloads: Payloads, ref: ContentRef): Promise<Window>;
export declare class FileContent implements OpenContent {
    #private;
    readonly from: number;
    readonly length: number;
    readonly whole: Buffer | undefined;
    constructor({ from, to }: {
        from: number;
        to: number;
    }, first: Window, next: NextWindow);
    stream(): AsyncGenerator<Buffer>;
    close(): void;
}
export {};
