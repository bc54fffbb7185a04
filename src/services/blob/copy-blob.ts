import { answerOf, Refusal, type RefusalCode, sourceRefusal } from "../../base/refusals.ts";
import { type Conditions, checkSource, type SourceUse } from "../../concurrency/conditions.ts";
import { leaseAt } from "../../concurrency/lease.ts";
import type { Reader, Writer } from "../../store/kv.ts";
import type { BlobRecord, CopyRecord } from "../../store/records/blob.ts";
import type { BlobService } from "./blob-service.ts";
import { type Found, findBlob, putBlobRecord, readState, type Selector } from "./blobs.ts";
import { leaseOf } from "./containers.ts";
import { releaseBlobContent, shareBlobContent } from "./content.ts";
import { checkKey } from "./get-blob.ts";
import { BLOB_LIMITS } from "./limits.ts";
import type { BlobRef } from "./names.ts";
import {
  type BlobProperties,
  type CreateGuards,
  checkCreate,
  newBlob,
  type Written,
  writtenOf,
} from "./put-blob.ts";
import { replaceBlob } from "./replace-blob.ts";

/** A blob of this server as the source of a copy. The address it was named by has lost its signature. */
export interface LocalSource {
  readonly ref: BlobRef;
  readonly selector: Selector;
  readonly shown: string;
  readonly conditions: Conditions;
  readonly keySha256: string | undefined;
  /** The account's owner named it by its bare address: it is found like the destination, not read by address. */
  readonly isOwn?: boolean;
}

export interface CopyBlob extends CreateGuards {
  readonly ref: BlobRef;
  readonly source: LocalSource;
  readonly copyId: string;
  /** "sync": Copy Blob From URL, which is for block blobs up to a size and may bring the tags along. */
  readonly mode: "async" | "sync";
  readonly properties: Omit<BlobProperties, "http">;
  readonly copiesTags: boolean;
  readonly priority: "Standard" | "High" | undefined;
  readonly isSealed: boolean | undefined;
}

export interface Copied {
  readonly written: Written;
  readonly copyId: string;
  readonly status: CopyRecord["status"];
}

/**
 * Copy Blob and Copy Blob From URL, from a blob of this server. Both sides are judged and the copy is made in one
 * transaction: the destination shares the bytes of its source, so a copy of any size is there at once.
 */
export async function copyBlob(blobs: BlobService, request: CopyBlob): Promise<Copied> {
  const { ref, copyId } = request;
  return blobs.parts.store.write(async (write) => {
    const found = await findBlob(write, ref);
    checkCreate(write, found, request);
    if (request.mode === "async") checkInfiniteLease(write, found);
    const isNamed = request.mode === "async" && request.source.isOwn === true;
    const source = await readSource(write, request.source, "copy", isNamed);
    if (found.blob !== undefined && found.blob.kind !== source.kind) throw new Refusal("InvalidBlobType");
    if (request.mode === "sync") checkSync(source);
    await shareBlobContent(blobs.parts.payloads, write, source.content);
    const copy: CopyRecord = {
      id: copyId,
      source: request.source.shown,
      status: "success",
      bytesCopied: source.length,
      bytesTotal: source.length,
      completedAt: write.now(),
    };
    const after = { ...copyOf(write, found, source, request), copy };
    const written = await replaceBlob(
      blobs,
      write,
      { container: found.container, ref },
      { before: found.stored, after },
    );
    return { written: writtenOf(written), copyId, status: copy.status };
  });
}

/**
 * The source in the same transaction: what it is at this moment is what is copied. One that is only named, by
 * the owner in Copy Blob, is missing in plain words; one that is read by its address could not be verified.
 */
export async function readSource(
  read: Reader,
  source: LocalSource,
  use: SourceUse,
  isNamed = false,
): Promise<BlobRecord> {
  const record = isNamed
    ? (await readState(read, source.ref, source.selector)).record
    : await readSourceState(read, source);
  const code = checkSource(source.conditions, record, use);
  if (code !== undefined) throw conditionRefusal(code);
  checkKey(record, source.keySha256);
  if (record.copy?.status === "pending") throw new Refusal("PendingCopyOperation");
  return record;
}

/** Where the answer is that of a read, it tells what the read was refused for. */
function conditionRefusal(code: RefusalCode): Refusal {
  switch (code) {
    case "CopySourceNotModified":
      return sourceRefusal(answerOf(new Refusal("NotModified")));
    case "CopySourcePreconditionFailed":
      return sourceRefusal(answerOf(new Refusal("ConditionNotMet")));
    default:
      return new Refusal(code);
  }
}

async function readSourceState(read: Reader, { ref, selector }: LocalSource): Promise<BlobRecord> {
  try {
    return (await readState(read, ref, selector)).record;
  } catch (error) {
    // The client asked for the destination: that its source is missing is said in other words.
    if (error instanceof Refusal && error.row.http === 404) throw sourceRefusal(answerOf(error));
    throw error;
  }
}

/** A copy may outlast a lease of seconds, so a leased destination must be held without end. */
export function checkInfiniteLease(read: Reader, { stored }: Found): void {
  if (stored === undefined) return;
  const lease = leaseAt(leaseOf(stored), read.now());
  const hasEnd = lease.state === "breaking" || (lease.state === "leased" && lease.length !== "infinite");
  if (hasEnd) throw new Refusal("InfiniteLeaseDurationRequired");
}

function checkSync(source: BlobRecord): void {
  if (source.kind !== "block") throw new Refusal("InvalidSourceBlobType");
  if (source.length > BLOB_LIMITS.syncCopyBytesMax) throw new Refusal("CopySourceTooLarge");
}

/** A new blob with what the source is, except where the request says otherwise. */
function copyOf(write: Writer, found: Found, source: BlobRecord, request: CopyBlob): BlobRecord {
  const { properties, copiesTags } = request;
  const hasMetadata = Object.keys(properties.metadata).length > 0;
  const made = newBlob(write, found, {
    kind: source.kind,
    content: source.content,
    length: source.length,
    properties: {
      ...properties,
      http: source.http,
      metadata: hasMetadata ? properties.metadata : (source.metadata ?? {}),
      tags: properties.tags ?? (copiesTags ? source.tags : undefined),
    },
  });
  const isSealed = request.isSealed ?? source.isSealed;
  return {
    ...made,
    ...(source.blockCount === undefined ? {} : { blockCount: source.blockCount }),
    ...(source.blockIdBytes === undefined ? {} : { blockIdBytes: source.blockIdBytes }),
    ...(source.appendCount === undefined ? {} : { appendCount: source.appendCount }),
    ...(source.sequenceNumber === undefined ? {} : { sequenceNumber: source.sequenceNumber }),
    ...(source.kind === "append" && isSealed === true ? { isSealed } : {}),
    ...tierOf(write, source, request),
  };
}

/** Out of the archive a copy goes to a tier that is on line, and takes the time that takes. */
function tierOf(write: Writer, source: BlobRecord, request: CopyBlob): Partial<BlobRecord> {
  if (source.tier !== "Archive") return {};
  const { tier } = request.properties;
  if (tier === undefined || request.mode === "sync") throw new Refusal("BlobArchived");
  if (tier === "Archive") return {};
  const doneAt = write.now() + BLOB_LIMITS.rehydrateMillis;
  return { tier: "Archive", rehydrate: { to: tier, priority: request.priority ?? "Standard", doneAt } };
}

/** Abort Copy Blob: what was to be overwritten is gone already; the blob stays, empty. */
export async function abortCopy(
  blobs: BlobService,
  request: Pick<CreateGuards, "leaseId"> & { readonly ref: BlobRef; readonly copyId: string },
): Promise<void> {
  const { ref, copyId } = request;
  await blobs.parts.store.write(async (write) => {
    const { container, stored, blob } = await findBlob(write, ref);
    if (blob === undefined) throw new Refusal("BlobNotFound");
    const lease = leaseAt(leaseOf(blob), write.now());
    const isHeld = lease.state === "leased" || lease.state === "breaking";
    if (isHeld && request.leaseId === undefined) throw new Refusal("LeaseIdMissing");
    if (isHeld && request.leaseId !== lease.id) throw new Refusal("LeaseIdMismatchWithBlobOperation");
    if (blob.copy?.status !== "pending") throw new Refusal("NoPendingCopyOperation");
    if (blob.copy.id !== copyId) throw new Refusal("CopyIdMismatch");
    await releaseBlobContent(blobs.parts.payloads, write, blob.content);
    const copy: CopyRecord = { ...blob.copy, status: "aborted", completedAt: write.now() };
    const revision = write.revision(blob.revision);
    const content = { inline: Buffer.alloc(0) };
    putBlobRecord(write, { container, ref }, stored, { ...blob, content, length: 0, revision, copy });
  });
}
