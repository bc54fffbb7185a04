import type { NodeRecord, ShareRecord } from "../../../store/records/file.ts";
import type { FileService } from "../file-service.ts";
import type { PathRef, ShareRef } from "../names.ts";
import { findPlace, ROOT, readNode } from "../nodes.ts";
import { findShare, readShare, readUsage } from "../shares.ts";
import { readSnapshots } from "../snapshots.ts";
import { findStream } from "../streams.ts";
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

export interface FoundNode {
  readonly node: bigint;
  readonly kind: NodeRecord["kind"];
  /** Of a named stream: the file or directory it belongs to. */
  readonly base?: bigint;
}

const ROOT_ENTRY = { node: ROOT, kind: "directory" } as const;

/** What is at a path, or a named stream of that; undefined for nothing. A missing directory on the way is refused. */
export function findAt(files: FileService, ref: PathRef, stream?: string): Promise<FoundNode | undefined> {
  return files.parts.store.read(async (read) => {
    const share = await readShare(read, ref);
    const view = new LiveView(read);
    const isRoot = ref.path.length === 0;
    const entry = isRoot ? ROOT_ENTRY : (await findPlace(view, share.id, ref.path)).entry;
    if (entry === undefined) return undefined;
    if (stream === undefined) return { node: entry.node, kind: entry.kind };
    const base = { id: entry.node, record: await readNode(view, share.id, entry.node) };
    const found = await findStream(view, share.id, base, stream);
    return found && { node: found.id, kind: "file", base: base.id };
  });
}
