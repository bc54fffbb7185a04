import { Refusal } from "../../base/refusals.ts";
import { hasEnd } from "../../concurrency/lease.ts";
import type { Reader, Writer } from "../../store/kv.ts";
import type { BlobRecord, CopyRecord } from "../../store/records/blob.ts";
import { leaseOf } from "../lease-action.ts";
import { type Found, findBlob } from "./blobs.ts";
import { addBlobContentReference } from "./content.ts";
import type { BlobContext } from "./context.ts";
import { type LocalSource, readSource } from "./copy-source.ts";
import { BLOB_LIMITS } from "./limits.ts";
import {
  type BlobProperties,
  checkCreate,
  type NewBlobTarget,
  newBlob,
  type Written,
  writtenOf,
} from "./new-blob.ts";
import { completedCopy } from "./put-blob.ts";
import { replaceBlob } from "./replace-blob.ts";

export interface CopyBlob extends NewBlobTarget {
  readonly source: LocalSource;
  readonly copyId: string;
  /** "sync" is Copy Blob From URL, which takes block blobs up to a size and may copy the tags. */
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
 * Copy Blob and Copy Blob From URL with a source on this server. One transaction checks both sides and makes
 * the copy. The destination shares the bytes of its source, so a copy of any size completes at once.
 */
export async function copyBlob(blobs: BlobContext, request: CopyBlob): Promise<Copied> {
  const { ref, copyId, mode } = request;
  return blobs.store.write(async (write) => {
    const found = await findBlob(write, ref);
    checkCreate(write, found, request);
    if (mode === "async") checkInfiniteLease(write, found);
    const isNamed = mode === "async" && request.source.isOwn === true;
    const source = await readSource(write, request.source, "copy", isNamed);
    if (found.blob !== undefined && found.blob.kind !== source.kind) throw new Refusal("InvalidBlobType");
    if (mode === "sync") checkSyncCopy(source);
    await addBlobContentReference(blobs.payloads, write, source.content);
    const copy = completedCopy({ id: copyId, source: request.source.shown }, source.length, write.now());
    const after = { ...copyOf(write, found, source, request), copy };
    const written = await replaceBlob(blobs, write, found, after);
    return { written: writtenOf(written), copyId, status: copy.status };
  });
}

/** A copy may outlast a lease with an end, so the lease of a leased destination must be infinite. */
export function checkInfiniteLease(read: Reader, { stored }: Found): void {
  if (hasEnd(leaseOf(stored ?? {}), read.now())) throw new Refusal("InfiniteLeaseDurationRequired");
}

function checkSyncCopy(source: BlobRecord): void {
  if (source.kind !== "block") throw new Refusal("InvalidSourceBlobType");
  if (source.length > BLOB_LIMITS.syncCopyBytesMax) throw new Refusal("CopySourceTooLarge");
}

/** A new blob with the source's content and properties, except those that the request gives. */
function copyOf(write: Writer, found: Found, source: BlobRecord, request: CopyBlob): BlobRecord {
  const { properties, copiesTags } = request;
  const { kind, content, length, blockCount, blockIdBytes, appendCount, sequenceNumber } = source;
  const hasMetadata = Object.keys(properties.metadata).length > 0;
  const created = newBlob(write, found, {
    kind,
    content,
    length,
    properties: {
      ...properties,
      http: source.http,
      metadata: hasMetadata ? properties.metadata : (source.metadata ?? {}),
      tags: properties.tags ?? (copiesTags ? source.tags : undefined),
    },
  });
  const isSealed = request.isSealed ?? source.isSealed;
  return {
    ...created,
    ...(blockCount === undefined ? {} : { blockCount }),
    ...(blockIdBytes === undefined ? {} : { blockIdBytes }),
    ...(appendCount === undefined ? {} : { appendCount }),
    ...(sequenceNumber === undefined ? {} : { sequenceNumber }),
    ...(kind === "append" && isSealed === true ? { isSealed } : {}),
    ...tierOf(write, source, request),
  };
}

/** A copy of an archived blob goes to an online tier, and its rehydration takes time. */
function tierOf(write: Writer, source: BlobRecord, request: CopyBlob): Partial<BlobRecord> {
  if (source.tier !== "Archive") return {};
  const { tier } = request.properties;
  if (tier === undefined || request.mode === "sync") throw new Refusal("BlobArchived");
  if (tier === "Archive") return {};
  const doneAt = write.now() + BLOB_LIMITS.rehydrateMillis;
  return { tier: "Archive", rehydrate: { to: tier, priority: request.priority ?? "Standard", doneAt } };
}
