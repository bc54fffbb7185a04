import type { SmbContext } from "../context.ts";
import { SMB_LIMITS } from "../limits.ts";
import { fileTimeOfTicks, ticksOfFileTime } from "../wire/filetime.ts";
import type { OpenInode } from "./caches.ts";
import type { FileInfo } from "./file-info.ts";
import type { Open } from "./open.ts";

/**
 * When SMB clients see that a file was written. As on Windows the last write time does not move with every
 * write: the first write of a handle shows after two seconds, later ones when the handle is closed, and all
 * of them with a FLUSH, a new size or new times. The file itself, and REST, have the time of the write at
 * once: only SMB replies wait.
 */
const MILLI_END = 9_999n;

/** Before a write: remembers the time that clients see until `notifyWrites`. */
export async function beforeWrite({ timers }: SmbContext, open: Open): Promise<void> {
  const { inode } = open;
  open.hasPendingWriteNotice = true;
  if (inode === undefined || inode.lazyWrite !== undefined || open.isWriteTimeFrozen) return;
  const shown = open.shownWriteTime ?? fileTimeOfTicks((await open.file.record()).writtenAt);
  open.shownWriteTime = undefined;
  if (inode.lazyWrite !== undefined || inode.opens.size === 0) return;
  const timer = open.hasNotifiedWrite
    ? undefined
    : timers.after(SMB_LIMITS.writeTimeMillis, () => {
        open.hasNotifiedWrite = true;
        notifyWrites(inode);
      });
  inode.lazyWrite = { shown, timer };
}

/** From here on clients see the last write time as it is. */
export function notifyWrites(inode: OpenInode | undefined): void {
  if (inode === undefined) return;
  inode.lazyWrite?.timer?.cancel();
  inode.lazyWrite = undefined;
  for (const open of inode.opens) open.hasPendingWriteNotice = false;
}

/** A handle that wrote again after its first write showed sets the time of its CLOSE. */
export async function beforeClose(context: SmbContext, open: Open): Promise<void> {
  const { inode } = open;
  const isLate = open.hasPendingWriteNotice && open.hasNotifiedWrite && inode?.lazyWrite !== undefined;
  notifyWrites(inode);
  // The end of the clock's millisecond: not before the client sent the CLOSE.
  if (isLate && !open.isWriteTimeFrozen)
    await open.file.change({ writtenAt: ticksOfFileTime(context.now() + MILLI_END) });
}

/** The properties as a client sees them now. */
export function shownInfo({ inode }: Open, info: FileInfo): FileInfo {
  const shown = inode?.lazyWrite?.shown;
  return shown === undefined ? info : { ...info, writtenAt: shown };
}
