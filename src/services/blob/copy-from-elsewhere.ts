import { Refusal } from "../../base/refusals.ts";
import { pendingCopyKey } from "../../store/keys/copies.ts";
import type { BlobKind, BlobRecord, CopyRecord } from "../../store/records/blob.ts";
import { pendingBlobCopy } from "../../store/records/copies.ts";
import { commitContent, ingest } from "../payload/content.ts";
import type { PayloadSource } from "../payload/payloads.ts";
import type { BlobService } from "./blob-service.ts";
import { findBlob, putBlobRecord } from "./blobs.ts";
import { type Copied, checkInfiniteLease } from "./copy-blob.ts";
import { BLOB_LIMITS } from "./limits.ts";
import type { BlobRef } from "./names.ts";
import {
  type BlobProperties,
  type CreateGuards,
  checkCreate,
  type EncryptionOptions,
  newBlob,
  scopeFor,
  writtenOf,
} from "./put-blob.ts";
import { replaceBlob } from "./replace-blob.ts";
import { remind } from "./retention.ts";

export interface CopyFromElsewhere extends CreateGuards {
  readonly ref: BlobRef;
  readonly copyId: string;
  readonly source: {
    readonly kind: BlobKind;
    readonly shown: string;
    /** What it says it will be. */
    readonly length: number;
  };
  readonly properties: BlobProperties;
}

/** Whether a blob could be written here, as things are: asked before its bytes are fetched, and again with them. */
export async function checkCopyTarget(
  blobs: BlobService,
  request: CreateGuards & Pick<CopyFromElsewhere, "ref"> & { readonly encryption: EncryptionOptions },
  mode: "async" | "sync",
): Promise<void> {
  await blobs.parts.store.read(async (read) => {
    const found = await findBlob(read, request.ref);
    checkCreate(read, found, request);
    if (mode === "async") checkInfiniteLease(read, found);
    scopeFor(found.container, request.encryption);
  });
}

/**
 * Copy Blob from another server, in two steps, since the bytes take their time. The first makes the destination:
 * empty, and closed to writers while the copy is pending. The second puts the bytes in, if the copy is still
 * wanted then: it may have been aborted.
 */
export async function beginCopy(blobs: BlobService, request: CopyFromElsewhere): Promise<Copied> {
  const { ref, copyId, source, properties } = request;
  if (source.kind === "page") throw new Refusal("InvalidSourceBlobType");
  if (source.length > BLOB_LIMITS.copyFromElsewhereBytesMax) throw new Refusal("CannotVerifyCopySource");
  return blobs.parts.store.write(async (write) => {
    const found = await findBlob(write, ref);
    checkCreate(write, found, request);
    checkInfiniteLease(write, found);
    if (found.blob !== undefined && found.blob.kind !== source.kind) throw new Refusal("InvalidBlobType");
    const content = { inline: Buffer.alloc(0) };
    const made = newBlob(write, found, { kind: source.kind, content, length: 0, properties });
    const copy: CopyRecord = {
      id: copyId,
      source: source.shown,
      status: "pending",
      bytesCopied: 0,
      bytesTotal: source.length,
    };
    const after: BlobRecord = { ...made, copy, ...(source.kind === "append" ? { appendCount: 0 } : {}) };
    remind(write, write.now() + BLOB_LIMITS.copyMillisMax, {
      what: "copy",
      container: found.container.id,
      blob: ref.blob,
      copyId,
    });
    const target = { container: found.container.id, blob: ref.blob };
    const { owner } = blobs.parts.store.ephemeral;
    write.put(pendingCopyKey("blob", copyId), pendingBlobCopy.pack({ owner, target }));
    const written = await replaceBlob(
      blobs,
      write,
      { container: found.container, ref },
      { before: found.stored, after },
    );
    return { written: writtenOf(written), copyId, status: "pending" };
  });
}

/** The bytes of a copy that was begun. Without an answer when nobody waits for it any more. */
export async function finishCopy(
  blobs: BlobService,
  { ref, copyId }: Pick<CopyFromElsewhere, "ref" | "copyId">,
  body: PayloadSource,
  md5: () => string | undefined,
): Promise<Copied | undefined> {
  const { store, payloads } = blobs.parts;
  const taken = await ingest(payloads, body);
  try {
    return await store.write(async (write) => {
      const { container, blob } = await findBlob(write, ref);
      if (blob?.copy?.id !== copyId || blob.copy.status !== "pending") return undefined;
      await commitContent(payloads, write, taken.content);
      const { length, content } = taken;
      const contentMd5 = blob.http.contentMd5 ?? md5();
      const after: BlobRecord = {
        ...blob,
        revision: write.revision(blob.revision),
        content,
        length,
        http: contentMd5 === undefined ? blob.http : { ...blob.http, contentMd5 },
        copy: {
          ...blob.copy,
          status: "success",
          bytesCopied: length,
          bytesTotal: length,
          completedAt: write.now(),
        },
        ...(blob.kind === "append" && length > 0 ? { appendCount: 1 } : {}),
      };
      putBlobRecord(write, { container, ref }, blob, after);
      return { written: writtenOf(after), copyId, status: "success" };
    });
  } finally {
    taken.release();
  }
}

/** Whether the copy is still wanted: not aborted, overwritten or deleted with its container. */
export async function isCopyPending(
  blobs: BlobService,
  { ref, copyId }: Pick<CopyFromElsewhere, "ref" | "copyId">,
): Promise<boolean> {
  try {
    const { blob } = await blobs.parts.store.read((read) => findBlob(read, ref));
    return blob?.copy?.id === copyId && blob.copy.status === "pending";
  } catch (error) {
    if (error instanceof Refusal && error.code === "ContainerNotFound") return false;
    throw error;
  }
}

/** The source could not be read to its end: the destination stays, empty, and says why. */
export async function failCopy(
  blobs: BlobService,
  { ref, copyId }: Pick<CopyFromElsewhere, "ref" | "copyId">,
  description: string,
): Promise<void> {
  await blobs.parts.store.write(async (write) => {
    const { container, blob } = await findBlob(write, ref);
    if (blob?.copy?.id !== copyId || blob.copy.status !== "pending") return;
    const copy: CopyRecord = { ...blob.copy, status: "failed", description, completedAt: write.now() };
    const revision = write.revision(blob.revision);
    putBlobRecord(write, { container, ref }, blob, { ...blob, revision, copy });
  });
}
