import { Refusal } from "../../base/refusals.ts";
import { checkLeaseWrite } from "../../concurrency/lease.ts";
import { stagedBlockKey, stagingKey } from "../../store/keys/blob.ts";
import type { Reader, Writer } from "../../store/kv.ts";
import {
  type BlobRecord,
  type BlockEntry,
  stagedBlockRecord,
  stagingRecord,
} from "../../store/records/blob.ts";
import { commitContent, dropContent } from "../payload/content.ts";
import type { PayloadSource } from "../payload/payloads.ts";
import type { BlobService } from "./blob-service.ts";
import { checkChangeable, type Found, findBlob, putBlobRecord } from "./blobs.ts";
import { leaseOf, readContainer, throwIf } from "./containers.ts";
import { checkKey } from "./get-blob.ts";
import { BLOB_LIMITS } from "./limits.ts";
import type { BlobRef } from "./names.ts";
import { type EncryptionOptions, scopeFor } from "./put-blob.ts";
import { remind } from "./retention.ts";

export interface PutBlock {
  readonly ref: BlobRef;
  readonly leaseId: string | undefined;
  /** Base64 as sent, and the length of what it says. */
  readonly blockId: string;
  readonly blockIdBytes: number;
  readonly encryption: EncryptionOptions;
  readonly body: PayloadSource;
  readonly length: number | undefined;
  /** False for a SAS that may create and not write. */
  readonly mayOverwrite: boolean;
}

/**
 * Put Block: bytes that wait for a block list. They belong to the blob's staging, which begins with the first
 * block and ends with the next Put Block List, Put Blob or deletion, or a week after the last block. A blob that
 * did not exist is there from now on for blocks and leases only.
 */
export async function putBlock(blobs: BlobService, request: PutBlock): Promise<void> {
  const { store, payloads } = blobs.parts;
  await store.read((read) => readContainer(read, request.ref));
  const taken = await takeBlock(blobs, request);
  try {
    await store.write(async (write) => {
      await commitContent(payloads, write, taken.bytes);
      await stageBlock(blobs, write, request, { length: taken.length, bytes: taken.bytes });
    });
  } finally {
    taken.release();
  }
}

type BlockTarget = Omit<PutBlock, "body" | "length">;

/** Whether a block could be put here, as things are: asked before its bytes are fetched, and again with them. */
export async function checkBlockTarget(blobs: BlobService, request: BlockTarget): Promise<void> {
  await blobs.parts.store.read(async (read) =>
    checkStaging(read, await findBlob(read, request.ref), request),
  );
}

interface StagedBlock {
  readonly bytes: BlockEntry["bytes"];
  readonly length: number;
  release(): void;
}

/**
 * A list of 50,000 blocks is committed in one transaction: only the smallest may bring their bytes along in it,
 * all others wait in extents.
 */
async function takeBlock(blobs: BlobService, { body, length }: PutBlock): Promise<StagedBlock> {
  if (body instanceof Uint8Array && body.length <= BLOB_LIMITS.inlineBlockBytesMax) {
    return { bytes: { inline: Buffer.from(body) }, length: body.length, release() {} };
  }
  const appended = await blobs.parts.payloads.append(body, length);
  if (length !== undefined && appended.length !== length) {
    appended.release();
    throw new Refusal("InvalidInput");
  }
  return { bytes: { slices: appended.slices }, length: appended.length, release: () => appended.release() };
}

async function stageBlock(
  blobs: BlobService,
  write: Writer,
  request: PutBlock,
  block: Omit<BlockEntry, "id">,
): Promise<void> {
  const { ref, blockId, blockIdBytes } = request;
  const found = await findBlob(write, ref);
  checkStaging(write, found, request);
  const { stored, container } = found;
  const now = write.now();
  const id = stored?.staging ?? write.revision();
  if (stored?.staging === undefined) {
    remind(write, now + BLOB_LIMITS.uncommittedBlockMillis, { what: "staging", id });
    const record = stored === undefined ? placeholder(write, request, found) : stored;
    putBlobRecord(write, { container, ref }, stored, { ...record, staging: id });
  }
  const bytes = stored?.staging === undefined ? undefined : await write.get(stagingKey(id));
  const staging = bytes === undefined ? undefined : stagingRecord.unpack(bytes);
  const idBytes = staging?.blockIdBytes ?? stored?.blockIdBytes ?? blockIdBytes;
  if (idBytes !== blockIdBytes) throw new Refusal("InvalidBlobOrBlock");
  const key = stagedBlockKey(id, blockId);
  const former = await write.get(key);
  if (former !== undefined)
    await dropContent(blobs.parts.payloads, write, stagedBlockRecord.unpack(former).bytes);
  const count = (staging?.count ?? 0) + (former === undefined ? 1 : 0);
  if (count > BLOB_LIMITS.uncommittedBlocksMax) throw new Refusal("UncommittedBlockCountExceedsLimit");
  write.put(key, stagedBlockRecord.pack(block));
  const changes = (staging?.changes ?? 0) + 1;
  const next = {
    container: container.id,
    blob: ref.blob,
    count,
    blockIdBytes: idBytes,
    lastAt: now,
    changes,
  };
  write.put(stagingKey(id), stagingRecord.pack(next));
}

function checkStaging(read: Reader, { stored, blob, container }: Found, request: BlockTarget): void {
  throwIf(checkLeaseWrite(leaseOf(stored ?? {}), request.leaseId, read.now(), "Blob"));
  if (stored !== undefined && stored.kind !== "block") throw new Refusal("InvalidBlobType");
  if (blob !== undefined) {
    if (!request.mayOverwrite) throw new Refusal("UnauthorizedBlobOverwrite");
    checkChangeable(blob, read.now());
  }
  // The blocks of one blob are all written with the same key.
  if (stored?.isUncommitted === true) checkKey(stored, request.encryption.keySha256);
  scopeFor(container, request.encryption);
}

function placeholder(write: Writer, { encryption }: PutBlock, { container }: Found): BlobRecord {
  const revision = write.revision();
  const scope = scopeFor(container, encryption);
  return {
    id: revision,
    kind: "block",
    revision,
    created: revision,
    length: 0,
    content: { inline: Buffer.alloc(0) },
    http: {},
    isUncommitted: true,
    ...(encryption.keySha256 === undefined ? {} : { keySha256: encryption.keySha256 }),
    ...(scope === undefined ? {} : { encryptionScope: scope }),
  };
}
