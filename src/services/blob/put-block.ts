import { Refusal } from "../../base/refusals.ts";
import { stagedBlockKey, stagingKey } from "../../store/keys/blob.ts";
import type { Reader, Writer } from "../../store/kv.ts";
import {
  type BlobRecord,
  type BlockEntry,
  stagedBlockRecord,
  stagingRecord,
} from "../../store/records/blob.ts";
import {
  type Content,
  commitContent,
  dropContent,
  type Ingested,
  ingestBlock,
  NO_CONTENT,
} from "../payload/content.ts";
import type { PayloadSource, Payloads } from "../payload/payloads.ts";
import { checkBlobLease, checkChangeable, type Found, findBlob, putBlobRecord } from "./blobs.ts";
import { readContainer } from "./containers.ts";
import type { BlobContext } from "./context.ts";
import { BLOB_LIMITS } from "./limits.ts";
import type { BlobRef } from "./names.ts";
import { checkKey, type EncryptionOptions, scopeFor } from "./new-blob.ts";
import { scheduleDeadline } from "./retention.ts";

export interface PutBlock {
  readonly ref: BlobRef;
  readonly leaseId: string | undefined;
  /** Base64 as sent, and its decoded length. */
  readonly blockId: string;
  readonly blockIdBytes: number;
  readonly encryption: EncryptionOptions;
  readonly body: PayloadSource;
  readonly length: number | undefined;
  /** False for a SAS that permits creating but not writing. */
  readonly mayOverwrite: boolean;
}

/**
 * Put Block stages bytes for a block list. A blob's staging begins with its first uncommitted block and ends
 * with the next Put Block List, Put Blob or deletion, or a week after the last block. If the blob did not
 * exist, it exists from now on for blocks and leases only.
 */
export async function putBlock(blobs: BlobContext, request: PutBlock): Promise<void> {
  const { store, payloads } = blobs;
  const { ref, body, length } = request;
  await store.read((read) => readContainer(read, ref));
  // One transaction commits a list of 50,000 blocks, so only the smallest blocks carry their bytes in
  // records.
  const ingested = await ingestBlock(payloads, body, { inlineMax: BLOB_LIMITS.inlineBlockBytesMax, length });
  try {
    if (length !== undefined && ingested.length !== length) throw new Refusal("InvalidInput");
    await store.write((write) => stageBlock(blobs, write, request, ingested));
  } finally {
    ingested.release();
  }
}

type BlockTarget = Omit<PutBlock, "body" | "length">;

/** The checks of Put Block, made before its source is fetched; the write makes them again. */
export async function checkBlockTarget(blobs: BlobContext, request: BlockTarget): Promise<void> {
  await blobs.store.read(async (read) => checkStaging(read, await findBlob(read, request.ref), request));
}

async function stageBlock(
  { payloads }: BlobContext,
  write: Writer,
  request: PutBlock,
  { content, length }: Ingested,
): Promise<void> {
  await commitContent(payloads, write, content);
  const found = await findBlob(write, request.ref);
  checkStaging(write, found, request);
  const { blockId, blockIdBytes, encryption } = request;
  const target = found.stored === undefined ? uncommittedBlob(write, request, found) : found.stored;
  const block = { blockId, blockIdBytes, keySha256: encryption.keySha256, content, length };
  await putStagedBlock(payloads, write, found, target, block);
}

export interface StagedBlock {
  readonly blockId: string;
  readonly blockIdBytes: number;
  readonly keySha256?: string | undefined;
  readonly content: Content;
  readonly length: number;
}

/** Adds a block to the uncommitted ones of `target`, the blob's record or a new one; its bytes are kept. */
export async function putStagedBlock(
  payloads: Payloads,
  write: Writer,
  found: Found,
  target: BlobRecord,
  { blockId, blockIdBytes, keySha256, content, length }: StagedBlock,
): Promise<void> {
  const { stored, container, ref } = found;
  const now = write.now();
  const id = target.staging ?? write.revision();
  if (target.staging === undefined) {
    scheduleDeadline(write, now + BLOB_LIMITS.uncommittedBlockMillis, { what: "staging", id });
    putBlobRecord(write, found, stored, { ...target, staging: id });
  }
  const bytes = target.staging === undefined ? undefined : await write.get(stagingKey(id));
  const staging = bytes === undefined ? undefined : stagingRecord.unpack(bytes);
  if ((staging?.blockIdBytes ?? blockIdBytes) !== blockIdBytes) throw new Refusal("InvalidBlobOrBlock");
  const key = stagedBlockKey(id, blockId);
  const former = await write.get(key);
  if (former !== undefined) await dropContent(payloads, write, stagedBlockRecord.unpack(former).bytes);
  const count = (staging?.count ?? 0) + (former === undefined ? 1 : 0);
  if (count > BLOB_LIMITS.uncommittedBlocksMax) throw new Refusal("UncommittedBlockCountExceedsLimit");
  const block: Omit<BlockEntry, "id"> = { length, bytes: content };
  write.put(key, stagedBlockRecord.pack(block));
  const changes = (staging?.changes ?? 0) + 1;
  const next = { container: container.id, blob: ref.blob, count, blockIdBytes, lastAt: now, changes };
  write.put(stagingKey(id), stagingRecord.pack(keySha256 === undefined ? next : { ...next, keySha256 }));
}

function checkStaging(read: Reader, { stored, blob, container }: Found, request: BlockTarget): void {
  checkBlobLease(read, stored, request.leaseId, "write");
  if (stored !== undefined && stored.kind !== "block") throw new Refusal("InvalidBlobType");
  if (blob !== undefined) {
    if (!request.mayOverwrite) throw new Refusal("UnauthorizedBlobOverwrite");
    checkChangeable(blob, read.now());
  }
  // All blocks of one blob are written with the same key.
  if (stored?.isUncommitted === true) checkKey(stored, request.encryption.keySha256);
  scopeFor(container, request.encryption);
}

function uncommittedBlob(write: Writer, { encryption }: PutBlock, { container }: Found): BlobRecord {
  const revision = write.revision();
  const scope = scopeFor(container, encryption);
  return {
    id: revision,
    kind: "block",
    revision,
    created: revision,
    length: 0,
    content: NO_CONTENT,
    http: {},
    isUncommitted: true,
    ...(encryption.keySha256 === undefined ? {} : { keySha256: encryption.keySha256 }),
    ...(scope === undefined ? {} : { encryptionScope: scope }),
  };
}
