import type { HandleLock } from "../../concurrency/byte-range-lock.ts";
import type { Open } from "../../concurrency/share-mode.ts";
import { handlesOfInode, locksOfInode, readHandleKey } from "../../store/keys/file.ts";
import type { Reader } from "../../store/kv.ts";
import { handleRecord, locksRecord } from "../../store/records/file.ts";
import { entriesIn } from "./entries-in.ts";

export interface StoredHandle extends Open {
  readonly isOfStream: boolean;
  readonly handle: bigint;
  readonly mayCache: boolean;
  /** The process that serves it. */
  readonly owner: string;
}

/** Handles and locks of an inode, in one snapshot of the ephemeral space. */
export async function readOpens(
  read: Reader,
  share: bigint,
  inode: bigint,
): Promise<{
  readonly handles: readonly StoredHandle[];
  readonly locks: readonly HandleLock[];
}> {
  const handles = await readHandles(read, share, inode);
  return { handles, locks: handles.length === 0 ? [] : await readLocks(read, share, inode) };
}

/** The byte-range locks of all handles of an inode. */
export async function readLocks(read: Reader, share: bigint, inode: bigint): Promise<readonly HandleLock[]> {
  const locks: HandleLock[] = [];
  for (const { key, value } of await entriesIn(read, locksOfInode(share, inode))) {
    const { handle } = readHandleKey(key);
    for (const lock of locksRecord.unpack(value).locks) locks.push({ ...lock, handle });
  }
  return locks;
}

export async function readHandles(
  read: Reader,
  share: bigint,
  inode: bigint,
): Promise<readonly StoredHandle[]> {
  const handles: StoredHandle[] = [];
  for (const { key, value } of await entriesIn(read, handlesOfInode(share, inode))) {
    const { access, share: shared, mayCache = false, owner, stream } = handleRecord.unpack(value);
    const isOfStream = stream !== undefined;
    handles.push({ access, share: shared, isOfStream, handle: readHandleKey(key).handle, mayCache, owner });
  }
  return handles;
}
