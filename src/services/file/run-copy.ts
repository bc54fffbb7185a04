import { Refusal } from "../../base/refusals.ts";
import type { Reader } from "../../store/kv.ts";
import { type FileCopyTarget, pendingFileCopy } from "../../store/records/copies.ts";
import type { BackgroundJob } from "../reclaim/background-jobs.ts";
import { interruptedCopies } from "../reclaim/interrupted-copies.ts";
import {
  type CopyWork,
  copyNextRanges,
  endCopy,
  findPendingCopy,
  putCopiedBytes,
  putCopy,
} from "./copy-file.ts";
import type { FileService } from "./file-service.ts";
import { FILE_LIMITS } from "./limits.ts";

/**
 * Completes a copy step by step after the client has its reply. The status becomes "success" or "failed"; an
 * aborted copy stops where it is. When the process dies, another process sets the status to "failed"
 * (`fileCopies`).
 */
export async function runCopy(
  files: FileService,
  work: CopyWork,
  bytes?: AsyncIterable<Uint8Array>,
): Promise<void> {
  try {
    if (work.source !== undefined) {
      let from: number | undefined = 0;
      while (from !== undefined) from = await copyNextRanges(files, work, work.source, from);
    } else if (bytes !== undefined) await copyFrom(files, work, bytes);
    await endCopy(files, work, { status: "success" });
  } catch (error) {
    if (error instanceof Refusal && error.code === "NoPendingCopyOperation") return;
    const description =
      error instanceof Refusal ? error.row.text : "The source could not be read to its end.";
    if (!(error instanceof Refusal)) files.parts.log.warn({ err: error }, "a copy failed");
    await endCopy(files, work, { status: "failed", description }).catch((err: unknown) => {
      // The copy was aborted at the same moment, or the store is closing.
      files.parts.log.warn({ err }, "could not record that a copy failed");
    });
  }
}

async function copyFrom(files: FileService, work: CopyWork, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  let offset = 0;
  let pending: Uint8Array[] = [];
  let length = 0;
  const flush = async (): Promise<void> => {
    if (length === 0) return;
    const whole = Buffer.concat(pending, length);
    for (let at = 0; at < whole.length; at += FILE_LIMITS.rangeBytesMax) {
      const part = whole.subarray(at, at + FILE_LIMITS.rangeBytesMax);
      await putCopiedBytes(files, work, offset, part);
      offset += part.length;
    }
    pending = [];
    length = 0;
  };
  for await (const chunk of bytes) {
    pending.push(chunk);
    length += chunk.length;
    if (length >= FILE_LIMITS.rangeBytesMax) await flush();
  }
  await flush();
  if (offset !== work.size) throw new Refusal("CannotVerifyCopySource");
}

/** Fails the pending copies of processes that have ended. */
export function fileCopies(files: FileService): BackgroundJob {
  const find = (
    read: Reader,
    { account, share, shareId, inode }: FileCopyTarget,
    copyId: string,
  ): ReturnType<typeof findPendingCopy> =>
    findPendingCopy(read, { request: { ref: { account, share }, copyId }, share: shareId, inode });
  return interruptedCopies(files.parts, {
    service: "file",
    record: pendingFileCopy,
    isPending: async (read, target, copyId) => (await find(read, target, copyId)) !== undefined,
    fail: async (write, target, copyId, description) => {
      const pending = await find(write, target, copyId);
      if (pending !== undefined) await putCopy(write, pending, { status: "failed", description });
    },
  });
}
