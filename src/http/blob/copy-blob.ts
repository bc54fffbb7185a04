import { badHeader, badQuery, Refusal } from "../../base/refusals.ts";
import { etagOf, type Revision } from "../../base/revision.ts";
import { release } from "../../memory/pooled-buffer.ts";
import type { BlobService } from "../../services/blob/blob-service.ts";
import {
  abortCopy as abort,
  type Copied,
  type CopyBlob,
  copyBlob as copy,
  type LocalSource,
} from "../../services/blob/copy-blob.ts";
import { checkCopyTarget } from "../../services/blob/copy-from-elsewhere.ts";
import { BLOB_LIMITS } from "../../services/blob/limits.ts";
import { openSource } from "../../services/blob/open-source.ts";
import { guidOf } from "../common/read-headers.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { checkedBody, type DeclaredDigest } from "../wire/digest.ts";
import { readMetadata } from "../wire/metadata.ts";
import {
  BLOCK_TIERS,
  readCreateGuards,
  readEncryption,
  readImmutability,
  readLegalHold,
  readTags,
  readTier,
  refuseVersionOrSnapshot,
} from "./blob-headers.ts";
import { type CopiedWithDigest, copyFromElsewhere } from "./copy-from-elsewhere.ts";
import { readCopySource } from "./copy-source.ts";
import { writtenHeaders } from "./put-blob.ts";
import { IF_ALL, readBlobRef, readBoolean, readLeaseId } from "./read-request.ts";
import { type BlobRow, type BlobServices, onBlob, row } from "./rows.ts";
import { readSourceDigest } from "./source-body.ts";

/** PUT /{container}/{blob} with x-ms-copy-source: Copy Blob, and Copy Blob From URL where x-ms-requires-sync. */
async function copyBlob(request: HttpRequest, services: BlobServices): Promise<HttpReply> {
  return copyReply(await copyFrom(request, services, "async"));
}

async function copyBlobFromUrl(request: HttpRequest, services: BlobServices): Promise<HttpReply> {
  const copied = await copyFrom(request, services, "sync");
  const { headers = {}, ...reply } = copyReply(copied);
  // One digest of what was copied: the MD5 where the client declared it, the CRC64 otherwise.
  const md5 = request.headers["x-ms-source-content-md5"];
  const crc64 = md5 === undefined ? await crc64Of(request, services, copied) : undefined;
  return { ...reply, headers: { ...headers, "Content-MD5": md5, "x-ms-content-crc64": crc64 } };
}

/**
 * A copy within this server shares the bytes of its source, so they are read for their digest when the copy is
 * there already. If it is overwritten before, there is nothing left to tell a digest of.
 */
async function crc64Of(
  request: HttpRequest,
  { blobs }: BlobServices,
  { written, crc64 }: CopiedWithDigest,
): Promise<string | undefined> {
  const declared = request.headers["x-ms-source-content-crc64"];
  if (crc64 !== undefined || declared !== undefined) return crc64 ?? declared;
  const copy = {
    ref: readBlobRef(request),
    selector: {},
    shown: "",
    conditions: { ifMatch: [etagOf(written.revision)] },
    keySha256: written.keySha256,
  };
  try {
    return (await readDigest(blobs, copy, {})).crc64;
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

async function copyFrom(
  request: HttpRequest,
  services: BlobServices,
  mode: CopyBlob["mode"],
): Promise<CopiedWithDigest> {
  const { headers } = request;
  refuseVersionOrSnapshot(request.query);
  const guards = readCreateGuards(request, IF_ALL);
  const tags = readTags(request);
  const copiesTags = headers["x-ms-copy-source-tag-option"]?.toUpperCase() === "COPY";
  if (copiesTags && tags !== undefined) throw new Refusal("BothUserTagsAndSourceTagsCopyPresentException");
  const given = headers["x-ms-rehydrate-priority"];
  const priority = (["Standard", "High"] as const).find(
    (name) => name.toLowerCase() === given?.toLowerCase(),
  );
  if (given !== undefined && priority === undefined) throw badHeader("x-ms-rehydrate-priority", given);
  const ref = readBlobRef(request);
  const encryption = readEncryption(request);
  const checkTarget = () => checkCopyTarget(services.blobs, { ref, ...guards, encryption }, mode);
  const source = await readCopySource(request, services, checkTarget);
  const wish = {
    ref,
    ...guards,
    copyId: services.blobs.parts.random.uuid(),
    mode,
    properties: {
      metadata: readMetadata(request.rawHeaders),
      tags,
      tier: readTier(headers, BLOCK_TIERS),
      encryption,
      immutability: readImmutability(request),
      hasLegalHold: readLegalHold(request),
    },
  };
  if (source.kind === "elsewhere") return copyFromElsewhere(request, services, source, wish);
  const isSealed = readBoolean(headers, "x-ms-seal-blob");
  const checked = mode === "sync" ? await checkSourceDigest(request, services, source) : source;
  return copy(services.blobs, { ...wish, source: checked, copiesTags, priority, isSealed });
}

/**
 * A copy within this server shares the bytes of its source and does not read them, unless the client says what
 * they must be. What was read and found right is then what is copied: the source must still have that ETag.
 */
async function checkSourceDigest(
  { headers }: HttpRequest,
  { blobs }: BlobServices,
  source: LocalSource,
): Promise<LocalSource> {
  const declared = readSourceDigest(headers);
  if (declared.md5 === undefined && declared.crc64 === undefined) return source;
  const { revision } = await readDigest(blobs, source, declared);
  return { ...source, conditions: { ifMatch: [etagOf(revision)] } };
}

/** Reads a blob to its end, and checks what was declared of it. */
async function readDigest(
  blobs: BlobService,
  source: LocalSource,
  declared: DeclaredDigest,
): Promise<{ readonly revision: Revision; readonly crc64: string | undefined }> {
  const { record, payload } = await openSource(blobs, source, {
    use: "copy",
    rangeOf: (length) => {
      if (length > BLOB_LIMITS.syncCopyBytesMax) throw new Refusal("CopySourceTooLarge");
      return { from: 0, length };
    },
  });
  const { length, revision } = record;
  const wantsCrc64 = declared.md5 === undefined;
  const body = checkedBody(payload.stream(0, length), { declared, wantsCrc64, length });
  try {
    for await (const piece of body) release(piece);
  } finally {
    payload.close();
  }
  return { revision, crc64: body.crc64 };
}

export function copyReply({ written, copyId, status }: Copied): HttpReply {
  return {
    status: 202,
    headers: { ...writtenHeaders(written), "x-ms-copy-id": copyId, "x-ms-copy-status": status },
  };
}

/** PUT ?comp=copy&copyid= */
async function abortCopyBlob(request: HttpRequest, { blobs }: BlobServices): Promise<HttpReply> {
  const { headers, query } = request;
  const given = query.get("copyid") ?? "";
  if (given === "") {
    throw badQuery("copyid", "", "The id of the copy is expected.", "MissingRequiredQueryParameter");
  }
  const copyId = guidOf(given);
  if (copyId === undefined) throw badQuery("copyid", given, "This is not an id of a copy.");
  const action = headers["x-ms-copy-action"];
  if (action?.toLowerCase() !== "abort") throw badHeader("x-ms-copy-action", action ?? "");
  await abort(blobs, { ref: readBlobRef(request), leaseId: readLeaseId(headers), copyId });
  return { status: 204 };
}

const common = { method: "PUT", resource: "blob", lease: "checked" } as const;

export const COPY_BLOB_ROWS: readonly BlobRow[] = [
  row({
    ...common,
    name: "CopyBlob",
    header: { "x-ms-copy-source": true },
    permission: onBlob(["c", "w"]),
    returnsEtag: true,
    conditions: IF_ALL,
    ok: [202],
    handle: copyBlob,
  }),
  row({
    ...common,
    name: "CopyBlobFromUrl",
    header: { "x-ms-copy-source": true, "x-ms-requires-sync": "true" },
    permission: onBlob(["c", "w"]),
    returnsEtag: true,
    conditions: IF_ALL,
    ok: [202],
    handle: copyBlobFromUrl,
  }),
  row({
    ...common,
    name: "AbortCopyBlob",
    query: { comp: "copy" },
    permission: onBlob(["w"]),
    bodyBytesMax: BLOB_LIMITS.keyInfoBodyBytesMax,
    ok: [204],
    handle: abortCopyBlob,
  }),
];
