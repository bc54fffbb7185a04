import { Refusal } from "../../base/refusals.ts";
import type { BlobRecord } from "../../store/records/blob.ts";
import type { BlobService } from "./blob-service.ts";
import { findBlob } from "./blobs.ts";
import type { BlobRef } from "./names.ts";
import { putEmptyPages } from "./page-content.ts";
import {
  type BlobProperties,
  type CreateGuards,
  checkCreate,
  newBlob,
  type Written,
  writtenOf,
} from "./put-blob.ts";
import { replaceBlob } from "./replace-blob.ts";

export interface CreateAppendBlob extends CreateGuards {
  readonly ref: BlobRef;
  readonly properties: BlobProperties;
}

export interface CreatePageBlob extends CreateAppendBlob {
  /** x-ms-blob-content-length: whole pages. */
  readonly length: number;
  readonly sequenceNumber: bigint;
}

/** Put Blob of an append blob: empty, whatever had its name before. */
export async function createAppendBlob(blobs: BlobService, request: CreateAppendBlob): Promise<Written> {
  const { ref, properties } = request;
  return blobs.parts.store.write(async (write) => {
    const found = await findBlob(write, ref);
    checkCreate(write, found, request);
    const content = { inline: Buffer.alloc(0) };
    const made = newBlob(write, found, { kind: "append", content, length: 0, properties });
    const after: BlobRecord = { ...made, appendCount: 0 };
    return writtenOf(
      await replaceBlob(blobs, write, { container: found.container, ref }, { before: found.stored, after }),
    );
  });
}

/** Put Blob of a page blob: as long as it is told, and nothing but zeros that take no space. */
export async function createPageBlob(blobs: BlobService, request: CreatePageBlob): Promise<Written> {
  const { ref, properties, length, sequenceNumber } = request;
  return blobs.parts.store.write(async (write) => {
    const found = await findBlob(write, ref);
    checkCreate(write, found, request);
    if (found.blob?.copy?.isIncremental === true) {
      throw new Refusal("OperationNotAllowedOnIncrementalCopyBlob");
    }
    const content = putEmptyPages(write);
    const made = newBlob(write, found, { kind: "page", content, length, properties });
    const after: BlobRecord = { ...made, sequenceNumber };
    return writtenOf(
      await replaceBlob(blobs, write, { container: found.container, ref }, { before: found.stored, after }),
    );
  });
}
