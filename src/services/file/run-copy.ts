import { Refusal } from "../../base/refusals.ts";
import type { FileCopyTarget } from "../../store/records/copies.ts";
import { pendingFileCopy } from "../../store/records/copies.ts";
import type { BackgroundJob } from "../reclaim/background-jobs.ts";
import { interruptedCopies } from "../reclaim/interrupted-copies.ts";
import {
  type CopyInPlace,
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
 * Carries a copy to its end, step by step, while the client already has its answer. It ends as "success" or
 * "failed"; a copy that the client aborts ends where it is. A copy that its process did not survive is
 * ended as "failed" by the next process that looks (`fileCopies`).
 */
export async function runCopy(
  files: FileService,
  work: CopyWork,
  bytes?: AsyncIterable<Uint8Array>,
): Promise<void> {
  try {
    if (work.source !== undefined) await copyWithin(files, { ...work, source: work.source });
    else if (bytes !== undefined) await copyFrom(files, work, bytes);
    await endCopy(files, work, { status: "success" });
  } catch (error) {
    if (error instanceof Refusal && error.code === "NoPendingCopyOperation") return;
    const description =
      error instanceof Refusal ? error.row.text : "The source could not be read to its end.";
    if (!(error instanceof Refusal)) files.parts.log.warn({ err: error }, "a copy failed");
    await endCopy(files, work, { status: "failed", description }).catch((err: unknown) => {
      // Aborted in the same moment, or the store is closing: nobody waits for this any more.
      files.parts.log.warn({ err }, "the end of a copy could not be written down");
    });
  }
}

async function copyWithin(
  files: FileService,
  work: Required<Pick<CopyWork, "source">> & CopyWork & { source: NonNullable<CopyWork["source"]> },
): Promise<void> {
  let from: number | undefined = 0;
  while (from !== undefined) from = (await copyNextRanges(files, work, from)).next;
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
  for await (const piece of bytes) {
    pending.push(piece);
    length += piece.length;
    if (length >= FILE_LIMITS.rangeBytesMax) await flush();
  }
  await flush();
  if (offset !== work.size) throw new Refusal("CannotVerifyCopySource");
}

/** Ends the copies of processes that are gone. */
export function fileCopies(files: FileService): BackgroundJob {
  const inPlace = (
    { account, share, shareId, node: inode }: FileCopyTarget,
    copyId: string,
  ): CopyInPlace => ({
    request: { ref: { account, share }, copyId },
    share: shareId,
    inode,
  });
  return interruptedCopies(files.parts, {
    service: "file",
    record: pendingFileCopy,
    isPending: async (read, target, copyId) =>
      (await findPendingCopy(read, inPlace(target, copyId))) !== undefined,
    fail: async (write, target, copyId, description) => {
      const pending = await findPendingCopy(write, inPlace(target, copyId));
      if (pending !== undefined) await putCopy(write, pending, { status: "failed", description });
    },
  });
}
