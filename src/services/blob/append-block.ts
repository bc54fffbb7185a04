import { Refusal, throwIf } from "../../base/refusals.ts";
import { type AppendConditions, checkAppend } from "../../concurrency/conditions.ts";
import type { Reader } from "../../store/kv.ts";
import type { BlobRecord } from "../../store/records/blob.ts";
import { commitContent, ingestBlock } from "../payload/content.ts";
import type { PayloadSource } from "../payload/payloads.ts";
import { appendToContent } from "./append-content.ts";
import { checkBlobWrite, type Found, findBlob, type GuardedBlob } from "./blobs.ts";
import { readContainer } from "./containers.ts";
import type { BlobContext } from "./context.ts";
import { BLOB_LIMITS } from "./limits.ts";
import { checkKey, type EncryptionOptions, type Mutable, scopeFor, type Written } from "./new-blob.ts";
import { putCurrent } from "./replace-blob.ts";

export interface AppendBlock extends GuardedBlob {
  readonly append: AppendConditions;
  readonly encryption: EncryptionOptions;
  readonly body: PayloadSource;
  /** As the client declares it; used to size slices. */
  readonly length?: number | undefined;
}

export interface AppendedBlock extends Written {
  /** Where the block begins, and how many blocks the blob has with it. */
  readonly offset: number;
  readonly blockCount: number;
}

/**
 * Append Block. The bytes are ingested first, and the transaction decides their offset, so each of many
 * parallel appends gets an offset and a count of its own, in commit order.
 */
export async function appendBlock(blobs: BlobContext, request: AppendBlock): Promise<AppendedBlock> {
  const { store, payloads } = blobs;
  const { ref, body } = request;
  // The write below checks again; this check refuses before the client has sent a large body.
  if (!(body instanceof Uint8Array)) await store.read((read) => readContainer(read, ref));
  const inlineMax = BLOB_LIMITS.inlineAppendBytesMax;
  const ingested = await ingestBlock(payloads, body, { inlineMax, length: request.length });
  const { content, length } = ingested;
  try {
    return await store.write(async (write) => {
      const found = await findBlob(write, ref);
      const before = checkAppendable(write, found, request, length);
      await commitContent(payloads, write, content);
      const blockCount = (before.appendCount ?? 0) + 1;
      // Copied once and changed field by field, because every block makes a record.
      const after: Mutable<BlobRecord> = { ...before };
      if (after.copy !== undefined) delete after.copy;
      after.content = await appendToContent(payloads, write, before, content, length);
      after.revision = write.revision(before.revision);
      after.length = before.length + length;
      after.appendCount = blockCount;
      const { revision, keySha256, encryptionScope } = putCurrent(write, found, before, after);
      return { revision, keySha256, encryptionScope, offset: before.length, blockCount };
    });
  } finally {
    ingested.release();
  }
}

type AppendTarget = Omit<AppendBlock, "body" | "length">;

/** The checks of Append Block, made before its source is fetched; the write makes them again. */
export async function checkAppendTarget(blobs: BlobContext, request: AppendTarget): Promise<void> {
  await blobs.store.read(async (read) => {
    checkAppendable(read, await findBlob(read, request.ref), request, 0);
  });
}

function checkAppendable(read: Reader, found: Found, request: AppendTarget, appended: number): BlobRecord {
  checkBlobWrite(read, found, request, "change");
  const blob = found.blob!;
  if (blob.kind !== "append") throw new Refusal("InvalidBlobType");
  throwIf(checkAppend(request.append, { current: blob.length, appended }));
  if (blob.isSealed === true) throw new Refusal("BlobIsSealed");
  checkKey(blob, request.encryption.keySha256);
  scopeFor(found.container, request.encryption);
  if ((blob.appendCount ?? 0) >= BLOB_LIMITS.appendBlocksMax) throw new Refusal("BlockCountExceedsLimit");
  return blob;
}
