import type { Millis } from "../../base/clock.ts";
import { Refusal } from "../../base/refusals.ts";
import { type Conditions } from "../../concurrency/conditions.ts";
import { type BlobRef, type ContainerRef } from "../../services/blob/names.ts";
import type { Headers, HttpRequest, Target } from "../exchange.ts";
import type { ConditionHeader } from "../operation.ts";
/** What requests to containers and blobs have in common, decoded. */
export declare function readContainerRef({ target }: HttpRequest): ContainerRef;
export declare function readBlobRef({ target }: Pick<HttpRequest, "target">): BlobRef;
/** The container may be left out of the address: then it is $root. */
export declare function blobRefOf({ account, path }: Pick<Target, "account" | "path">): BlobRef;
/** Any form .NET prints a Guid in; kept and compared in one. */
export declare function readGuid(headers: Headers, name: string): string | undefined;
export declare function requireGuid(headers: Headers, name: string): string;
export declare function readLeaseId(headers: Headers): string | undefined;
export declare function missingHeader(name: string): Refusal;
export declare function requireHeader(headers: Headers, name: string): string;
export declare const IF_DATES: readonly ConditionHeader[];
export declare const IF_TAGS: readonly ConditionHeader[];
export declare const IF_FOUR: readonly ConditionHeader[];
export declare const IF_ALL: readonly ConditionHeader[];
/**
 * The conditions of a write. One it does not take is refused, not overlooked: a client that believes its write
 * is guarded must not learn otherwise from lost data.
 */
export declare function readWriteConditions(headers: Headers, taken: readonly ConditionHeader[]): Conditions;
/** Reads that take one condition at most. What they do not take is ignored: caches revalidate whatever they hold. */
export declare function readSingleConditions(headers: Headers, taken: readonly ConditionHeader[]): Conditions;
/** Get Blob, Get Blob Properties, Get Blob Metadata: any combination, and lists of ETags. */
export declare function readReadConditions(headers: Headers): Conditions;
/** Conditions on the source of a copy. */
export declare function readSourceConditions(headers: Headers): Conditions;
/** A whole number of a header, within bounds. */
export declare function readWhole(headers: Headers, name: string, { min, max }: {
    readonly min: number;
    readonly max: number;
}): number | undefined;
export declare function readBoolean(headers: Headers, name: string): boolean | undefined;
/** x-ms-lease-duration: -1 for ever, or 15 to 60 seconds. */
export declare function readLeaseLength(headers: Headers): Millis | "infinite";
