import { BLOB_LIMITS } from "../../base/limits-blob.ts";
import { badHeader, badQuery, Refusal } from "../../base/refusals.ts";
import { etagOf } from "../../base/revision.ts";
import {
  abortCopy as abort,
  type Copied,
  type CopyBlob,
  copyBlob as copy,
  type LocalSource,
} from "../../services/blob/copy-blob.ts";
import { openSource } from "../../services/blob/open-source.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { checkedBody } from "../wire/digest.ts";
import { readMetadata } from "../wire/metadata.ts";
import {
  BLOCK_TIERS,
  readCreateGuards,
  readEncryption,
  readImmutability,
  readTier,
  refusePast,
} from "./blob-headers.ts";
import { copyFromElsewhere } from "./copy-from-elsewhere.ts";
import { readCopySource } from "./copy-source.ts";
import { writtenHeaders } from "./put-blob.ts";
import { IF_ALL, readBlobRef, readBoolean, readLeaseId } from "./read-request.ts";
import { type BlobRow, type BlobServices, onBlob, row } from "./rows.ts";
import { readSourceDigest } from "./source-body.ts";
import { parseTagsHeader } from "./tags-wire.ts";

/** PUT /{container}/{blob} with x-ms-copy-source: Copy Blob, and Copy Blob From URL where x-ms-requires-sync. */
async function copyBlob(request: HttpRequest, services: BlobServices): Promise<HttpReply> {
  return copyReply(await copyFrom(request, services, "async"));
}

async function copyBlobFromUrl(request: HttpRequest, services: BlobServices): Promise<HttpReply> {
  const copied = await copyFrom(request, services, "sync");
  const { headers = {}, ...reply } = copyReply(copied);
  return { ...reply, headers: { ...headers, "Content-MD5": copied.written.contentMd5 } };
}

async function copyFrom(
  request: HttpRequest,
  services: BlobServices,
  mode: CopyBlob["mode"],
): Promise<Copied> {
  const { headers } = request;
  refusePast(request.query);
  const guards = readCreateGuards(request, IF_ALL);
  const tags = headers["x-ms-tags"];
  const copiesTags = headers["x-ms-copy-source-tag-option"]?.toUpperCase() === "COPY";
  if (copiesTags && tags !== undefined) throw new Refusal("BothUserTagsAndSourceTagsCopyPresentException");
  const given = headers["x-ms-rehydrate-priority"];
  const priority = (["Standard", "High"] as const).find(
    (name) => name.toLowerCase() === given?.toLowerCase(),
  );
  if (given !== undefined && priority === undefined) throw badHeader("x-ms-rehydrate-priority", given);
  const source = await readCopySource(request, services);
  const wish = {
    ref: readBlobRef(request),
    ...guards,
    copyId: services.blobs.parts.random.uuid(),
    mode,
    properties: {
      metadata: readMetadata(request.rawHeaders),
      tags: tags === undefined ? undefined : parseTagsHeader(tags),
      tier: readTier(headers, BLOCK_TIERS),
      encryption: readEncryption(request),
      immutability: readImmutability(headers),
      hasLegalHold: readBoolean(headers, "x-ms-legal-hold"),
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
  const { record, payload } = await openSource(blobs, source, {
    use: "copy",
    rangeOf: (length) => {
      if (length > BLOB_LIMITS.syncCopyBytesMax) throw new Refusal("CopySourceTooLarge");
      return { from: 0, length };
    },
  });
  try {
    for await (const _ of checkedBody(payload.stream(0, record.length), { declared }));
  } finally {
    payload.close();
  }
  return { ...source, conditions: { ifMatch: [etagOf(record.revision)] } };
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
  const copyId = query.get("copyid");
  if (copyId === undefined || copyId === "") {
    throw badQuery("copyid", "", "The id of the copy is expected.", "MissingRequiredQueryParameter");
  }
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
