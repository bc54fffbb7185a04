import { StorageFault } from "../../base/faults.ts";
import { untilDone } from "../../services/file/until-done.ts";
import type { FileHandle } from "../file-system.ts";
import { SMB_LIMITS } from "../limits.ts";
import type { SmbServer } from "../server.ts";
import { NOTIFY_ACTION, NOTIFY_FILTER } from "../wire/directory.ts";
import { STATUS } from "../wire/status.ts";
import { notifyStream, STREAM_EVENT } from "../wire/stream-names.ts";
import type { CacheEntry } from "./caches.ts";
import type { FileOpen, Open } from "./open.ts";

/**
 * Ends an open that no session names any more: its locks, its share mode, its cache, what waits on it. A patient
 * caller gives clients that only keep a file open which is to go the time to close it: to who asked, it is gone then.
 */
export async function closeOpen(
  server: SmbServer,
  open: Open,
  { isPatient = false }: { readonly isPatient?: boolean } = {},
): Promise<void> {
  if (open.file === undefined) return;
  server.replays.forget(open);
  for (const end of [...open.blockedLocks]) end(STATUS.RANGE_NOT_LOCKED);
  endWatch(server, open, STATUS.NOTIFY_CLEANUP);
  // Whoever watches a directory that is going learns it now, not when the last handle has closed.
  if (open.isDeleteOnClose && open.file.kind === "directory")
    server.changes.removed(open.tree.share!.id, open.path);
  const eviction = open.isDeleteOnClose ? evictOthers(server, open) : undefined;
  try {
    const isRemoved = await open.file.close();
    if (isRemoved === "withFile" || (isRemoved && open.stream === undefined)) notifyRemoved(server, open);
    else if (isRemoved) notifyStream(server.changes, open, STREAM_EVENT.REMOVED);
  } catch (error) {
    server.log.error({ err: error }, "an SMB handle did not close");
    if (error instanceof StorageFault) void closeLater(server, open.file);
  } finally {
    server.inodes.remove(open);
  }
  if (isPatient && eviction !== undefined) await withinCloseWait(server, eviction);
}

/** A handle whose client is gone keeps others away from the file for as long as its record is there. */
async function closeLater({ log }: SmbServer, file: FileHandle): Promise<void> {
  await untilDone(log, () => file.close()).catch((err: unknown) =>
    log.error({ err }, "an SMB handle that nobody uses is left open until this process ends"),
  );
}

/** Ends with `work`, or when that takes long: somebody may be using the file, and it goes later. */
async function withinCloseWait(server: SmbServer, work: Promise<void>): Promise<void> {
  let end = (): void => {};
  const late = new Promise<void>((resolve) => {
    end = resolve;
  });
  const timer = server.timers.after(SMB_LIMITS.closeWaitMillis, end);
  await Promise.race([work, late]);
  timer.cancel();
}

/** Other clients may only keep the file open in their caches: they are told to let go, or it would never go. */
function evictOthers(server: SmbServer, open: FileOpen): Promise<void> | undefined {
  const { inode } = open;
  if (inode === undefined) return undefined;
  inode.isDeletePending = true;
  const isOwn = (entry: CacheEntry): boolean => entry === open.cache;
  return server.inodes.resolveWhole(open.tree.share!.id, { inode: open.file.inode }, "remove", isOwn);
}

function endWatch(server: SmbServer, open: FileOpen, status: number): void {
  if (open.watch === undefined) return;
  server.changes.remove(open.tree.share!.id, open.watch);
  open.watch.end(status);
  open.watch = undefined;
}

function notifyRemoved(server: SmbServer, open: FileOpen): void {
  const share = open.tree.share!.id;
  const isDirectory = open.file.kind === "directory";
  if (isDirectory) server.changes.removed(share, open.path);
  const filter = isDirectory ? NOTIFY_FILTER.DIR_NAME : NOTIFY_FILTER.FILE_NAME;
  server.changes.notify(share, [{ path: open.path, action: NOTIFY_ACTION.REMOVED, filter }]);
}
