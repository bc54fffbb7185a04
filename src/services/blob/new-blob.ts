import { Refusal, type RefusalCode, throwIf } from "../../base/refusals.ts";
import type { Revision } from "../../base/revision.ts";
import type { Reader, Writer } from "../../store/kv.ts";
import type {
  BlobContent,
  BlobHttpHeaders,
  BlobKind,
  BlobRecord,
  ContainerRecord,
} from "../../store/records/blob.ts";
import { checkBlobWrite, checkNewImmutability, type Found } from "./blobs.ts";
import type { Guards } from "./containers.ts";
import type { BlobRef } from "./names.ts";

/** What the operations that create a blob have in common. */

/** Properties a client gives a new blob. */
export interface BlobProperties {
  readonly http: BlobHttpHeaders;
  readonly metadata: Readonly<Record<string, string>>;
  readonly tags?: Readonly<Record<string, string>> | undefined;
  readonly tier?: string | undefined;
  readonly encryption: EncryptionOptions;
  readonly immutability?: BlobRecord["immutability"] | undefined;
  readonly hasLegalHold?: boolean | undefined;
}

export interface EncryptionOptions {
  readonly keySha256?: string | undefined;
  readonly scope?: string | undefined;
}

export interface CreateGuards extends Guards {
  /** False for a SAS that permits creating but not writing. */
  readonly mayOverwrite: boolean;
}

export interface NewBlobTarget extends CreateGuards {
  readonly ref: BlobRef;
}

export interface Written {
  readonly revision: Revision;
  readonly version?: Revision | undefined;
  readonly contentMd5?: string | undefined;
  readonly keySha256?: string | undefined;
  readonly encryptionScope?: string | undefined;
}

export function writtenOf({ revision, version, http, keySha256, encryptionScope }: BlobRecord): Written {
  return { revision, version, contentMd5: http.contentMd5, keySha256, encryptionScope };
}

export function checkCreate(read: Pick<Reader, "now">, found: Found, guards: CreateGuards): void {
  if (found.blob !== undefined && !guards.mayOverwrite) throw new Refusal("UnauthorizedBlobOverwrite");
  checkBlobWrite(read, found, guards, "create");
}

/** A blob written with a customer-provided key is read and changed with the same key only. */
export function checkKey(record: Pick<BlobRecord, "keySha256">, given: string | undefined): void {
  throwIf(keyRefusal(record, given));
}

export function keyRefusal(
  { keySha256 }: Pick<BlobRecord, "keySha256">,
  given: string | undefined,
): RefusalCode | undefined {
  if (keySha256 === given) return undefined;
  if (given === undefined) return "BlobUsesCustomerSpecifiedEncryption";
  if (keySha256 === undefined) return "BlobDoesNotUseCustomerSpecifiedEncryption";
  return "BlobCustomerSpecifiedEncryptionMismatch";
}

export type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

/** The record of a blob created now, above the revision of what is stored under its name. */
export function newBlob(
  write: Writer,
  { container, stored }: Pick<Found, "container" | "stored">,
  given: {
    readonly kind: BlobKind;
    readonly content: BlobContent;
    readonly length: number;
    readonly properties: BlobProperties;
    /** Of the content, for a client that sent none. */
    readonly contentMd5?: string | undefined;
  },
): BlobRecord {
  const revision = write.revision(stored?.revision);
  const { http, metadata, tags, tier, encryption, immutability, hasLegalHold } = given.properties;
  const isOverwrite = stored !== undefined && stored.isUncommitted !== true;
  // Set field by field, because every write makes a record and each spread would allocate another object.
  const record: Mutable<BlobRecord> = {
    id: revision,
    kind: given.kind,
    revision,
    created: isOverwrite ? stored.created : revision,
    length: given.length,
    content: given.content,
    http: withMd5(http, given.contentMd5),
  };
  if (isNotEmpty(metadata)) record.metadata = metadata;
  if (tags !== undefined && isNotEmpty(tags)) record.tags = tags;
  if (tier !== undefined) {
    record.tier = tier;
    record.tierChangedAt = write.now();
  }
  if (encryption.keySha256 !== undefined) record.keySha256 = encryption.keySha256;
  const scope = scopeFor(container, encryption);
  if (scope !== undefined) record.encryptionScope = scope;
  if (immutability !== undefined || hasLegalHold === true)
    checkNewImmutability(container, immutability, write.now());
  if (immutability !== undefined) record.immutability = immutability;
  if (hasLegalHold === true) record.hasLegalHold = hasLegalHold;
  return record;
}

function withMd5(http: BlobHttpHeaders, contentMd5: string | undefined): BlobHttpHeaders {
  if (contentMd5 === undefined || http.contentMd5 !== undefined) return http;
  const { contentType, contentEncoding, contentLanguage, contentDisposition, cacheControl } = http;
  const headers: Mutable<BlobHttpHeaders> = { contentMd5 };
  if (contentType !== undefined) headers.contentType = contentType;
  if (contentEncoding !== undefined) headers.contentEncoding = contentEncoding;
  if (contentLanguage !== undefined) headers.contentLanguage = contentLanguage;
  if (contentDisposition !== undefined) headers.contentDisposition = contentDisposition;
  if (cacheControl !== undefined) headers.cacheControl = cacheControl;
  return headers;
}

function isNotEmpty(record: Readonly<Record<string, string>>): boolean {
  for (const _ in record) return true;
  return false;
}

/** The encryption scope of a new blob: a container may have a default scope, and may enforce it. */
export function scopeFor(
  { encryptionScope }: ContainerRecord,
  { scope, keySha256 }: EncryptionOptions,
): string | undefined {
  if (encryptionScope === undefined) return scope;
  const isOther = scope !== undefined && scope !== encryptionScope.name;
  if (encryptionScope.isEnforced && (isOther || keySha256 !== undefined)) {
    throw new Refusal("RequestForbiddenByContainerEncryptionPolicy");
  }
  return scope ?? (keySha256 === undefined ? encryptionScope.name : undefined);
}
