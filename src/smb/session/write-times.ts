import type { Timer } from "../../base/clock.ts";
import type { FileInfo } from "../file-system.ts";
import { SMB_LIMITS } from "../limits.ts";
import type { SmbServer } from "../server.ts";
import type { FileTime } from "../wire/filetime.ts";
import type { OpenInode } from "./caches.ts";
import type { FileOpen } from "./open.ts";

/**
 * When SMB clients see that a file was written. As on Windows the time of the last write does not move with every
 * write: the first one of a handle shows after two seconds, later ones when the handle is closed, and all of them at
 * once with a FLUSH, a new size or new times. The file itself, and REST, have the time of the write from the start:
 * only what is told here waits.
 */
export interface LazyWrite {
  readonly shown: FileTime;
  readonly timer: Timer | undefined;
}

const MILLI_END = 9_999n;

/** Before a write: what is shown until somebody has a reason to look. */
export async function beforeWrite(server: SmbServer, open: FileOpen): Promise<void> {
  const { inode } = open;
  open.hasPendingWriteNotice = true;
  if (inode === undefined || inode.lazyWrite !== undefined || open.isWriteTimeFrozen) return;
  const shown = open.shownWriteTime ?? (await open.file.info()).writtenAt;
  open.shownWriteTime = undefined;
  if (inode.lazyWrite !== undefined || inode.opens.size === 0) return;
  const timer = open.hasNotifiedWrite
    ? undefined
    : server.timers.after(SMB_LIMITS.writeTimeMillis, () => {
        open.hasNotifiedWrite = true;
        notifyWrites(inode);
      });
  inode.lazyWrite = { shown, timer };
}

/** From here on the time of the last write is told as it is. */
export function notifyWrites(inode: OpenInode | undefined): void {
  if (inode === undefined) return;
  inode.lazyWrite?.timer?.cancel();
  inode.lazyWrite = undefined;
  for (const open of inode.opens) open.hasPendingWriteNotice = false;
}

/** A handle that has written for longer than its first write was held back counts as written when it is closed. */
export async function beforeClose(server: SmbServer, open: FileOpen): Promise<void> {
  const { inode } = open;
  const isLate = open.hasPendingWriteNotice && open.hasNotifiedWrite && inode?.lazyWrite !== undefined;
  notifyWrites(inode);
  // The end of the millisecond the clock shows: not before the CLOSE was sent.
  if (isLate && !open.isWriteTimeFrozen) await open.file.change({ writtenAt: server.now() + MILLI_END });
}

/** What a client is told of a file. */
export function shownInfo({ inode }: FileOpen, info: FileInfo): FileInfo {
  const shown = inode?.lazyWrite?.shown;
  return shown === undefined ? info : { ...info, writtenAt: shown };
}
