import { LIMITS } from "../../base/limits.ts";
import { Refusal } from "../../base/refusals.ts";
import type { BlobRecord } from "../../store/records/blob.ts";
import { commitContent, type Ingested, ingest, ingestSmall, NO_CONTENT } from "../payload/content.ts";
import type { PayloadSource } from "../payload/payloads.ts";
import { findBlob } from "./blobs.ts";
import { readContainer } from "./containers.ts";
import type { BlobContext } from "./context.ts";
import {
  type BlobProperties,
  checkCreate,
  type NewBlobTarget,
  newBlob,
  type Written,
  writtenOf,
} from "./new-blob.ts";
import { putEmptyPages } from "./page-content.ts";
import { replaceBlob } from "./replace-blob.ts";

export interface PutAppendBlob extends NewBlobTarget {
  readonly properties: BlobProperties;
}

export interface PutPageBlob extends PutAppendBlob {
  /** x-ms-blob-content-length: whole pages. */
  readonly length: number;
  readonly sequenceNumber: bigint;
}

export interface PutBlob extends PutAppendBlob {
  readonly body: PayloadSource;
  readonly length: number | undefined;
  /** Has a value once the body has been read. */
  readonly md5: () => string | undefined;
  /** Where the body comes from, for a blob that reports it as its copy source. */
  readonly copy?: { readonly id: string; readonly source: string };
}

/** Put Blob of a block blob: creates or replaces it. The bytes are durable before the record names them. */
export function putBlob(blobs: BlobContext, request: PutBlob): Promise<Written> {
  const small = ingestSmall(request.body);
  // A small body stays in memory, so there is nothing to release.
  return small === undefined ? putLarge(blobs, request) : putIngested(blobs, request, small);
}

async function putLarge(blobs: BlobContext, request: PutBlob): Promise<Written> {
  const { ref, body, length } = request;
  // The write below checks again; this check refuses before the client has sent a large body.
  if (length === undefined || length > LIMITS.inlineBytesMax)
    await blobs.store.read((read) => readContainer(read, ref));
  const ingested = await ingest(blobs.payloads, body, length);
  try {
    return await putIngested(blobs, request, ingested);
  } finally {
    ingested.release();
  }
}

function putIngested(blobs: BlobContext, request: PutBlob, { content, length }: Ingested): Promise<Written> {
  const contentMd5 = request.md5();
  const { ref, properties, copy } = request;
  return blobs.store.write(async (write) => {
    const found = await findBlob(write, ref);
    checkCreate(write, found, request);
    if ("slices" in content) await commitContent(blobs.payloads, write, content);
    let after = newBlob(write, found, { kind: "block", content, length, properties, contentMd5 });
    if (copy !== undefined) after = { ...after, copy: completedCopy(copy, length, write.now()) };
    return writtenOf(await replaceBlob(blobs, write, found, after));
  });
}

export function completedCopy(
  copy: { readonly id: string; readonly source: string },
  bytes: number,
  completedAt: number,
): NonNullable<BlobRecord["copy"]> {
  return { ...copy, status: "success", bytesCopied: bytes, bytesTotal: bytes, completedAt };
}

/** Put Blob of an append blob: empty, also when it replaces a blob. */
export async function putAppendBlob(blobs: BlobContext, request: PutAppendBlob): Promise<Written> {
  const { ref, properties } = request;
  return blobs.store.write(async (write) => {
    const found = await findBlob(write, ref);
    checkCreate(write, found, request);
    const created = newBlob(write, found, { kind: "append", content: NO_CONTENT, length: 0, properties });
    return writtenOf(await replaceBlob(blobs, write, found, { ...created, appendCount: 0 }));
  });
}

/** Put Blob of a page blob: all zeros, which take no space, at the declared length. */
export async function putPageBlob(blobs: BlobContext, request: PutPageBlob): Promise<Written> {
  const { ref, properties, length, sequenceNumber } = request;
  return blobs.store.write(async (write) => {
    const found = await findBlob(write, ref);
    checkCreate(write, found, request);
    if (found.blob?.copy?.isIncremental === true) {
      throw new Refusal("OperationNotAllowedOnIncrementalCopyBlob");
    }
    const content = putEmptyPages(write);
    const created = newBlob(write, found, { kind: "page", content, length, properties });
    return writtenOf(await replaceBlob(blobs, write, found, { ...created, sequenceNumber }));
  });
}
