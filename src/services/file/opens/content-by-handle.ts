import { StorageFault } from "../../../base/faults.ts";
import { LIMITS } from "../../../base/limits.ts";
import { Refusal } from "../../../base/refusals.ts";
import type { AsyncCommit, Writer } from "../../../store/kv.ts";
import { commitContent, type Ingested, ingest } from "../../payload/content.ts";
import { ATTRIBUTE } from "../attributes.ts";
import { resize } from "../file-properties.ts";
import type { FileService } from "../file-service.ts";
import { putChanged, putWritten } from "../inode-changes.ts";
import { ticksOf } from "../inodes.ts";
import { FILE_LIMITS } from "../limits.ts";
import { lengthOf } from "../range-record.ts";
import { clearRange, discardContent, putBytes, type RangeWriter } from "../ranges.ts";
import { openWindow, rangesIn, streamWindow, wholeOf } from "../read-content.ts";
import { changeUsage } from "../shares.ts";
import {
  checkRead,
  type FrozenTimes,
  findByHandle,
  findForWriteByHandle,
  findShownByHandle,
  timesOf,
  touchBaseByHandle,
  withWriteAccess,
} from "./find-by-handle.ts";
import type { HandleId } from "./open-request.ts";

/**
 * Content by handle. Each write is one durable transaction: bytes first, then the records that name them, as
 * for Put Range (decision 0021).
 */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** FILE_ATTRIBUTE_SPARSE_FILE, which REST has no name for. */
const SPARSE = 0x200;

const rangeOf = ({ from, to }: Span) => ({ offset: BigInt(from), length: BigInt(to - from) });

/**
 * Reads one state of the file: a span that needs several transactions starts again when the file has changed.
 * Fewer bytes at the end of the file, none beyond it. The caller releases the buffers
 * (`src/memory/pooled-buffer.ts`).
 */
export async function readByHandle(
  files: FileService,
  handle: HandleId,
  span: Span,
): Promise<readonly Buffer[]> {
  // A snapshot has no handles and no locks.
  if (handle.ref.snapshot === undefined) await checkRead(files, handle, rangeOf(span));
  for (let tries = 0; tries < FILE_LIMITS.readRestartsMax; tries++) {
    const buffers: Buffer[] = [];
    let state: bigint | undefined;
    let at = span.from;
    let isWhole = false;
    do {
      const opened = await files.parts.store.read(async (read) => {
        const { share, view, inode } = await findByHandle(read, handle);
        const { dataRevision, content, size } = inode.record;
        if (state !== undefined && state !== dataRevision) return undefined;
        const to = Math.min(span.to, size);
        const ref = { share: share.id, content, from: at, to };
        if (at >= to) return { window: undefined, dataRevision, to };
        return { window: await openWindow(read, view, files.parts.payloads, ref), dataRevision, to };
      });
      if (opened === undefined) break;
      state = opened.dataRevision;
      const { window, to } = opened;
      const whole = window && wholeOf(window, at, to);
      try {
        if (whole !== undefined) buffers.push(whole);
        else if (window !== undefined)
          for await (const buffer of streamWindow(window, at)) buffers.push(buffer);
      } finally {
        window?.payload?.close();
      }
      at = window?.end ?? to;
      isWhole = at >= to;
    } while (!isWhole);
    if (isWhole) return buffers;
  }
  throw new StorageFault("the file changes faster than it can be read");
}

export interface WriteByHandle {
  readonly offset: number;
  /** Owned by the service until the write resolves. */
  readonly data: Buffer;
  /** The write may be answered before it is durable, if the bytes are few enough to lie in their record. */
  readonly mayCommitAsync: boolean;
}

/** With `isAppendOnly` the ACL lets the handle add to the file, and not change the bytes in it. */
export function writeByHandle(
  files: FileService,
  handle: HandleId,
  { offset, data, mayCommitAsync }: WriteByHandle,
  { frozen, isAppendOnly }: { readonly frozen: FrozenTimes; readonly isAppendOnly: boolean },
): Promise<AsyncCommit<void>> {
  const end = offset + data.length;
  if (end > FILE_LIMITS.fileBytesMax) throw new Refusal("ShareSizeLimitReached");
  return changeContent(files, handle, { from: offset, to: end }, async () => {
    const chunks = await ingestChunks(files, data);
    try {
      const put = async (write: Writer): Promise<void> => {
        const { share, inode } = await findForWriteByHandle(write, handle);
        const { record } = inode;
        if (isAppendOnly && offset < record.size) throw new Refusal("AuthorizationPermissionMismatch");
        const size = Math.max(record.size, end);
        await changeUsage(write, share, size - record.size);
        const { writtenAt, changedAt } = timesOf(record, ticksOf(write), frozen);
        const attributes = record.attributes | ATTRIBUTE.Archive;
        const revision = await putWritten(write, share, inode, { writtenAt, changedAt, size, attributes });
        const { payloads } = files.parts;
        await touchBaseByHandle(write, share, handle, frozen);
        const at: RangeWriter = { write, payloads, share, content: record.content, since: revision };
        let from = offset;
        for (const { content, length } of chunks) {
          await commitContent(payloads, write, content);
          await putBytes(at, from, content);
          from += length;
        }
      };
      return await files.writeForHandle(put, mayCommitAsync && data.length <= LIMITS.inlineBytesMax);
    } finally {
      for (const chunk of chunks) chunk.release();
    }
  });
}

/** Runs a change of content from the check of locks to its commit. */
function changeContent<T>(
  files: FileService,
  handle: HandleId,
  span: Span,
  change: () => Promise<T>,
): Promise<T> {
  return files.inFlightWrites.run(handle, () => withWriteAccess(files, handle, rangeOf(span), change));
}

/** A range record has a maximal length, and an SMB write may be longer. */
async function ingestChunks(files: FileService, data: Buffer): Promise<readonly Ingested[]> {
  const { payloads } = files.parts;
  if (data.length <= FILE_LIMITS.rangeBytesMax) return [await ingest(payloads, data)];
  const chunks: Buffer[] = [];
  for (let from = 0; from < data.length; from += FILE_LIMITS.rangeBytesMax)
    chunks.push(data.subarray(from, from + FILE_LIMITS.rangeBytesMax));
  const results = await Promise.allSettled(chunks.map((chunk) => ingest(payloads, chunk)));
  const failed = results.find((result) => result.status === "rejected");
  const ingested = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  if (failed === undefined) return ingested;
  for (const chunk of ingested) chunk.release();
  throw failed.reason;
}

export function resizeByHandle(
  files: FileService,
  handle: HandleId,
  size: number,
  frozen: FrozenTimes,
): Promise<void> {
  if (size > FILE_LIMITS.fileBytesMax) throw new Refusal("ShareSizeLimitReached");
  return files.inFlightWrites.run(handle, async () => {
    const { store } = files.parts;
    const before = (await store.read((read) => findByHandle(read, handle))).inode.record.size;
    const change = (): Promise<void> =>
      store.write(async (write) => {
        const loaded = await findForWriteByHandle(write, handle);
        const { share, inode } = loaded;
        const resized = size === inode.record.size ? {} : await resize(files, write, loaded, size);
        const times = timesOf(inode.record, ticksOf(write), frozen);
        await putChanged(write, share, inode, { ...times, ...resized });
        await touchBaseByHandle(write, share, handle, frozen);
      });
    if (size === before) return change();
    const changed = rangeOf({ from: Math.min(size, before), to: Math.max(size, before) });
    return withWriteAccess(files, handle, changed, change);
  });
}

/** Makes a hole, within the size of the file. */
export function zeroByHandle(
  files: FileService,
  handle: HandleId,
  { from, to }: Span,
  frozen: FrozenTimes,
): Promise<void> {
  return changeContent(files, handle, { from, to }, () =>
    files.parts.store.write(async (write) => {
      const { share, inode } = await findForWriteByHandle(write, handle);
      const { record } = inode;
      const end = Math.min(to, record.size);
      if (from >= end) return;
      const isAll = from === 0 && end === record.size;
      const dataRevision = write.revision(record.dataRevision);
      // A background job removes the ranges, however many there are.
      if (isAll) discardContent(write, share, record.content);
      const content = isAll ? dataRevision : record.content;
      const times = timesOf(record, ticksOf(write), frozen);
      const since = await putChanged(write, share, inode, { ...times, dataRevision, content });
      await touchBaseByHandle(write, share, handle, frozen);
      const { payloads } = files.parts;
      await clearRange({ write, payloads, share, content, since }, from, end);
    }),
  );
}

/** Written ranges in a span, adjacent ones joined. A file without the sparse attribute shows no holes. */
export function allocatedByHandle(
  files: FileService,
  handle: HandleId,
  { from, to }: Span,
): Promise<readonly Span[]> {
  return files.parts.store.read(async (read) => {
    const { share, view, inode } = await findShownByHandle(read, handle);
    const { content, size, attributes } = inode.record;
    const end = Math.min(to, size);
    if ((attributes & SPARSE) === 0) return from < end ? [{ from, to: end }] : [];
    const spans: { from: number; to: number }[] = [];
    for await (const { offset, record } of rangesIn(view, { share: share.id, content, from, to: end })) {
      const rangeEnd = offset + lengthOf(record);
      const last = spans.at(-1);
      if (last?.to === offset) last.to = rangeEnd;
      else spans.push({ from: offset, to: rangeEnd });
    }
    return spans;
  });
}
