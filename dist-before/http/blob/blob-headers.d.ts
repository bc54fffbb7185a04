import { type Revision } from "../../base/revision.ts";
import type { BlobGuards, Selector } from "../../services/blob/blobs.ts";
import type { BlobProperties, CreateGuards, EncryptionWish } from "../../services/blob/put-blob.ts";
import type { BlobHttpHeaders, BlobRecord } from "../../services/blob/records.ts";
import type { Caller } from "../auth/caller.ts";
import type { Headers, HttpRequest, Query } from "../exchange.ts";
import type { ConditionHeader } from "../operation.ts";
/** What requests say about a blob, decoded. */
export declare function readSelector(query: Query): Selector;
export declare function readMoment(query: Query, name: string): Revision | undefined;
/** Writes go to the blob itself: a snapshot or a version does not change. */
export declare function refusePast(query: Query): void;
export declare function readBlobGuards(request: HttpRequest, taken: readonly ConditionHeader[]): BlobGuards;
export declare function readCreateGuards(request: HttpRequest, taken: readonly ConditionHeader[]): CreateGuards;
/** A SAS with "create" alone makes new blobs and changes none. */
export declare function mayOverwrite(caller: Caller): boolean;
/** Asking about tags is reading them. */
export declare function checkTagPermission({ headers, caller }: HttpRequest): void;
/** The headers the blob is to be served with; Put Blob also takes the plain ones of its own body. */
export declare function readHttpHeaders(headers: Headers, takesPlain: boolean): BlobHttpHeaders;
/** Everything a blob can be made with. */
export declare function readProperties(request: HttpRequest, takesPlain: boolean, tiers?: readonly string[]): BlobProperties;
export declare const BLOCK_TIERS: readonly ["Hot", "Cool", "Cold", "Archive"];
/** As the protocol spells it, however the client did. */
export declare function readTier(headers: Headers, tiers: readonly string[]): string | undefined;
/** A customer's key is checked and forgotten: what is kept is its hash, to know it again. */
export declare function readEncryption({ headers, caller }: HttpRequest): EncryptionWish;
declare const OWN_KEY: {
    key: string;
    sha256: string;
    algorithm: string;
};
export declare const SOURCE_KEY: typeof OWN_KEY;
export declare function readCustomerKey(headers: Headers, names?: typeof OWN_KEY): string | undefined;
export declare function readImmutability(headers: Headers): BlobRecord["immutability"] | undefined;
export {};
