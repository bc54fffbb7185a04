import type { InodeRecord } from "../../../store/records/file.ts";
import type { FileService } from "../file-service.ts";
import { findPlace, ROOT, readInode } from "../inodes.ts";
import type { PathRef, ShareRef } from "../names.ts";
import { readShare, readUsage } from "../shares.ts";
import { readSnapshots } from "../snapshots.ts";
import { findStream } from "../streams.ts";
import { LiveView } from "../versions.ts";

/** What an SMB client asks about a share that it is connected to. */
export function readSpace(
  files: FileService,
  ref: ShareRef,
): Promise<{ readonly quotaGib: number; readonly usedBytes: number }> {
  return files.parts.store.read(async (read) => {
    const share = await readShare(read, ref);
    return { quotaGib: share.settings.quotaGib, usedBytes: await readUsage(read, share.id) };
  });
}

/** Oldest first, in ticks. */
export function readSnapshotTimes(files: FileService, ref: ShareRef): Promise<readonly bigint[]> {
  return files.parts.store.read(async (read) => {
    const share = await readShare(read, ref);
    return (await readSnapshots(read, share.id)).map(({ time }) => time);
  });
}

export interface InodeAtPath {
  readonly inode: bigint;
  readonly kind: InodeRecord["kind"];
  /** Of a named stream: the file or directory it belongs to. */
  readonly base?: bigint;
}

const ROOT_ENTRY = { inode: ROOT, kind: "directory" } as const;

/** The inode at a path, or a named stream of it. Refuses when a directory on the way is missing. */
export function findInodeAt(
  files: FileService,
  ref: PathRef,
  stream?: string,
): Promise<InodeAtPath | undefined> {
  return files.parts.store.read(async (read) => {
    const share = await readShare(read, ref);
    const view = new LiveView(read);
    const isRoot = ref.path.length === 0;
    const entry = isRoot ? ROOT_ENTRY : (await findPlace(view, share.id, ref.path)).entry;
    if (entry === undefined) return undefined;
    if (stream === undefined) return { inode: entry.inode, kind: entry.kind };
    const base = { id: entry.inode, record: await readInode(view, share.id, entry.inode) };
    const found = await findStream(view, share.id, base, stream);
    return found && { inode: found.id, kind: "file", base: base.id };
  });
}
