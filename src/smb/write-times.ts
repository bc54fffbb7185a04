import type { Timer } from "../base/clock.ts";
import { SMB_LIMITS } from "../base/limits-smb.ts";
import type { OpenedNode } from "./caches.ts";
import type { FileInfo } from "./file-system.ts";
import type { FileOpen } from "./open.ts";
import type { SmbServer } from "./server.ts";
import type { FileTime } from "./wire/filetime.ts";

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
  const { node } = open;
  open.hasUntoldWrite = true;
  if (node === undefined || node.lazyWrite !== undefined || open.isWriteTimeHeld) return;
  const shown = open.shownWriteTime ?? (await open.file.info()).writtenAt;
  open.shownWriteTime = undefined;
  if (node.lazyWrite !== undefined || node.opens.size === 0) return;
  const timer = open.hasToldWrite
    ? undefined
    : server.timers.after(SMB_LIMITS.writeTimeMillis, () => {
        open.hasToldWrite = true;
        tellWrites(node);
      });
  node.lazyWrite = { shown, timer };
}

/** From here on the time of the last write is told as it is. */
export function tellWrites(node: OpenedNode | undefined): void {
  if (node === undefined) return;
  node.lazyWrite?.timer?.cancel();
  node.lazyWrite = undefined;
  for (const open of node.opens) open.hasUntoldWrite = false;
}

/** A handle that has written for longer than its first write was held back counts as written when it is closed. */
export async function beforeClose(server: SmbServer, open: FileOpen): Promise<void> {
  const { node } = open;
  const isLate = open.hasUntoldWrite && open.hasToldWrite && node?.lazyWrite !== undefined;
  tellWrites(node);
  // The end of the millisecond the clock shows: not before the CLOSE was sent.
  if (isLate && !open.isWriteTimeHeld) await open.file.change({ writtenAt: server.now() + MILLI_END });
}

/** What a client is told of a file. */
export function shownInfo({ node }: FileOpen, info: FileInfo): FileInfo {
  const shown = node?.lazyWrite?.shown;
  return shown === undefined ? info : { ...info, writtenAt: shown };
}
