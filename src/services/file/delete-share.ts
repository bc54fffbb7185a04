import { Refusal, throwIf } from "../../base/refusals.ts";
import { etagOf } from "../../base/revision.ts";
import { checkShareUse } from "../../concurrency/file-lease.ts";
import { AVAILABLE } from "../../concurrency/lease.ts";
import { deletedShareKey, garbageKey, purgeKey, shareKey, snapshotKey } from "../../store/keys/file.ts";
import type { Writer } from "../../store/kv.ts";
import {
  garbageRecord,
  purgeRecord,
  type ShareRecord,
  shareRecord,
  snapshotRecord,
} from "../../store/records/file.ts";
import { isNameKept, keepName } from "../deleted-names.ts";
import { leaseOf, withLease } from "../lease-action.ts";
import type { FileService } from "./file-service.ts";
import { checkShareName, type ShareRef } from "./names.ts";
import type { GuardedShare } from "./share-properties.ts";
import { findShare, findSnapshot, putShare, readUsage } from "./shares.ts";
import { dropSnapshot, isAnyLeased, readSnapshots } from "./snapshots.ts";

const DAY_MILLIS = 24 * 60 * 60_000;

/**
 * One write, however much the share holds: its contents are keyed by its id, which only its record names.
 * With retention, the record moves to a key from which the share can be restored.
 */
export async function deleteShare(
  files: FileService,
  request: GuardedShare & { readonly snapshots?: "include" | "include-leased" | undefined },
): Promise<{ readonly bytes: number }> {
  const { ref, leaseId, snapshots } = request;
  return files.change(async (write) => {
    const share = await findShare(write, ref);
    const name = { kind: "share", account: ref.account, name: ref.share } as const;
    if (share === undefined) {
      // While Azure deletes a share, it accepts further requests to delete it.
      if (await isNameKept(write, files.parts, name)) return { bytes: 0 };
      throw new Refusal("ShareNotFound");
    }
    if (ref.snapshot !== undefined) {
      const snapshot = await findSnapshot(write, share.id, ref.snapshot);
      if (snapshot === undefined) throw new Refusal("ShareSnapshotNotFound");
      throwIf(checkShareUse(leaseOf(snapshot), leaseId, write.now(), "write"));
      await dropSnapshot(write, ref, share, { ...snapshot, time: ref.snapshot });
      return { bytes: 0 };
    }
    throwIf(checkShareUse(leaseOf(share), leaseId, write.now(), "write"));
    if ((share.snapshots ?? 0) > 0) {
      if (snapshots === undefined) throw new Refusal("ShareHasSnapshots");
      const all = await readSnapshots(write, share.id);
      if (snapshots === "include" && isAnyLeased(write, all))
        throw new Refusal("DeleteShareWhenSnapshotLeased");
    }
    const bytes = await readUsage(write, share.id);
    write.delete(shareKey(ref.account, ref.share));
    keepName(write, files.parts, name);
    if (files.shareRetentionDays === 0) discardShare(write, share.id);
    else await retainShare(write, ref, share, files.shareRetentionDays);
    return { bytes };
  });
}

/** Queues all contents of a share for the reclaimer. */
export function discardShare(write: Writer, share: bigint): void {
  write.put(garbageKey(write.revision()), garbageRecord.pack({ what: "share", share }));
}

/** Keeps a deleted share for `days`. Its leases do not survive. */
async function retainShare(write: Writer, ref: ShareRef, share: ShareRecord, days: number): Promise<void> {
  const at = write.now();
  const until = at + days * DAY_MILLIS;
  const deletion = write.revision(share.revision);
  for (const { time, ...record } of await readSnapshots(write, share.id)) {
    if (record.lease === undefined) continue;
    write.put(snapshotKey(share.id, time), snapshotRecord.pack(withLease(record, AVAILABLE)));
  }
  const key = deletedShareKey(ref.account, ref.share, deletion);
  write.put(key, shareRecord.pack({ ...withLease(share, AVAILABLE), deleted: { at, until } }));
  write.put(purgeKey(until, deletion), purgeRecord.pack({ account: ref.account, name: ref.share }));
}

/** The version of a deleted share, as listings print it. */
export const versionOfDeletion = etagOf;

const VERSION = /^0x([0-9A-F]{1,16})$/i;

export function restoreShare(
  files: FileService,
  request: { readonly ref: ShareRef; readonly deletedName: string; readonly deletedVersion: string },
): Promise<ShareRecord> {
  const { ref, deletedName, deletedVersion } = request;
  checkShareName(ref.share);
  const version = VERSION.exec(deletedVersion);
  return files.change(async (write) => {
    const deletion = version === null ? undefined : BigInt(`0x${version[1]}`);
    const key = deletion === undefined ? undefined : deletedShareKey(ref.account, deletedName, deletion);
    const stored = key === undefined ? undefined : await write.get(key);
    const record = stored && shareRecord.unpack(stored);
    if (record?.deleted === undefined || record.deleted.until <= write.now())
      throw new Refusal("ShareNotFound");
    if ((await findShare(write, ref)) !== undefined) throw new Refusal("ShareAlreadyExists");
    const { deleted, lease: _, isOpened: __, ...rest } = record;
    write.delete(key!);
    write.delete(purgeKey(deleted.until, deletion!));
    const restored = { ...rest, revision: write.revision(record.revision) };
    putShare(write, ref, restored);
    return restored;
  });
}
