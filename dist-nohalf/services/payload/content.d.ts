import type { Reader, Writer } from "../../store/kv.ts";
import type { OpenPayload, PayloadSource, Payloads, Slice, SliceRange } from "./payloads.ts";
/** What a record holds of its payload: small ones whole, larger ones by name. One way for every service. */
export type Content = {
    readonly inline: Buffer;
} | {
    readonly slices: readonly Slice[];
};
export declare const NO_CONTENT: Content;
export interface TakenIn {
    readonly content: Content;
    readonly length: number;
    /** As of `Appended`: call it when the record is durable, or will never be. */
    release(): void;
}
/**
 * Takes a body in: up to `LIMITS.inlineBytesMax` into memory, for the record itself (one commit, one sync);
 * anything longer into extents. `knownLength` saves a detour when it is above the limit; the body decides.
 */
export declare function takeIn(payloads: Payloads, source: PayloadSource, knownLength?: number): Promise<TakenIn>;
export declare function keepContent(payloads: Payloads, write: Writer, content: Content): Promise<void>;
export declare function shareContent(payloads: Payloads, write: Writer, content: Content): Promise<void>;
export declare function dropContent(payloads: Payloads, write: Writer, content: Content): Promise<void>;
export declare function openContent(payloads: Payloads, read: Reader, content: Content, range?: SliceRange): Promise<OpenPayload>;
export declare function contentLength(content: Content): number;
