import { Refusal } from "../../base/refusals.ts";
import { type Revision, revisionAt } from "../../base/revision.ts";
import { isLocked } from "../../concurrency/lease.ts";
import { garbageKey, snapshotKey, snapshotsOf, timeOfSnapshotKey } from "../../store/keys/file.ts";
import type { Reader, Writer } from "../../store/kv.ts";
import {
  garbageRecord,
  type ShareRecord,
  type SnapshotRecord,
  snapshotRecord,
} from "../../store/records/file.ts";
import { leaseOf } from "../lease-action.ts";
import type { FileService } from "./file-service.ts";
import { FILE_LIMITS } from "./limits.ts";
import type { ShareRef } from "./names.ts";
import { putShare, readShare } from "./shares.ts";

/** Creates and deletes share snapshots. versions.ts describes how they keep earlier versions. */
export interface Snapshot extends SnapshotRecord {
  readonly time: bigint;
}

const TICKS_PER_SECOND = 10_000_000n;

/**
 * A time of whole seconds names a snapshot: clients print it so, and previous versions in SMB have no finer
 * one. The second of two snapshots in one second gets the next second.
 */
async function nextTime(write: Writer, share: bigint): Promise<bigint> {
  const now = revisionAt(write.now()) / TICKS_PER_SECOND;
  for await (const { key } of write.range({ ...snapshotsOf(share), reverse: true, limit: 1 })) {
    const last = timeOfSnapshotKey(key) / TICKS_PER_SECOND;
    return (last >= now ? last + 1n : now) * TICKS_PER_SECOND;
  }
  return now * TICKS_PER_SECOND;
}

export function createSnapshot(
  files: FileService,
  ref: ShareRef,
  metadata: Readonly<Record<string, string>> | undefined,
): Promise<Snapshot> {
  return files.change(async (write) => {
    const share = await readShare(write, ref);
    const snapshots = share.snapshots ?? 0;
    if (snapshots >= FILE_LIMITS.shareSnapshotsMax) throw new Refusal("ShareSnapshotCountExceeded");
    const epoch = write.revision(share.revision);
    const time = await nextTime(write, share.id);
    const isOwn = metadata !== undefined && Object.keys(metadata).length > 0;
    const kept = isOwn ? metadata : share.metadata;
    const record: SnapshotRecord = {
      epoch,
      // With metadata of its own it is another resource than the share was, and has another ETag.
      revision: isOwn ? epoch : share.revision,
      settings: share.settings,
      ...(kept === undefined ? {} : { metadata: kept }),
    };
    write.put(snapshotKey(share.id, time), snapshotRecord.pack(record));
    putShare(write, ref, { ...share, epoch, snapshots: snapshots + 1 });
    return { ...record, time };
  });
}

/** Snapshots of a share, oldest first. */
export async function readSnapshots(read: Reader, share: bigint): Promise<Snapshot[]> {
  const found: Snapshot[] = [];
  for await (const { key, value } of read.range(snapshotsOf(share))) {
    found.push({ ...snapshotRecord.unpack(value), time: timeOfSnapshotKey(key) });
  }
  return found;
}

/** The newest epoch not above `epoch` that a snapshot still has; 0 when there is none. */
export async function epochUpTo(read: Reader, share: bigint, epoch: Revision): Promise<Revision> {
  let found = 0n;
  for (const snapshot of await readSnapshots(read, share)) {
    if (snapshot.epoch <= epoch && snapshot.epoch > found) found = snapshot.epoch;
  }
  return found;
}

/** Deletes a snapshot. A background job removes the versions that only this snapshot sees. */
export async function dropSnapshot(
  write: Writer,
  ref: ShareRef,
  share: ShareRecord,
  { time, epoch }: Snapshot,
): Promise<ShareRecord> {
  write.delete(snapshotKey(share.id, time));
  const garbage = { what: "epoch", share: share.id, epoch } as const;
  write.put(garbageKey(write.revision()), garbageRecord.pack(garbage));
  const { epoch: _, ...rest } = share;
  const newest = await epochUpTo(write, share.id, share.epoch ?? 0n);
  const left: ShareRecord = {
    ...rest,
    snapshots: (share.snapshots ?? 0) - 1,
    ...(newest === 0n ? {} : { epoch: newest }),
  };
  putShare(write, ref, left);
  return left;
}

export function isAnyLeased(read: Reader, snapshots: readonly Snapshot[]): boolean {
  return snapshots.some((snapshot) => isLocked(leaseOf(snapshot), read.now()));
}
