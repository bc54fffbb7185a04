import { Refusal } from "../../base/refusals.ts";
import { type AppendConditions, checkAppend } from "../../concurrency/conditions.ts";
import type { Reader } from "../../store/kv.ts";
import type { BlobRecord } from "../../store/records/blob.ts";
import { commitContent, type Ingested } from "../payload/content.ts";
import type { PayloadSource } from "../payload/payloads.ts";
import { appendToContent } from "./append-content.ts";
import type { BlobService } from "./blob-service.ts";
import { checkBlobWrite, type Found, findBlob, putBlobRecord, withLeaseAfterWrite } from "./blobs.ts";
import { readContainer, throwIf } from "./containers.ts";
import { checkKey } from "./get-blob.ts";
import { BLOB_LIMITS } from "./limits.ts";
import { type EncryptionOptions, scopeFor, type Written, writtenOf } from "./put-blob.ts";
import type { ChangeBlob } from "./set-blob-properties.ts";

export interface AppendBlock extends ChangeBlob {
  readonly append: AppendConditions;
  readonly encryption: EncryptionOptions;
  readonly body: PayloadSource;
  /** As the client says; it saves slices. */
  readonly length?: number | undefined;
}

export interface Appended extends Written {
  /** Where the block begins, and how many there are with it. */
  readonly offset: number;
  readonly blockCount: number;
}

/**
 * Append Block. The bytes come in first; where they land is decided in the transaction, so each of many parallel
 * appends gets an offset and a count of its own, in the order in which they are committed.
 */
export async function appendBlock(blobs: BlobService, request: AppendBlock): Promise<Appended> {
  const { store, payloads } = blobs.parts;
  const { ref } = request;
  // Not trusted later, but a client with a large body for nowhere should hear of it before it has sent it.
  if (!(request.body instanceof Uint8Array)) await store.read((read) => readContainer(read, ref));
  const taken = await takeBlock(blobs, request);
  try {
    return await store.write(async (write) => {
      const found = await findBlob(write, ref);
      const before = checkAppendable(write, found, request, taken.length);
      await commitContent(payloads, write, taken.content);
      const content = await appendToContent(payloads, write, before, taken.content, taken.length);
      const blockCount = (before.appendCount ?? 0) + 1;
      // Copied once and set field by field: a record is made for every block.
      const grown: { -readonly [Name in keyof BlobRecord]: BlobRecord[Name] } = { ...before };
      if (grown.copy !== undefined) delete grown.copy;
      grown.revision = write.revision(before.revision);
      grown.content = content;
      grown.length = before.length + taken.length;
      grown.appendCount = blockCount;
      const after = withLeaseAfterWrite(grown, before, write.now());
      putBlobRecord(write, { container: found.container, ref }, before, after);
      const { revision, keySha256, encryptionScope } = after;
      return { revision, keySha256, encryptionScope, offset: before.length, blockCount };
    });
  } finally {
    taken.release();
  }
}

type AppendTarget = Omit<AppendBlock, "body" | "length">;

/** Whether a block could be appended here, as things are: asked before its bytes are fetched, and again with them. */
export async function checkAppendTarget(blobs: BlobService, request: AppendTarget): Promise<void> {
  await blobs.parts.store.read(async (read) => {
    checkAppendable(read, await findBlob(read, request.ref), request, 0);
  });
}

async function takeBlock(blobs: BlobService, { body, length }: AppendBlock): Promise<Ingested> {
  if (body instanceof Uint8Array && body.length <= BLOB_LIMITS.inlineAppendBytesMax) {
    return { content: { inline: Buffer.from(body) }, length: body.length, release() {} };
  }
  const appended = await blobs.parts.payloads.append(body, length);
  return {
    content: { slices: appended.slices },
    length: appended.length,
    release: () => appended.release(),
  };
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

/**
 * Append Blob Seal: from now on its content stays as it is. The service's pages say that the ETag stays as well; its
 * recorded answers have a new one, and a client may have learnt to expect that. Sealing what is sealed changes nothing.
 */
export async function sealBlob(
  blobs: BlobService,
  request: ChangeBlob & { readonly append: AppendConditions },
): Promise<Written> {
  const { ref } = request;
  return blobs.parts.store.write(async (write) => {
    const found = await findBlob(write, ref);
    checkBlobWrite(write, found, request, "change");
    const before = found.blob!;
    if (before.kind !== "append") throw new Refusal("InvalidBlobType");
    throwIf(checkAppend(request.append, { current: before.length, appended: 0 }));
    if (before.isSealed === true) return writtenOf(before);
    const revision = write.revision(before.revision);
    const after = withLeaseAfterWrite({ ...before, revision, isSealed: true }, before, write.now());
    putBlobRecord(write, { container: found.container, ref }, before, after);
    return writtenOf(after);
  });
}
