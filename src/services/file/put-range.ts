import { Refusal } from "../../base/refusals.ts";
import type { Revision } from "../../base/revision.ts";
import type { InodeRecord } from "../../store/records/file.ts";
import { type Content, commitContent, type Ingested } from "../payload/content.ts";
import type { FileService } from "./file-service.ts";
import { checkState, type FileChange, openForChange, putWritten } from "./inode-changes.ts";
import { findKind, ticksOf } from "./inodes.ts";
import { FILE_LIMITS } from "./limits.ts";
import { clearRange as clear, discardContent, putBytes, type RangeWriter } from "./ranges.ts";
import { readShare, refuseSnapshot } from "./shares.ts";
import { LiveView } from "./versions.ts";

export interface PutRange extends FileChange {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
  /** The last write time stays; otherwise it becomes now. */
  readonly keepsWriteTime?: boolean | undefined;
}

export interface RangePut {
  readonly revision: Revision;
  readonly writtenAt: bigint;
}

/** Puts ingested bytes: all of them, durably, or none. */
export async function putRange(
  files: FileService,
  request: PutRange & { readonly bytes: Ingested },
): Promise<RangePut> {
  const { bytes, from, to } = request;
  try {
    if (to - from > FILE_LIMITS.rangeBytesMax) throw new Refusal("RequestBodyTooLarge");
    if (bytes.length !== to - from) {
      throw new Refusal("InvalidInput", { text: "The length of the body is not that of the range." });
    }
    return await changeRange(files, request, bytes.content);
  } finally {
    bytes.release();
  }
}

export function clearRange(files: FileService, request: PutRange): Promise<RangePut> {
  return changeRange(files, request, undefined);
}

function checkEnd({ to }: PutRange, { size }: InodeRecord): void {
  if (to > size) throw new Refusal("InvalidRange", { headers: { "Content-Range": `bytes */${size}` } });
}

/** Refuses a range that cannot be put. Runs before its bytes are fetched; the write itself checks again. */
export function checkRangeTarget(files: FileService, request: PutRange): Promise<void> {
  const { ref, leaseId } = request;
  refuseSnapshot(ref);
  return files.read(async (read, admissions) => {
    const share = await readShare(read, ref);
    const inode = await findKind(new LiveView(read), share.id, ref.path, "file");
    admissions.ask(share, inode, "look").pass();
    checkState(read, inode.record, leaseId);
    checkEnd(request, inode.record);
  });
}

function changeRange(files: FileService, request: PutRange, content: Content | undefined): Promise<RangePut> {
  const { payloads } = files.parts;
  return files.change(async (write, admissions) => {
    const { share, inode } = await openForChange(write, admissions, request, "write");
    const { record } = inode;
    checkEnd(request, record);
    const writtenAt = request.keepsWriteTime === true ? record.writtenAt : ticksOf(write);
    const isAll = content === undefined && request.from === 0 && request.to === record.size;
    const written = putWritten(write, share, inode, { writtenAt, isEmptied: isAll });
    const revision = written instanceof Promise ? await written : written;
    if (isAll) discardContent(write, share, record.content);
    const id = isAll ? revision : record.content;
    const at: RangeWriter = { write, payloads, share, content: id, since: revision };
    if (content === undefined) await clear(at, request.from, request.to);
    else {
      const committed = commitContent(payloads, write, content);
      if (committed !== undefined) await committed;
      const put = putBytes(at, request.from, content);
      if (put !== undefined) await put;
    }
    return { revision, writtenAt };
  });
}
