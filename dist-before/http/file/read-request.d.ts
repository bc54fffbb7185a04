import type { Millis } from "../../base/clock.ts";
import { Refusal } from "../../base/refusals.ts";
import { type PathRef, type ShareRef } from "../../services/file/names.ts";
import type { NodeWishes } from "../../services/file/node-changes.ts";
import type { FileHeaders } from "../../services/file/records.ts";
import type { Headers, HttpRequest } from "../exchange.ts";
/** What requests to shares, directories and files have in common, decoded. */
type Located = Pick<HttpRequest, "target" | "query" | "headers">;
export declare function missingHeader(name: string): Refusal;
export declare function requireHeader(headers: Headers, name: string): string;
export declare function readShareRef({ target }: Pick<HttpRequest, "target">): ShareRef;
/** sharesnapshot=2026-01-01T00:00:00.0000000Z */
export declare function readSnapshotTime({ query }: Pick<HttpRequest, "query">, name?: string): bigint | undefined;
/** The snapshot a request speaks of, if any, as a part of a reference. */
export declare function snapshotOf(request: Pick<HttpRequest, "query">): {
    snapshot?: bigint;
};
export declare function readPathRef(request: Located): PathRef;
/** An encoded slash separates like a plain one: some clients send nested directories so. */
export declare function pathRefOf({ account, path }: {
    readonly account: string;
    readonly path: string;
}, keepsDots: boolean): PathRef;
export declare function readFlag(headers: Headers, name: string): boolean | undefined;
export declare function readWhole(headers: Headers, name: string, { min, max }: {
    readonly min: number;
    readonly max: number;
}): number | undefined;
/** Any way to write a GUID, told apart by what it says: lower-case, with dashes. */
export declare function readGuid(headers: Headers, name: string): string | undefined;
export declare function requireGuid(headers: Headers, name: string): string;
export declare function readLeaseId(headers: Headers): string | undefined;
export declare function readLeaseLength(headers: Headers): Millis | "infinite";
/** Undefined when none is given: then they stay as they are. An empty value clears its header. */
export declare function readFileHeaders(headers: Headers): FileHeaders | undefined;
/** Attributes, times and permission. */
export declare function readWishes(headers: Headers): NodeWishes;
export declare function readTime(headers: Headers, name: string): bigint | "now" | "preserve" | undefined;
/** The text form, whatever the client sent. */
export declare function sddlOf(permission: string, format: string | undefined): string;
export {};
