import { monotonic } from "../../base/clock.ts";
import { LIMITS } from "../../base/limits.ts";
import { Refusal } from "../../base/refusals.ts";
import type { Copied } from "../../services/blob/copy-blob.ts";
import {
  beginExternalCopy,
  type ExternalCopy,
  failExternalCopy,
  finishExternalCopy,
  isCopyPending,
} from "../../services/blob/external-copy.ts";
import { BLOB_LIMITS } from "../../services/blob/limits.ts";
import { putBlob } from "../../services/blob/put-blob.ts";
import type { BlobKind } from "../../services/blob/records.ts";
import type { RemoteSource } from "../common/copy-source-fetcher.ts";
import { type FetchedSource, fetchedMetadata, fetchedProperties } from "../common/fetched-source.ts";
import type { Headers, HttpRequest } from "../exchange.ts";
import { CheckedBody } from "../wire/digest.ts";
import { BLOB_TYPES } from "./replies.ts";
import type { BlobServices } from "./services.ts";
import { fetchBlobSource, readSourceDigest } from "./source-body.ts";

type CopyOptions = Omit<ExternalCopy, "source" | "properties"> & {
  readonly mode: "async" | "sync";
  readonly properties: Omit<ExternalCopy["properties"], "http">;
};

/** With the CRC64, if the copy read the bytes. */
export type CopiedWithDigest = Copied & { readonly crc64?: string | undefined };

/**
 * Copy Blob and Copy Blob From URL with a source on another server. Small sources and synchronous copies are
 * complete before the reply; a long asynchronous copy continues after it and is reported as pending.
 */
export async function copyFromElsewhere(
  request: HttpRequest,
  services: BlobServices,
  { shown, ...remote }: RemoteSource & { readonly shown: string },
  options: CopyOptions,
): Promise<CopiedWithDigest> {
  const { blobs } = services;
  const isBackground = options.mode === "async";
  const fetched = await fetchBlobSource(request, services, remote, { use: "copy", isBackground });
  const { headers, length } = fetched;
  try {
    // Without a length the server cannot distinguish a whole copy from a part of one.
    if (length === undefined) throw new Refusal("CannotVerifyCopySource");
    const { contentMd5: _, ...http } = fetchedProperties(fetched);
    const hasMetadata = Object.keys(options.properties.metadata).length > 0;
    const metadata = hasMetadata ? options.properties.metadata : fetchedMetadata(fetched);
    const source = { kind: kindOf(headers), shown, length };
    const properties = { ...options.properties, http, metadata };
    if (options.mode === "sync") {
      return await copyNow(blobs, request, { ...options, source, properties }, fetched);
    }
    const begun = await beginExternalCopy(blobs, { ...options, source, properties });
    const copy = run(blobs, request, options, fetched);
    if (length > BLOB_LIMITS.copyAtOnceBytesMax) {
      // The reply is sent: the target blob records how the copy ends.
      copy.catch(() => {});
      return begun;
    }
    return (await copy) ?? begun;
  } catch (error) {
    fetched.close();
    throw error;
  }
}

/** A synchronous copy commits the blob after it has read the whole source. */
async function copyNow(
  blobs: BlobServices["blobs"],
  request: HttpRequest,
  { source, copyId, ...options }: ExternalCopy,
  fetched: FetchedSource,
): Promise<CopiedWithDigest> {
  if (source.kind !== "block") throw new Refusal("InvalidSourceBlobType");
  if (source.length > BLOB_LIMITS.syncCopyBytesMax) throw new Refusal("CopySourceTooLarge");
  const body = checkedSource(request, fetched, true);
  const copy = { id: copyId, source: source.shown };
  const { length } = source;
  const written = await putBlob(blobs, { ...options, body, length, md5: () => body.md5, copy });
  return { written, copyId, status: "success", crc64: body.crc64 };
}

function checkedSource({ headers }: HttpRequest, { body }: FetchedSource, wantsCrc64 = false): CheckedBody {
  return new CheckedBody(body, { declared: readSourceDigest(headers), wantsMd5: true, wantsCrc64 });
}

async function run(
  blobs: BlobServices["blobs"],
  request: HttpRequest,
  options: CopyOptions,
  fetched: FetchedSource,
): Promise<Copied | undefined> {
  const checked = checkedSource(request, { ...fetched, body: whilePending(blobs, options, fetched.body) });
  try {
    return await finishExternalCopy(blobs, options, checked, () => checked.md5);
  } catch (error) {
    const code = error instanceof Refusal ? error.code : "InternalError";
    await failExternalCopy(
      blobs,
      options,
      `500 ${code} "Copy failed after ${checked.bytesRead} of ${fetched.length} bytes."`,
    );
    throw error;
  } finally {
    fetched.close();
  }
}

/** Stops fetching when the copy was aborted or its target replaced, which frees the slot for another copy. */
async function* whilePending(
  blobs: BlobServices["blobs"],
  options: CopyOptions,
  body: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  let checkedAt = monotonic();
  for await (const chunk of body) {
    if (monotonic() - checkedAt >= LIMITS.copyCheckMillis) {
      if (!(await isCopyPending(blobs, options))) throw new Refusal("NoPendingCopyOperation");
      checkedAt = monotonic();
    }
    yield chunk;
  }
}

function kindOf(headers: Headers): BlobKind {
  const kinds = Object.keys(BLOB_TYPES) as BlobKind[];
  return kinds.find((kind) => BLOB_TYPES[kind] === headers["x-ms-blob-type"]) ?? "block";
}
