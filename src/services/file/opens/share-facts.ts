import type { NodeRecord, ShareRecord } from "../../../store/records/file.ts";
import type { FileService } from "../file-service.ts";
import type { PathRef, ShareRef } from "../names.ts";
import { findPlace, ROOT } from "../nodes.ts";
import { findShare, readShare, readUsage } from "../shares.ts";
import { readSnapshots } from "../snapshots.ts";
import { LiveView } from "../versions.ts";

/** What is told of a share to those who have it connected. */
export function findConnected(files: FileService, ref: ShareRef): Promise<ShareRecord | undefined> {
  return files.parts.store.read((read) => findShare(read, ref));
}

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

/** What is at a path; undefined for nothing. A missing directory on the way is refused. */
export function findAt(
  files: FileService,
  ref: PathRef,
): Promise<{ readonly node: bigint; readonly kind: NodeRecord["kind"] } | undefined> {
  return files.parts.store.read(async (read) => {
    const share = await readShare(read, ref);
    if (ref.path.length === 0) return { node: ROOT, kind: "directory" };
    const { entry } = await findPlace(new LiveView(read), share.id, ref.path);
    return entry && { node: entry.node, kind: entry.kind };
  });
}
