import { StorageFault } from "../../../base/faults.ts";
import { LIMITS } from "../../../base/limits.ts";
import { Refusal } from "../../../base/refusals.ts";
import type { ByteRange } from "../../../concurrency/byte-range-lock.ts";
import type { AsyncCommit, Writer } from "../../../store/kv.ts";
import type { InodeRecord } from "../../../store/records/file.ts";
import { commitContent, type Ingested, ingest } from "../../payload/content.ts";
import { ATTRIBUTE } from "../attributes.ts";
import { resize } from "../file-properties.ts";
import type { FileService } from "../file-service.ts";
import { putChanged, putWritten } from "../inode-changes.ts";
import { type Inode, ticksOf } from "../inodes.ts";
import { FILE_LIMITS } from "../limits.ts";
import { clearRange, discardContent, putBytes, type RangeWriter } from "../ranges.ts";
import { openWindow, streamWindow, wholeOf } from "../read-content.ts";
import { changeUsage } from "../shares.ts";
import type { View } from "../versions.ts";
import {
  checkRead,
  type FrozenTimes,
  findByHandle,
  findForWriteByHandle,
  findShownByHandle,
  timesOf,
  touchBaseByHandle,
  withWriteAccess,
} from "./held.ts";
import type { Handle } from "./open-inode.ts";
import { writtenSpans } from "./past-node.ts";

/**
 * Content by handle. Each write is one durable transaction: bytes first, then the records that name them, as for
 * Put Range (docs/internals/decisions/0021-smb-writes.md).
 */
const rangeBetween = (from: number, to: number) => ({ offset: BigInt(from), length: BigInt(to - from) });

/** Fewer bytes at the end of the file, none past it. The caller owns and releases them. */
export async function readByHandle(
  files: FileService,
  handle: Handle,
  { offset, length }: { readonly offset: number; readonly length: number },
): Promise<readonly Buffer[]> {
  await checkRead(files, handle, rangeBetween(offset, offset + length));
  const part = { from: offset, to: offset + length };
  return readParts(files, part, (read) => findByHandle(read, handle));
}

type Find = (read: Parameters<typeof findByHandle>[0]) => Promise<{
  readonly share: { readonly id: bigint };
  readonly view: View;
  readonly inode: Inode;
}>;

/** One state of the file, whatever is written meanwhile: a part too long for one look is begun again if it changed. */
export async function readParts(
  files: FileService,
  part: { readonly from: number; readonly to: number },
  find: Find,
): Promise<readonly Buffer[]> {
  for (let tries = 0; tries < FILE_LIMITS.readRestartsMax; tries++) {
    const buffers: Buffer[] = [];
    let state: bigint | undefined;
    let at = part.from;
    let isWhole = false;
    do {
      const opened = await files.parts.store.read(async (read) => {
        const { share, view, inode } = await find(read);
        const { dataRevision, content, size } = inode.record;
        if (state !== undefined && state !== dataRevision) return undefined;
        const to = Math.min(part.to, size);
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
  readonly data: Buffer;
  readonly times: FrozenTimes;
  /** May be answered before it is durable, if the bytes are few enough to lie in their record. */
  readonly mayCommitAsync: boolean;
  /** Access lists let the handle add to the file and not change what is in it. */
  readonly mayOnlyAppend?: boolean;
}

/** The bytes are given away. */
export function writeByHandle(
  files: FileService,
  handle: Handle,
  { offset, data, times, mayCommitAsync, mayOnlyAppend = false }: WriteByHandle,
): Promise<AsyncCommit<void>> {
  const end = offset + data.length;
  if (end > FILE_LIMITS.fileBytesMax) throw new Refusal("ShareSizeLimitReached");
  return changing(files, handle, rangeBetween(offset, end), async () => {
    const parts = await ingestParts(files, data);
    try {
      const put = async (write: Writer): Promise<void> => {
        const { share, inode } = await findForWriteByHandle(write, handle);
        const { record } = inode;
        if (mayOnlyAppend && offset < record.size) throw new Refusal("AuthorizationPermissionMismatch");
        const size = Math.max(record.size, end);
        await changeUsage(write, share, size - record.size);
        const { writtenAt, changedAt } = timesOf(record, ticksOf(write), times);
        const attributes = record.attributes | ATTRIBUTE.Archive;
        const revision = await putWritten(write, share, inode, { writtenAt, changedAt, size, attributes });
        const { payloads } = files.parts;
        await touchBaseByHandle(write, share, handle, times);
        const at: RangeWriter = { write, payloads, share, content: record.content, since: revision };
        let from = offset;
        for (const { content, length } of parts) {
          await commitContent(payloads, write, content);
          await putBytes(at, from, content);
          from += length;
        }
      };
      return await files.writeForHandle(put, mayCommitAsync && data.length <= LIMITS.inlineBytesMax);
    } finally {
      for (const part of parts) part.release();
    }
  });
}

/** A change of content, from the check of locks to its commit. */
function changing<T>(
  files: FileService,
  handle: Handle,
  range: ByteRange,
  write: () => Promise<T>,
): Promise<T> {
  return files.inFlightWrites.run(handle, () => withWriteAccess(files, handle, range, write));
}

/** Range records have a longest length; an SMB write may be longer. */
async function ingestParts(files: FileService, data: Buffer): Promise<readonly Ingested[]> {
  const { payloads } = files.parts;
  if (data.length <= FILE_LIMITS.rangeBytesMax) return [await ingest(payloads, data)];
  const cuts: Buffer[] = [];
  for (let from = 0; from < data.length; from += FILE_LIMITS.rangeBytesMax)
    cuts.push(data.subarray(from, from + FILE_LIMITS.rangeBytesMax));
  const taken = await Promise.allSettled(cuts.map((cut) => ingest(payloads, cut)));
  const failed = taken.find((one) => one.status === "rejected");
  if (failed === undefined) return taken.map((one) => (one as PromiseFulfilledResult<Ingested>).value);
  for (const one of taken) if (one.status === "fulfilled") one.value.release();
  throw failed.reason;
}

export function resizeByHandle(
  files: FileService,
  handle: Handle,
  { size, times }: { readonly size: number; readonly times: FrozenTimes },
): Promise<void> {
  if (size > FILE_LIMITS.fileBytesMax) throw new Refusal("ShareSizeLimitReached");
  return files.inFlightWrites.run(handle, async () => {
    const before = (await infoByHandle(files, handle)).size;
    const changed = rangeBetween(Math.min(size, before), Math.max(size, before));
    const change = (): Promise<void> =>
      files.parts.store.write(async (write) => {
        const held = await findForWriteByHandle(write, handle);
        const { record } = held.inode;
        const resized = size === record.size ? {} : await resize(files, write, held, size);
        await putChanged(write, held.share, held.inode, {
          ...timesOf(record, ticksOf(write), times),
          ...resized,
        });
        await touchBaseByHandle(write, held.share, handle, times);
      });
    await (changed.length > 0n ? withWriteAccess(files, handle, changed, change) : change());
  });
}

/** Makes a hole, within the size of the file. */
export function zeroByHandle(
  files: FileService,
  handle: Handle,
  { from, to, times }: { readonly from: number; readonly to: number; readonly times: FrozenTimes },
): Promise<void> {
  return changing(files, handle, rangeBetween(from, to), async () => {
    await files.parts.store.write(async (write) => {
      const { share, inode } = await findForWriteByHandle(write, handle);
      const { record } = inode;
      const end = Math.min(to, record.size);
      if (from >= end) return;
      const isAll = from === 0 && end === record.size;
      const dataRevision = write.revision(record.dataRevision);
      // However much there was, it is taken apart in the background.
      if (isAll) discardContent(write, share, record.content);
      const content = isAll ? dataRevision : record.content;
      const since = await putChanged(write, share, inode, {
        ...timesOf(record, ticksOf(write), times),
        dataRevision,
        content,
      });
      await touchBaseByHandle(write, share, handle, times);
      const { payloads } = files.parts;
      await clearRange({ write, payloads, share, content, since }, from, end);
    });
  });
}

/** Written ranges in [from, to). */
export function allocatedByHandle(
  files: FileService,
  handle: Handle,
  part: { readonly from: number; readonly to: number },
): Promise<readonly { readonly from: number; readonly to: number }[]> {
  return files.parts.store.read(async (read) => {
    const { share, view, inode } = await findByHandle(read, handle);
    return writtenSpans(view, share.id, inode, part);
  });
}

/** As it is told: of a named stream with the times and attributes of its file. */
export function infoByHandle(files: FileService, handle: Handle): Promise<InodeRecord> {
  return files.parts.store.read(async (read) => (await findShownByHandle(read, handle)).inode.record);
}
