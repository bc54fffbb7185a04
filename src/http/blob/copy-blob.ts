import { Refusal } from "../../base/refusals.ts";
import { etagOf, type Revision } from "../../base/revision.ts";
import { release } from "../../memory/pooled-buffer.ts";
import type { BlobContext } from "../../services/blob/context.ts";
import { type Copied, type CopyBlob, copyBlob } from "../../services/blob/copy-blob.ts";
import type { LocalSource } from "../../services/blob/copy-source.ts";
import { openSource } from "../../services/blob/copy-source.ts";
import { checkCopyTarget } from "../../services/blob/external-copy.ts";
import { BLOB_LIMITS } from "../../services/blob/limits.ts";
import { locateCopySource } from "../common/copy-source.ts";
import { readBoolean } from "../common/read-headers.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { checkedBody, type DeclaredDigest } from "../wire/digest.ts";
import { readMetadata } from "../wire/metadata.ts";
import { type CopiedWithDigest, copyFromElsewhere } from "./copy-from-elsewhere.ts";
import { blobSource } from "./copy-source.ts";
import { IF_ALL } from "./read-conditions.ts";
import {
  BLOCK_TIERS,
  copiesSourceTags,
  readBlobRef,
  readCreateGuards,
  readEncryption,
  readImmutability,
  readLegalHold,
  readRehydratePriority,
  readTags,
  readTier,
  refuseVersionOrSnapshot,
} from "./read-request.ts";
import { writtenHeaders } from "./replies.ts";
import type { BlobServices } from "./services.ts";
import { readSourceDigest } from "./source-body.ts";

/**
 * PUT /{container}/{blob} with x-ms-copy-source: Copy Blob, and Copy Blob From URL where x-ms-requires-sync.
 */
export async function handleCopyBlob(request: HttpRequest, services: BlobServices): Promise<HttpReply> {
  return copyReply(await copyFrom(request, services, "async"));
}

export async function copyFrom(
  request: HttpRequest,
  services: BlobServices,
  mode: CopyBlob["mode"],
): Promise<CopiedWithDigest> {
  const { headers } = request;
  refuseVersionOrSnapshot(request.query);
  const guards = { ...readCreateGuards(request, IF_ALL), use: "copy" } as const;
  const tags = readTags(request);
  const copiesTags = copiesSourceTags(headers);
  if (copiesTags && tags !== undefined) throw new Refusal("BothUserTagsAndSourceTagsCopyPresentException");
  const priority = readRehydratePriority(headers);
  const ref = readBlobRef(request);
  const encryption = readEncryption(request);
  const checkTarget = () => checkCopyTarget(services.blobs, { ref, ...guards, encryption }, mode);
  const source = await locateCopySource(blobSource(request, services), checkTarget);
  const copy = {
    ref,
    ...guards,
    copyId: services.blobs.random.uuid(),
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
  if (source.kind === "elsewhere") return copyFromElsewhere(request, services, source, copy);
  const isSealed = readBoolean(headers, "x-ms-seal-blob");
  const checked = mode === "sync" ? await checkSourceDigest(request, services, source) : source;
  return copyBlob(services.blobs, { ...copy, source: checked, copiesTags, priority, isSealed });
}

/**
 * A copy within this server refers to the slices of its source and reads them only to check a declared
 * digest. The copy then requires that the source still has the ETag of what was checked.
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

/** Reads a blob to its end and checks the declared digest. */
export async function readDigest(
  blobs: BlobContext,
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
    for await (const chunk of body) release(chunk);
  } finally {
    payload.close();
  }
  return { revision, crc64: body.crc64 };
}

/** Only a synchronous copy says that the server has encrypted it. */
export function copyReply({ written, copyId, status }: Copied, mode: CopyBlob["mode"] = "async"): HttpReply {
  const headers = writtenHeaders(written);
  if (mode === "async") headers["x-ms-request-server-encrypted"] = undefined;
  return { status: 202, headers: { ...headers, "x-ms-copy-id": copyId, "x-ms-copy-status": status } };
}
