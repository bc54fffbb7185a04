import { Refusal } from "../../base/refusals.ts";
import { pendingCopyKey } from "../../store/keys/copies.ts";
import type { BlobKind, BlobRecord, CopyRecord } from "../../store/records/blob.ts";
import { pendingBlobCopy } from "../../store/records/copies.ts";
import { commitContent, ingest, NO_CONTENT } from "../payload/content.ts";
import type { PayloadSource } from "../payload/payloads.ts";
import { findBlob, putBlobRecord } from "./blobs.ts";
import type { BlobContext } from "./context.ts";
import { type Copied, checkInfiniteLease } from "./copy-blob.ts";
import { BLOB_LIMITS } from "./limits.ts";
import {
  type BlobProperties,
  checkCreate,
  type EncryptionOptions,
  type NewBlobTarget,
  newBlob,
  scopeFor,
  writtenOf,
} from "./new-blob.ts";
import { completedCopy } from "./put-blob.ts";
import { replaceBlob } from "./replace-blob.ts";
import { scheduleDeadline } from "./retention.ts";

export interface ExternalCopy extends NewBlobTarget {
  readonly copyId: string;
  readonly source: {
    readonly kind: BlobKind;
    readonly shown: string;
    /** As the source declares it. */
    readonly length: number;
  };
  readonly properties: BlobProperties;
}

type CopyRef = Pick<ExternalCopy, "ref" | "copyId">;

/** The checks of a copy's destination, made before the source is fetched; the write makes them again. */
export async function checkCopyTarget(
  blobs: BlobContext,
  request: NewBlobTarget & { readonly encryption: EncryptionOptions },
  mode: "async" | "sync",
): Promise<void> {
  await blobs.store.read(async (read) => {
    const found = await findBlob(read, request.ref);
    checkCreate(read, found, request);
    if (mode === "async") checkInfiniteLease(read, found);
    scopeFor(found.container, request.encryption);
  });
}

/**
 * Copy Blob from another server has two steps, because the transfer takes time. The first creates the
 * destination: empty, and read-only while the copy is pending. The second adds the bytes, unless the copy was
 * aborted.
 */
export async function beginExternalCopy(blobs: BlobContext, request: ExternalCopy): Promise<Copied> {
  const { ref, copyId, source, properties } = request;
  const { kind } = source;
  if (kind === "page") throw new Refusal("InvalidSourceBlobType");
  if (source.length > BLOB_LIMITS.externalCopyBytesMax) throw new Refusal("CannotVerifyCopySource");
  return blobs.store.write(async (write) => {
    const found = await findBlob(write, ref);
    checkCreate(write, found, request);
    checkInfiniteLease(write, found);
    if (found.blob !== undefined && found.blob.kind !== kind) throw new Refusal("InvalidBlobType");
    const created = newBlob(write, found, { kind, content: NO_CONTENT, length: 0, properties });
    const copy: CopyRecord = {
      id: copyId,
      source: source.shown,
      status: "pending",
      bytesCopied: 0,
      bytesTotal: source.length,
    };
    const after: BlobRecord = { ...created, copy, ...(kind === "append" ? { appendCount: 0 } : {}) };
    const target = { container: found.container.id, blob: ref.blob };
    scheduleDeadline(write, write.now() + BLOB_LIMITS.copyMillisMax, { what: "copy", ...target, copyId });
    const { owner } = blobs.store.ephemeral;
    write.put(pendingCopyKey("blob", copyId), pendingBlobCopy.pack({ owner, target }));
    return { written: writtenOf(await replaceBlob(blobs, write, found, after)), copyId, status: "pending" };
  });
}

/** Adds the bytes to a pending copy. Undefined when the copy is no longer pending. */
export async function finishExternalCopy(
  { store, payloads }: BlobContext,
  { ref, copyId }: CopyRef,
  body: PayloadSource,
  md5: () => string | undefined,
): Promise<Copied | undefined> {
  const ingested = await ingest(payloads, body);
  const { content, length } = ingested;
  try {
    return await store.write(async (write) => {
      const found = await findBlob(write, ref);
      const { blob } = found;
      if (!isPending(blob, copyId)) return undefined;
      await commitContent(payloads, write, content);
      const contentMd5 = blob.http.contentMd5 ?? md5();
      const after: BlobRecord = {
        ...blob,
        revision: write.revision(blob.revision),
        content,
        length,
        http: contentMd5 === undefined ? blob.http : { ...blob.http, contentMd5 },
        copy: completedCopy(blob.copy, length, write.now()),
        ...(blob.kind === "append" && length > 0 ? { appendCount: 1 } : {}),
      };
      putBlobRecord(write, found, blob, after);
      return { written: writtenOf(after), copyId, status: "success" };
    });
  } finally {
    ingested.release();
  }
}

function isPending(
  blob: BlobRecord | undefined,
  copyId: string,
): blob is BlobRecord & { readonly copy: CopyRecord } {
  return blob?.copy?.id === copyId && blob.copy.status === "pending";
}

/** False once the copy was aborted, overwritten, or deleted with its container. */
export async function isCopyPending(blobs: BlobContext, { ref, copyId }: CopyRef): Promise<boolean> {
  try {
    const { blob } = await blobs.store.read((read) => findBlob(read, ref));
    return isPending(blob, copyId);
  } catch (error) {
    if (error instanceof Refusal && error.code === "ContainerNotFound") return false;
    throw error;
  }
}

/** The source could not be read to its end: the destination stays empty and reports the reason. */
export async function failExternalCopy(
  blobs: BlobContext,
  { ref, copyId }: CopyRef,
  description: string,
): Promise<void> {
  await blobs.store.write(async (write) => {
    const found = await findBlob(write, ref);
    const { blob } = found;
    if (!isPending(blob, copyId)) return;
    const copy: CopyRecord = { ...blob.copy, status: "failed", description, completedAt: write.now() };
    putBlobRecord(write, found, blob, { ...blob, revision: write.revision(blob.revision), copy });
  });
}
