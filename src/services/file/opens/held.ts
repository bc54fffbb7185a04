import { Refusal } from "../../../base/refusals.ts";
import { type ByteRange, type HeldLock, mayRead, mayWrite } from "../../../concurrency/byte-range-lock.ts";
import { isLocked } from "../../../concurrency/lease.ts";
import { handleKey, locksOfNode, readHandleKey } from "../../../store/keys/file.ts";
import type { Reader } from "../../../store/kv.ts";
import { locksRecord, type NodeRecord } from "../../../store/records/file.ts";
import type { FileService } from "../file-service.ts";
import type { OpenedFile } from "../node-changes.ts";
import { findNode } from "../nodes.ts";
import { findShare, leaseOf } from "../shares.ts";
import { LiveView } from "../versions.ts";
import type { Handle } from "./open-node.ts";

/** What an open handle stands for, in the caller's transaction. A node that is gone has no handles. */
export async function findHeld(read: Reader, { ref, share: id, node }: Handle): Promise<OpenedFile> {
  const share = await findShare(read, ref);
  if (share?.id !== id) throw new Refusal("ShareNotFound");
  const view = new LiveView(read);
  const record = await findNode(view, id, node);
  if (record === undefined) throw new Refusal("ResourceNotFound");
  return { share, view, node: { id: node, record } };
}

/**
 * The same for a change of content. A lease keeps handles that write away, so whoever writes under one was cut off
 * by force, and the change that was on its way then comes too late.
 */
export async function findHeldForWrite(read: Reader, handle: Handle): Promise<OpenedFile> {
  const held = await findHeld(read, handle);
  if (isLocked(leaseOf(held.node.record), read.now())) throw new Refusal("ResourceNotFound");
  return held;
}

/** Whether the handle is still open, and whether the locks of others let it read or write here. */
export function checkAccess(
  files: FileService,
  { share, node, id }: Handle,
  use: "read" | "write",
  range: ByteRange,
): Promise<void> {
  return files.parts.store.ephemeral.read(async (read) => {
    if ((await read.get(handleKey(share, node, id))) === undefined) throw new Refusal("ResourceNotFound");
    const locks: HeldLock[] = [];
    for await (const { key, value } of read.range(locksOfNode(share, node))) {
      const { handle } = readHandleKey(key);
      for (const lock of locksRecord.unpack(value).locks) locks.push({ ...lock, handle });
    }
    const isFree = use === "read" ? mayRead(locks, range, id) : mayWrite(locks, range, id);
    if (!isFree) throw new Refusal("FileLockConflict");
  });
}

/** Which times of a node a change leaves alone, because the client has set them by this handle. */
export interface HeldTimes {
  readonly keepsWrittenAt: boolean;
  readonly keepsChangedAt: boolean;
}

export function timesOf(
  record: NodeRecord,
  now: bigint,
  { keepsWrittenAt, keepsChangedAt }: HeldTimes,
): Pick<NodeRecord, "writtenAt" | "changedAt"> {
  return {
    writtenAt: keepsWrittenAt ? record.writtenAt : later(record.writtenAt, now),
    changedAt: keepsChangedAt ? record.changedAt : later(record.changedAt, now),
  };
}

/** The clock counts milliseconds and a change takes less: one that follows at once still shows as the later one. */
function later(before: bigint, now: bigint): bigint {
  const isSameMilli = before >= now && before - now < TICKS_PER_MILLI;
  return isSameMilli ? before + 1n : now;
}

const TICKS_PER_MILLI = 10_000n;
