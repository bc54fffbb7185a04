import type { Revision } from "../../base/revision.ts";
import type { Writer } from "../../store/kv.ts";
import type { BlobContent, BlobHttpHeaders, BlobKind, BlobRecord, ContainerRecord } from "../../store/records/blob.ts";
import type { PayloadSource } from "../payload/payloads.ts";
import type { BlobService } from "./blob-service.ts";
import { type BlobGuards, type Found } from "./blobs.ts";
import type { BlobRef } from "./names.ts";
/** What a client says about a blob it makes. */
export interface BlobProperties {
    readonly http: BlobHttpHeaders;
    readonly metadata: Readonly<Record<string, string>>;
    readonly tags?: Readonly<Record<string, string>> | undefined;
    readonly tier?: string | undefined;
    readonly encryption: EncryptionWish;
    readonly immutability?: BlobRecord["immutability"] | undefined;
    readonly hasLegalHold?: boolean | undefined;
}
export interface EncryptionWish {
    readonly keySha256?: string | undefined;
    readonly scope?: string | undefined;
}
export interface CreateGuards extends BlobGuards {
    /** False for a SAS that may create and not write. */
    readonly mayOverwrite: boolean;
}
export interface PutBlob extends CreateGuards {
    readonly ref: BlobRef;
    readonly properties: BlobProperties;
    readonly body: PayloadSource;
    readonly length: number | undefined;
    /** Known when the body has been read. */
    readonly md5: () => string | undefined;
    /** Where the body comes from, when the blob is to tell of it as a copy. */
    readonly copy?: {
        readonly id: string;
        readonly source: string;
    };
}
export interface Written {
    readonly revision: Revision;
    readonly version?: Revision | undefined;
    readonly contentMd5?: string | undefined;
    readonly keySha256?: string | undefined;
    readonly encryptionScope?: string | undefined;
}
/** Put Blob of a block blob: creates or replaces. Bytes first, record second, as everywhere. */
export declare function putBlob(blobs: BlobService, request: PutBlob): Promise<Written>;
export declare function checkCreate(write: Writer, found: Found, guards: CreateGuards): void;
export declare function writtenOf({ revision, version, http, keySha256, encryptionScope }: BlobRecord): Written;
/** The record of a blob that begins now, above whatever had its name. */
export declare function newBlob(write: Writer, { container, stored }: Pick<Found, "container" | "stored">, given: {
    readonly kind: BlobKind;
    readonly content: BlobContent;
    readonly length: number;
    readonly properties: BlobProperties;
}): BlobRecord;
/** The container may have a scope of its own, and may insist on it. */
export declare function scopeFor({ encryptionScope }: ContainerRecord, wish: EncryptionWish): string | undefined;
