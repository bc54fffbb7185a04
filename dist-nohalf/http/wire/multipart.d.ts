import { Refusal } from "../../base/refusals.ts";
/**
 * multipart/mixed, as batches use it: parts between lines of `--boundary`, each with a few headers of its own
 * and, inside, one HTTP request. A Table transaction nests once more: one part that is itself multipart, the
 * change set.
 *
 * Lines end in CRLF; a bare LF is taken too, because older client libraries write it. Where a part ends is said
 * by the boundary alone; line ends around a sub-request's body belong to the frame. Everything is found by one
 * forward search, so time is linear in the bytes.
 */
export interface Part {
    /** By lower-cased name. */
    readonly headers: Readonly<Record<string, string>>;
    readonly content: Buffer;
}
export interface SubRequest {
    readonly contentId: string | undefined;
    readonly method: string;
    /** As it came: a path, or a whole address. */
    readonly target: string;
    /** By lower-cased name. */
    readonly headers: Readonly<Record<string, string>>;
    /** Names and values by turns, as `readMetadata` and signatures want them. */
    readonly rawHeaders: readonly string[];
    readonly body: Buffer;
}
export declare function malformedBatch(reason: string): Refusal;
export declare function isMultipart(contentType: string | undefined): boolean;
export declare function boundaryOf(contentType: string | undefined): string;
/** The parts between the boundaries, at most `partsMax + 1` of them: one more tells that there were too many. */
export declare function parseParts(body: Buffer, boundary: string, partsMax: number): Part[];
/** The request within a part of type application/http. */
export declare function parseSubRequest(part: Part): SubRequest;
