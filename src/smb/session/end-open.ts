import { StorageFault } from "../../base/faults.ts";
import type { OpenFile } from "../../services/file/open-file.ts";
import { untilDone } from "../../services/file/until-done.ts";
import type { SmbContext } from "../context.ts";
import { SMB_LIMITS } from "../limits.ts";
import { NOTIFY_ACTION, NOTIFY_FILTER } from "../wire/directory.ts";
import { STATUS } from "../wire/status.ts";
import { notifyStream, STREAM_EVENT } from "../wire/stream-names.ts";
import type { AnyOpen, Open } from "./open.ts";

/**
 * Ends an open that its session does not name any more: its locks, share mode, cache and waiting requests.
 * With `mayWait` a CLOSE that deletes the file gives other clients time to close handles that only their
 * caches keep open, so that the file is gone when the CLOSE is answered.
 */
export async function closeOpen(
  context: SmbContext,
  open: AnyOpen,
  { mayWait = false }: { readonly mayWait?: boolean } = {},
): Promise<void> {
  if (open.file === undefined) return;
  const { inodes, changes, log } = context;
  const share = open.file.share;
  context.replays.forget(open);
  for (const end of [...open.blockedLocks]) end(STATUS.RANGE_NOT_LOCKED);
  if (open.watch !== undefined) {
    changes.remove(share, open.watch);
    open.watch.end(STATUS.NOTIFY_CLEANUP);
    open.watch = undefined;
  }
  // Clients that watch a directory see its deletion now, not when the last handle has closed.
  if (open.isDeleteOnClose && open.file.kind === "directory") changes.removed(share, open.path);
  const broken = open.isDeleteOnClose ? breakOthers(context, open) : undefined;
  try {
    const ended = await open.file.close();
    if (ended === "withFile" || (ended === "removed" && open.stream === undefined))
      notifyRemoved(context, open);
    else if (ended === "removed") notifyStream(changes, open, STREAM_EVENT.REMOVED);
  } catch (error) {
    log.error({ err: error }, "an SMB handle did not close");
    if (error instanceof StorageFault) void closeLater(context, open.file);
  } finally {
    inodes.remove(open);
  }
  if (mayWait && broken !== undefined) await withinCloseWait(context, broken);
}

/** Ends an open on behalf of another client or of REST. */
export async function dropOpen(context: SmbContext, open: Open): Promise<void> {
  open.session.removeOpen(open);
  if (context.durables.isKept(open)) await context.durables.drop(open);
  else await closeOpen(context, open);
}

/** A handle without a client blocks others for as long as its record is in the store. */
async function closeLater({ log }: SmbContext, file: OpenFile): Promise<void> {
  await untilDone(log, () => file.close()).catch((err: unknown) =>
    log.error({ err }, "an SMB handle without a client stays open until this process ends"),
  );
}

/** Ends with `work` or after a limit: a client that uses the file keeps it longer. */
async function withinCloseWait({ timers }: SmbContext, work: Promise<void>): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = timers.after(SMB_LIMITS.closeWaitMillis, resolve);
    void work.finally(() => {
      timer.cancel();
      resolve();
    });
  });
}

/** Breaks the caches of other clients, which may keep a delete-pending file open. */
function breakOthers({ inodes }: SmbContext, open: Open): Promise<void> | undefined {
  const { inode } = open;
  if (inode === undefined) return undefined;
  inode.isDeletePending = true;
  const { share, inode: id } = open.file;
  return inodes.resolveWhole(share, { inode: id }, "remove", (entry) => entry === open.cache);
}

function notifyRemoved({ changes }: SmbContext, open: Open): void {
  const share = open.file.share;
  const isDirectory = open.file.kind === "directory";
  if (isDirectory) changes.removed(share, open.path);
  const filter = isDirectory ? NOTIFY_FILTER.DIR_NAME : NOTIFY_FILTER.FILE_NAME;
  changes.notify(share, [{ path: open.path, action: NOTIFY_ACTION.REMOVED, filter }]);
}
