import { Refusal } from "../../base/refusals.ts";
import type { Revision } from "../../base/revision.ts";
import type { InodeRecord } from "../../store/records/file.ts";
import { type Content, commitContent, type Ingested } from "../payload/content.ts";
import type { FileService } from "./file-service.ts";
import { checkState, type FileChange, openForChange, putWritten } from "./inode-changes.ts";
import { findFile, ticksOf } from "./inodes.ts";
import { FILE_LIMITS } from "./limits.ts";
import { clearRange as clear, discardContent, putBytes, type RangeWriter } from "./ranges.ts";
import { readShare, refuseSnapshot } from "./shares.ts";
import { LiveView } from "./versions.ts";

export interface PutRange extends FileChange {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
  /** What the last write time shall be: now, or as it was. */
  readonly keepsWriteTime?: boolean | undefined;
}

export interface RangePut {
  readonly revision: Revision;
  readonly writtenAt: bigint;
}

/** Puts bytes that have been taken in. They are in the file, all of them and durable, or none is. */
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

/** Whether a range could be put here, as things are: asked before its bytes are fetched, and again with them. */
export function checkRangeTarget(files: FileService, request: PutRange): Promise<void> {
  const { ref, leaseId } = request;
  refuseSnapshot(ref);
  return files.read(async (read, admissions) => {
    const share = await readShare(read, ref);
    const inode = await findFile(new LiveView(read), share.id, ref.path);
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
    // However much there was, it is taken apart in the background.
    if (isAll) discardContent(write, share, record.content);
    const of = isAll ? revision : record.content;
    const at: RangeWriter = { write, payloads, share, content: of, since: revision };
    if (content === undefined) await clear(at, request.from, request.to);
    else {
      const kept = commitContent(payloads, write, content);
      if (kept !== undefined) await kept;
      const put = putBytes(at, request.from, content);
      if (put !== undefined) await put;
    }
    return { revision, writtenAt };
  });
}
