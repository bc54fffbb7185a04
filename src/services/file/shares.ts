import { then } from "../../base/maybe-promise.ts";
import { Refusal } from "../../base/refusals.ts";
import { shareKey, snapshotKey, usageKey } from "../../store/keys/file.ts";
import type { Key, MaybePromise, Reader, Writer } from "../../store/kv.ts";
import {
  type ShareRecord,
  type SnapshotRecord,
  shareRecord,
  snapshotRecord,
  usageRecord,
} from "../../store/records/file.ts";
import { RecordDecodeCache } from "../../store/records/record-decode-cache.ts";
import { FILE_LIMITS } from "./limits.ts";
import type { ShareRef, SnapshotRef } from "./names.ts";
import { LiveView, SnapshotView, type View } from "./versions.ts";

/** What the operations on shares have in common. */

const shares = new RecordDecodeCache(shareRecord.unpack);

export async function findShare(
  read: Reader,
  { account, share }: ShareRef,
): Promise<ShareRecord | undefined> {
  const key = shareKey(account, share);
  const stored = await read.get(key);
  return stored && shares.unpack(key, stored);
}

export function readShare(read: Reader, { account, share }: ShareRef): MaybePromise<ShareRecord> {
  const key = shareKey(account, share);
  const found = read.get(key);
  return found instanceof Promise ? found.then((stored) => shareOf(key, stored)) : shareOf(key, found);
}

function shareOf(key: Key, stored: Buffer | undefined): ShareRecord {
  if (stored === undefined) throw new Refusal("ShareNotFound");
  return shares.unpack(key, stored);
}

export function putShare(write: Writer, { account, share }: ShareRef, record: ShareRecord): void {
  write.put(shareKey(account, share), shareRecord.pack(record));
}

export async function findSnapshot(
  read: Reader,
  share: bigint,
  time: bigint,
): Promise<SnapshotRecord | undefined> {
  const stored = await read.get(snapshotKey(share, time));
  return stored && snapshotRecord.unpack(stored);
}

export async function readSnapshot(read: Reader, share: bigint, time: bigint): Promise<SnapshotRecord> {
  const found = await findSnapshot(read, share, time);
  if (found === undefined) throw new Refusal("SnapshotNotFound");
  return found;
}

/** A share and its contents, live or at a snapshot. */
export interface OpenShare {
  readonly share: ShareRecord;
  readonly view: View;
}

export async function openShare(read: Reader, ref: SnapshotRef): Promise<OpenShare> {
  const share = await readShare(read, ref);
  if (ref.snapshot === undefined) return { share, view: new LiveView(read) };
  const { epoch } = await readSnapshot(read, share.id, ref.snapshot);
  return { share, view: new SnapshotView(read, epoch) };
}

/** Snapshots are read-only. */
export function refuseSnapshot({ snapshot }: SnapshotRef): void {
  if (snapshot !== undefined) {
    throw new Refusal("InvalidQueryParameterValue", {
      elements: { QueryParameterName: "sharesnapshot", Reason: "A share snapshot is read only." },
    });
  }
}

const usageOf = (stored: Buffer | undefined): number =>
  stored === undefined ? 0 : usageRecord.unpack(stored).bytes;

export function readUsage(read: Reader, share: bigint): MaybePromise<number> {
  return then(read.get(usageKey(share)), usageOf);
}

/**
 * Usage is the sum of the file sizes, which a client can add up for itself. The counter changes in the
 * transaction that changes a size. A share whose quota was lowered below its usage refuses only growth.
 */
export function changeUsage(write: Writer, share: ShareRecord, change: number): MaybePromise<void> {
  if (change === 0) return;
  return then(readUsage(write, share.id), (used) => {
    const bytes = used + change;
    if (change > 0 && bytes > share.settings.quotaGib * FILE_LIMITS.quotaUnitBytes) {
      throw new Refusal("ShareSizeLimitReached");
    }
    write.put(usageKey(share.id), usageRecord.pack({ bytes }));
  });
}
