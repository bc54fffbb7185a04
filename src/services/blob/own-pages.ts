import { CooperativeScheduler } from "../../base/yield-to-event-loop.ts";
import { dueKey } from "../../store/keys/blob.ts";
import type { Key, Reader, Writer } from "../../store/kv.ts";
import type { BlobService } from "./blob-service.ts";
import { type Found, findBlob, putBlobRecord } from "./blobs.ts";
import { BLOB_LIMITS } from "./limits.ts";
import type { BlobRef } from "./names.ts";
import {
  beginCopy,
  copySegments,
  isLeftBehind,
  LongMap,
  type PageContent,
  releasePages,
} from "./page-content.ts";
import { remind } from "./retention.ts";

/**
 * The first write to a copy of a page blob needs a map of its own. A long one is made before the write, some segments
 * in a transaction of their own, while nobody sees it; then the blob is told to use it. That changes nothing of the
 * blob: the same bytes, the same ETag. A crash in between leaves a map that nobody names, and its reminder has it taken
 * apart.
 */
export async function withOwnPages<T>(
  blobs: BlobService,
  ref: BlobRef,
  change: (segmentsMax: number) => Promise<T>,
): Promise<T> {
  for (let attempt = 0; attempt < BLOB_LIMITS.listAttemptsMax; attempt++) {
    try {
      return await change(BLOB_LIMITS.segmentsCopiedAtOnceMax);
    } catch (error) {
      if (!(error instanceof LongMap)) throw error;
    }
    await makeOwnPages(blobs, ref);
  }
  // It changes so often that nothing made ready is ever of use: then the others wait.
  return change(Number.POSITIVE_INFINITY);
}

interface Copying {
  readonly from: PageContent;
  readonly to: PageContent;
  readonly reminder: Key;
}

const turns = new CooperativeScheduler(BLOB_LIMITS.listRestMillis);

async function makeOwnPages(blobs: BlobService, ref: BlobRef): Promise<void> {
  const { store, payloads } = blobs.parts;
  const copying = await store.write((write) => begin(write, ref));
  if (copying === undefined) return;
  let first: number | undefined = 0;
  while (first !== undefined) {
    const from: number = first;
    const step = await store.write(async (write) => {
      if (!(await isAsSeen(write, await findBlob(write, ref), copying))) return undefined;
      const rangesMax = BLOB_LIMITS.rangesCopiedPerStep;
      return { next: await copySegments(payloads, write, copying, { first: from, rangesMax }) };
    });
    if (step === undefined) break;
    first = step.next;
    await turns.yieldToEventLoop();
  }
  const isCopied = first === undefined;
  await store.write((write) => finish(write, ref, copying, isCopied));
}

async function begin(write: Writer, ref: BlobRef): Promise<Copying | undefined> {
  const { blob } = await findBlob(write, ref);
  if (blob === undefined || !("pages" in blob.content)) return undefined;
  const from = blob.content;
  // Another writer was here first, and its map is written to.
  if (!(await isLeftBehind(write, from))) return undefined;
  const to = await beginCopy(write, from);
  const at = write.now() + BLOB_LIMITS.preparedListMillis;
  const revision = remind(write, at, { what: "prepared", id: to.pages, epoch: to.epoch });
  return { from, to, reminder: dueKey(at, revision) };
}

async function isAsSeen(read: Reader, { blob }: Found, { from, reminder }: Copying): Promise<boolean> {
  if (blob === undefined || !("pages" in blob.content)) return false;
  const { pages, epoch } = blob.content;
  return pages === from.pages && epoch === from.epoch && (await read.get(reminder)) !== undefined;
}

/** The blob uses the map, or nobody does. */
async function finish(write: Writer, ref: BlobRef, copying: Copying, isCopied: boolean): Promise<void> {
  const found = await findBlob(write, ref);
  const { from, to, reminder } = copying;
  if ((await write.get(reminder)) === undefined) return;
  const isUsed = isCopied && (await isAsSeen(write, found, copying));
  write.delete(reminder);
  await releasePages(write, isUsed ? from : to);
  if (!isUsed) return;
  const place = { container: found.container, ref };
  putBlobRecord(write, place, found.stored, { ...found.stored!, content: to });
}
