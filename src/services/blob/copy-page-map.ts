import { dueKey } from "../../store/keys/blob.ts";
import type { Key, Reader, Writer } from "../../store/kv.ts";
import { type Found, findBlob, putBlobRecord } from "./blobs.ts";
import type { BlobContext } from "./context.ts";
import { BLOB_LIMITS } from "./limits.ts";
import type { BlobRef } from "./names.ts";
import {
  beginMapCopy,
  copySegments,
  isSuperseded,
  type PageContent,
  PageMapTooLong,
  releasePages,
} from "./page-content.ts";
import { scheduleDeadline } from "./retention.ts";

/**
 * The first write to a copy of a page blob needs a map of its own. A long map is copied before the write,
 * some segments per transaction, while no record refers to the copy; then the blob's record switches to it.
 * The switch changes neither bytes nor ETag. A crash in between leaves a map without a blob, which its
 * deadline releases.
 */
export async function withWritableMap<T>(
  blobs: BlobContext,
  ref: BlobRef,
  change: (segmentsMax: number) => Promise<T>,
): Promise<T> {
  for (let attempt = 0; attempt < BLOB_LIMITS.listAttemptsMax; attempt++) {
    try {
      return await change(BLOB_LIMITS.segmentsCopiedAtOnceMax);
    } catch (error) {
      if (!(error instanceof PageMapTooLong)) throw error;
    }
    await copyMap(blobs, ref);
  }
  // The blob changes too often for a prepared copy: copy the map in one transaction, and other writers wait.
  return change(Number.POSITIVE_INFINITY);
}

interface MapCopy {
  readonly from: PageContent;
  readonly to: PageContent;
  readonly deadline: Key;
}

async function copyMap(blobs: BlobContext, ref: BlobRef): Promise<void> {
  const { store, payloads, scheduler } = blobs;
  const copy = await store.write((write) => begin(write, ref));
  if (copy === undefined) return;
  let first: number | undefined = 0;
  while (first !== undefined) {
    const from: number = first;
    const step = await store.write(async (write) => {
      if (!(await isUnchanged(write, await findBlob(write, ref), copy))) return undefined;
      const rangesMax = BLOB_LIMITS.rangesCopiedPerStep;
      return { next: await copySegments(payloads, write, copy, { first: from, rangesMax }) };
    });
    if (step === undefined) break;
    first = step.next;
    await scheduler.yieldToEventLoop();
  }
  const isComplete = first === undefined;
  await store.write((write) => finish(write, ref, copy, isComplete));
}

async function begin(write: Writer, ref: BlobRef): Promise<MapCopy | undefined> {
  const { blob } = await findBlob(write, ref);
  if (blob === undefined || !("pages" in blob.content)) return undefined;
  const from = blob.content;
  // Another writer has given the blob a map of its own meanwhile.
  if (!(await isSuperseded(write, from))) return undefined;
  const to = await beginMapCopy(write, from);
  const at = write.now() + BLOB_LIMITS.preparedListMillis;
  const revision = scheduleDeadline(write, at, { what: "prepared", id: to.pages, epoch: to.epoch });
  return { from, to, deadline: dueKey(at, revision) };
}

async function isUnchanged(read: Reader, { blob }: Found, { from, deadline }: MapCopy): Promise<boolean> {
  if (blob === undefined || !("pages" in blob.content)) return false;
  const { pages, epoch } = blob.content;
  return pages === from.pages && epoch === from.epoch && (await read.get(deadline)) !== undefined;
}

/** Switches the blob to a complete copy; otherwise releases the copy. */
async function finish(write: Writer, ref: BlobRef, copy: MapCopy, isComplete: boolean): Promise<void> {
  const found = await findBlob(write, ref);
  const { from, to, deadline } = copy;
  if ((await write.get(deadline)) === undefined) return;
  const isUsed = isComplete && (await isUnchanged(write, found, copy));
  write.delete(deadline);
  await releasePages(write, isUsed ? from : to);
  if (isUsed) putBlobRecord(write, found, found.stored, { ...found.stored!, content: to });
}
