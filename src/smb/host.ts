import { systemTimers } from "../base/clock.ts";
import type { CacheConflict } from "../concurrency/cache-lease.ts";
import { GrantedCache, type InodeName } from "../services/file/cache-breaks.ts";
import { FILE_LIMITS } from "../services/file/limits.ts";
import { hearEnded } from "../services/file/list-handles.ts";
import { Liveness } from "../services/file/liveness.ts";
import type { SmbServer } from "./server.ts";
import { dropOpen } from "./session/end-open.ts";
import { RemoteChanges } from "./session/remote-changes.ts";

/**
 * Connects an SMB server to what reaches its clients from outside: REST calls and clients of other processes
 * that need caches broken, Force Close Handles, changes in watched directories, the loss of its handles.
 * Returns what ends it.
 */
export function attachToService(server: SmbServer): () => void {
  const { files, inodes, pendingOpens } = server;
  const { context, openFiles } = files;
  const holder = new GrantedCache(context, (inode, conflict) => breakCaches(server, inode, conflict));
  const liveness = new Liveness(context.ephemeral, systemTimers, {
    isInUse: () => openFiles.size > 0,
    lost: () => {
      pendingOpens.disturbAll();
      server.cutOff();
    },
  });
  files.liveness = liveness;
  const changes = new RemoteChanges({
    messages: context.messages,
    hub: server.changes,
    timers: systemTimers,
    random: files.parts.random,
  });
  // A message may be lost: the next use of a closed handle finds out, and this timer finds requests to break
  // caches.
  const timer = systemTimers.every(FILE_LIMITS.cacheLookMillis, () => {
    if (openFiles.size > 0) holder.look();
  });
  const stop = hearEnded(context, (id) => {
    const ended = openFiles.get(id);
    if (ended === undefined) return;
    ended.isClosed = true;
    for (const open of inodes.find(ended.share, ended.inode)?.opens ?? [])
      if (open.file === ended) void dropOpen(server, open);
  });
  return () => {
    timer.cancel();
    holder.close();
    liveness.close();
    changes.close();
    stop();
  };
}

/** Waits for the clients that must answer, and for writes in flight; undefined when there are neither. */
function breakCaches(
  { files, inodes, pendingOpens }: SmbServer,
  name: InodeName,
  conflict: CacheConflict,
): Promise<unknown> | undefined {
  const { share, inode } = name;
  pendingOpens.disturb(share, inode);
  const isForWhole = conflict === "sharing" || conflict === "remove";
  const found = isForWhole ? undefined : inodes.find(share, inode);
  const broken = isForWhole
    ? inodes.resolveWhole(share, { inode }, conflict, () => false)
    : found && inodes.resolve(found, conflict, () => false);
  const { inFlightWrites } = files;
  return broken === undefined ? inFlightWrites.ended(name) : broken.then(() => inFlightWrites.ended(name));
}
