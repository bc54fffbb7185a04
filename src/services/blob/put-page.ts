import { Refusal, throwIf } from "../../base/refusals.ts";
import { checkSequence, type SequenceConditions } from "../../concurrency/conditions.ts";
import type { Reader, Writer } from "../../store/kv.ts";
import type { BlobRecord } from "../../store/records/blob.ts";
import type { Appended } from "../payload/payloads.ts";
import { checkBlobWrite, type Found, findBlob, type GuardedBlob } from "./blobs.ts";
import type { BlobContext } from "./context.ts";
import { withWritableMap } from "./copy-page-map.ts";
import { BLOB_LIMITS } from "./limits.ts";
import { checkKey, type EncryptionOptions, type Mutable, scopeFor, type Written } from "./new-blob.ts";
import { clearPages, type PageContent, putPages, segmentAt, writablePages } from "./page-content.ts";
import type { PageSpan } from "./page-map.ts";
import { putCurrent } from "./replace-blob.ts";

export interface PutPage extends GuardedBlob {
  /** Whole pages. */
  readonly span: PageSpan;
  readonly sequence: SequenceConditions;
  readonly encryption: EncryptionOptions;
}

export interface PagesWritten extends Written {
  readonly sequenceNumber: bigint;
}

interface SegmentWrite {
  readonly segment: number;
  readonly start: number;
  readonly appended: Appended;
}

/**
 * Put Page. The bytes are durable before the map changes, and the map changes in one transaction: a reader
 * sees all of a write or nothing of it, and writers of different pages do not conflict.
 */
export async function putPage(blobs: BlobContext, request: PutPage, body: Buffer): Promise<PagesWritten> {
  const { payloads } = blobs;
  const writes = await appendBySegment(blobs, request.span.start, body);
  try {
    return await changePages(blobs, request, async (write, content) => {
      const slices = writes.flatMap(({ appended }) => appended.slices);
      await payloads.keep(write, slices);
      await putPages(payloads, write, content, writes.flatMap(rangesOf));
    });
  } finally {
    for (const { appended } of writes) appended.release();
  }
}

/** Slices end at segment boundaries, because each segment counts and rewrites its slices by itself. */
export async function appendBySegment(
  blobs: BlobContext,
  start: number,
  body: Buffer,
): Promise<SegmentWrite[]> {
  const appends: Promise<SegmentWrite>[] = [];
  for (let from = 0; from < body.length; ) {
    const segment = segmentAt(start + from);
    const end = Math.min(body.length, (segment + 1) * BLOB_LIMITS.segmentBytes - start);
    const at = start + from;
    const append = blobs.payloads.append(body.subarray(from, end));
    appends.push(append.then((appended) => ({ segment, start: at, appended })));
    from = end;
  }
  const results = await Promise.allSettled(appends);
  const writes = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  const failed = results.find((result) => result.status === "rejected");
  if (failed === undefined) return writes;
  for (const { appended } of writes) appended.release();
  throw failed.reason;
}

export function rangesOf({ segment, start, appended }: SegmentWrite) {
  let at = start;
  return appended.slices.map((slice) => {
    const range = { segment, start: at, length: slice.length, slice, from: 0 };
    at += slice.length;
    return range;
  });
}

/** Put Page with x-ms-page-write: clear. The pages read as zeros and take no space. */
export async function clearPage(blobs: BlobContext, request: PutPage): Promise<PagesWritten> {
  return changePages(blobs, request, (write, content) =>
    clearPages(blobs.payloads, write, content, request.span),
  );
}

function changePages(
  blobs: BlobContext,
  request: PutPage,
  change: (write: Writer, content: PageContent) => Promise<void>,
): Promise<PagesWritten> {
  return withWritableMap(blobs, request.ref, (segmentsMax) =>
    blobs.store.write(async (write) => {
      const found = await findBlob(write, request.ref);
      const before = checkPutPage(write, found, request);
      const content = await writablePages(blobs.payloads, write, before.content, segmentsMax);
      await change(write, content);
      const changed: Mutable<BlobRecord> = { ...before };
      changed.content = content;
      changed.revision = write.revision(before.revision);
      const { revision, keySha256, encryptionScope } = putCurrent(write, found, before, changed);
      return { revision, keySha256, encryptionScope, sequenceNumber: before.sequenceNumber ?? 0n };
    }),
  );
}

function checkPutPage(read: Reader, found: Found, request: PutPage): PageBlob {
  const { span, sequence, encryption } = request;
  checkBlobWrite(read, found, request, "change");
  const blob = pageBlobOf(found);
  throwIf(checkSequence(sequence, blob.sequenceNumber ?? 0n));
  checkKey(blob, encryption.keySha256);
  scopeFor(found.container, encryption);
  if (span.start + span.length > blob.length) throw new Refusal("InvalidPageRange");
  return blob;
}

/** The checks of Put Page, made before its source is fetched; the write makes them again. */
export async function checkPageTarget(blobs: BlobContext, request: PutPage): Promise<void> {
  await blobs.store.read(async (read) => {
    checkPutPage(read, await findBlob(read, request.ref), request);
  });
}

export type PageBlob = BlobRecord & { readonly content: PageContent };

/** The blob as a writable page blob. */
export function pageBlobOf({ blob }: Pick<Found, "blob">): PageBlob {
  if (blob === undefined) throw new Refusal("BlobNotFound");
  if (blob.kind !== "page" || !("pages" in blob.content)) throw new Refusal("InvalidBlobType");
  if (blob.copy?.isIncremental === true) throw new Refusal("OperationNotAllowedOnIncrementalCopyBlob");
  return blob as PageBlob;
}
