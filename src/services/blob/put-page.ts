import { Refusal } from "../../base/refusals.ts";
import { checkSequence, type SequenceConditions } from "../../concurrency/conditions.ts";
import type { Reader, Writer } from "../../store/kv.ts";
import type { BlobRecord } from "../../store/records/blob.ts";
import type { Appended } from "../payload/payloads.ts";
import type { BlobService } from "./blob-service.ts";
import { checkBlobWrite, type Found, findBlob, putBlobRecord, withLeaseAfterWrite } from "./blobs.ts";
import { throwIf } from "./containers.ts";
import { checkKey } from "./get-blob.ts";
import { BLOB_LIMITS } from "./limits.ts";
import { withOwnPages } from "./own-pages.ts";
import { clearPages, type PageContent, putPages, segmentAt, writablePages } from "./page-content.ts";
import type { PageSpan } from "./page-map.ts";
import { type EncryptionOptions, scopeFor, type Written } from "./put-blob.ts";
import type { ChangeBlob } from "./set-blob-properties.ts";

export interface PageWrite extends ChangeBlob {
  /** Whole pages. */
  readonly span: PageSpan;
  readonly sequence: SequenceConditions;
  readonly encryption: EncryptionOptions;
}

export interface PagesWritten extends Written {
  readonly sequenceNumber: bigint;
}

interface Piece {
  readonly segment: number;
  readonly start: number;
  readonly appended: Appended;
}

/**
 * Put Page. The bytes are durable before the map is touched, and the map changes in one transaction: a reader
 * has all of a write or nothing of it, and writers of different pages never meet.
 */
export async function putPage(blobs: BlobService, request: PageWrite, body: Buffer): Promise<PagesWritten> {
  const { payloads } = blobs.parts;
  const pieces = await takePieces(blobs, request.span.start, body);
  try {
    return await changePages(blobs, request, async (write, content) => {
      const slices = pieces.flatMap(({ appended }) => appended.slices);
      await payloads.keep(write, slices);
      await putPages(payloads, write, content, pieces.flatMap(rangesOf));
    });
  } finally {
    for (const { appended } of pieces) appended.release();
  }
}

/** A slice never reaches over the end of a segment: what a segment names is its own to count and to rewrite. */
async function takePieces(blobs: BlobService, start: number, body: Buffer): Promise<Piece[]> {
  const { segmentBytes } = BLOB_LIMITS;
  const taken: Promise<Piece>[] = [];
  for (let at = 0; at < body.length; ) {
    const segment = segmentAt(start + at);
    const end = Math.min(body.length, (segment + 1) * segmentBytes - start);
    const part = body.subarray(at, end);
    const from = start + at;
    taken.push(blobs.parts.payloads.append(part).then((appended) => ({ segment, start: from, appended })));
    at = end;
  }
  const settled = await Promise.allSettled(taken);
  const failed = settled.find((one) => one.status === "rejected");
  if (failed !== undefined) {
    for (const one of settled) if (one.status === "fulfilled") one.value.appended.release();
    throw failed.reason;
  }
  return settled.map((one) => (one as PromiseFulfilledResult<Piece>).value);
}

function rangesOf({ segment, start, appended }: Piece) {
  let at = start;
  return appended.slices.map((slice) => {
    const range = { segment, start: at, length: slice.length, slice, from: 0 };
    at += slice.length;
    return range;
  });
}

/** Put Page with x-ms-page-write: clear. The pages read as zeros and take no space. */
export async function clearPage(blobs: BlobService, request: PageWrite): Promise<PagesWritten> {
  return changePages(blobs, request, (write, content) =>
    clearPages(blobs.parts.payloads, write, content, request.span),
  );
}

type Change = (write: Writer, content: PageContent) => Promise<void>;

function changePages(blobs: BlobService, request: PageWrite, change: Change): Promise<PagesWritten> {
  return withOwnPages(blobs, request.ref, (segmentsMax) => changeOnce(blobs, request, change, segmentsMax));
}

async function changeOnce(
  blobs: BlobService,
  request: PageWrite,
  change: Change,
  segmentsMax: number,
): Promise<PagesWritten> {
  const { ref } = request;
  return blobs.parts.store.write(async (write) => {
    const found = await findBlob(write, ref);
    const before = checkPages(write, found, request);
    const content = await writablePages(blobs.parts.payloads, write, before.content, segmentsMax);
    await change(write, content);
    const written: { -readonly [Name in keyof BlobRecord]: BlobRecord[Name] } = { ...before };
    written.content = content;
    written.revision = write.revision(before.revision);
    const after = withLeaseAfterWrite(written, before, write.now());
    putBlobRecord(write, { container: found.container, ref }, before, after);
    const { revision, keySha256, encryptionScope } = after;
    return { revision, keySha256, encryptionScope, sequenceNumber: before.sequenceNumber ?? 0n };
  });
}

function checkPages(
  read: Reader,
  found: Found,
  { span, sequence, encryption, ...guards }: PageWrite,
): PageBlob {
  checkBlobWrite(read, found, guards, "change");
  const blob = pageBlobOf(found);
  throwIf(checkSequence(sequence, blob.sequenceNumber ?? 0n));
  checkKey(blob, encryption.keySha256);
  scopeFor(found.container, encryption);
  if (span.start + span.length > blob.length) throw new Refusal("InvalidPageRange");
  return blob;
}

/** Whether pages could be put here, as things are: asked before their bytes are fetched, and again with them. */
export async function checkPageTarget(blobs: BlobService, request: PageWrite): Promise<void> {
  await blobs.parts.store.read(async (read) => {
    checkPages(read, await findBlob(read, request.ref), request);
  });
}

export type PageBlob = BlobRecord & { readonly content: PageContent };

/** The blob as a page blob that can be written to. */
export function pageBlobOf({ blob }: Pick<Found, "blob">): PageBlob {
  if (blob === undefined) throw new Refusal("BlobNotFound");
  if (blob.kind !== "page" || !("pages" in blob.content)) throw new Refusal("InvalidBlobType");
  if (blob.copy?.isIncremental === true) throw new Refusal("OperationNotAllowedOnIncrementalCopyBlob");
  return blob as PageBlob;
}
