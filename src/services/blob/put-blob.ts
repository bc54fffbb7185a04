import type { Instant } from "../../base/clock.ts";
import { LIMITS } from "../../base/limits.ts";
import { Refusal } from "../../base/refusals.ts";
import type { Revision } from "../../base/revision.ts";
import type { Reader, Writer } from "../../store/kv.ts";
import type {
  BlobContent,
  BlobHttpHeaders,
  BlobKind,
  BlobRecord,
  ContainerRecord,
  CopyRecord,
} from "../../store/records/blob.ts";
import { commitContent, type Ingested, ingest, ingestSmall } from "../payload/content.ts";
import type { PayloadSource } from "../payload/payloads.ts";
import type { BlobService } from "./blob-service.ts";
import { type BlobGuards, checkBlobWrite, checkGuarding, type Found, findBlob } from "./blobs.ts";
import { readContainer } from "./containers.ts";
import type { BlobRef } from "./names.ts";
import { replaceBlob } from "./replace-blob.ts";

/** What a client says about a blob it makes. */
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
  readonly copy?: { readonly id: string; readonly source: string };
}

export interface Written {
  readonly revision: Revision;
  readonly version?: Revision | undefined;
  readonly contentMd5?: string | undefined;
  readonly keySha256?: string | undefined;
  readonly encryptionScope?: string | undefined;
}

/** Put Blob of a block blob: creates or replaces. Bytes first, record second, as everywhere. */
export function putBlob(blobs: BlobService, request: PutBlob): Promise<Written> {
  const taken = ingestSmall(request.body);
  // What is in memory holds nothing that would have to be given back.
  return taken === undefined ? putLarge(blobs, request) : putIngested(blobs, request, taken);
}

async function putLarge(blobs: BlobService, request: PutBlob): Promise<Written> {
  const { store, payloads } = blobs.parts;
  const { ref, body, length } = request;
  // Not trusted later, but a client with a large body for nowhere should hear of it before it has sent it.
  if (length === undefined || length > LIMITS.inlineBytesMax)
    await store.read((read) => readContainer(read, ref));
  const taken = await ingest(payloads, body, length);
  try {
    return await putIngested(blobs, request, taken);
  } finally {
    taken.release();
  }
}

function putIngested(blobs: BlobService, request: PutBlob, taken: Ingested): Promise<Written> {
  const { store, payloads } = blobs.parts;
  const contentMd5 = request.md5();
  const { ref, properties, copy } = request;
  const { content, length } = taken;
  return store.write(async (write) => {
    const found = await findBlob(write, ref);
    checkCreate(write, found, request);
    if ("slices" in content) await commitContent(payloads, write, content);
    const made = newBlob(write, found, { kind: "block", content, length, properties, contentMd5 });
    const after = copy === undefined ? made : { ...made, copy: finished(copy, length, write.now()) };
    const place = { container: found.container, ref };
    return writtenOf(await replaceBlob(blobs, write, place, { before: found.stored, after }));
  });
}

function finished(
  copy: { readonly id: string; readonly source: string },
  bytes: number,
  now: Instant,
): CopyRecord {
  return { ...copy, status: "success", bytesCopied: bytes, bytesTotal: bytes, completedAt: now };
}

export function checkCreate(read: Pick<Reader, "now">, found: Found, guards: CreateGuards): void {
  if (found.blob !== undefined && !guards.mayOverwrite) throw new Refusal("UnauthorizedBlobOverwrite");
  checkBlobWrite(read, found, guards, "create");
}

export function writtenOf({ revision, version, http, keySha256, encryptionScope }: BlobRecord): Written {
  return { revision, version, contentMd5: http.contentMd5, keySha256, encryptionScope };
}

/** The record of a blob that begins now, above whatever had its name. */
export function newBlob(
  write: Writer,
  { container, stored }: Pick<Found, "container" | "stored">,
  given: {
    readonly kind: BlobKind;
    readonly content: BlobContent;
    readonly length: number;
    readonly properties: BlobProperties;
    /** What the content has, for a blob whose client told none. */
    readonly contentMd5?: string | undefined;
  },
): BlobRecord {
  const revision = write.revision(stored?.revision);
  const { http, metadata, tags, tier, encryption, immutability, hasLegalHold } = given.properties;
  const isOverwrite = stored !== undefined && stored.isUncommitted !== true;
  // Field by field: a record is made for every write, and each spread would make an object more.
  const record: Changing<BlobRecord> = {
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
    checkGuarding(container, immutability, write.now());
  if (immutability !== undefined) record.immutability = immutability;
  if (hasLegalHold === true) record.hasLegalHold = hasLegalHold;
  return record;
}

type Changing<T> = { -readonly [Name in keyof T]: T[Name] };

function withMd5(http: BlobHttpHeaders, contentMd5: string | undefined): BlobHttpHeaders {
  if (contentMd5 === undefined || http.contentMd5 !== undefined) return http;
  const { contentType, contentEncoding, contentLanguage, contentDisposition, cacheControl } = http;
  const made: Changing<BlobHttpHeaders> = { contentMd5 };
  if (contentType !== undefined) made.contentType = contentType;
  if (contentEncoding !== undefined) made.contentEncoding = contentEncoding;
  if (contentLanguage !== undefined) made.contentLanguage = contentLanguage;
  if (contentDisposition !== undefined) made.contentDisposition = contentDisposition;
  if (cacheControl !== undefined) made.cacheControl = cacheControl;
  return made;
}

function isNotEmpty(record: Readonly<Record<string, string>>): boolean {
  for (const _ in record) return true;
  return false;
}

/** The container may have a scope of its own, and may insist on it. */
export function scopeFor({ encryptionScope }: ContainerRecord, wish: EncryptionOptions): string | undefined {
  if (encryptionScope === undefined) return wish.scope;
  const isOther = wish.scope !== undefined && wish.scope !== encryptionScope.name;
  if (encryptionScope.isEnforced && (isOther || wish.keySha256 !== undefined)) {
    throw new Refusal("RequestForbiddenByContainerEncryptionPolicy");
  }
  return wish.scope ?? (wish.keySha256 === undefined ? encryptionScope.name : undefined);
}
