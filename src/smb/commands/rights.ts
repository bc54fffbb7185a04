import { Refusal } from "../../base/refusals.ts";
import { specificRights } from "../../concurrency/acl.ts";
import { WRITE_CACHE } from "../../concurrency/cache-lease.ts";
import { findInodeAt } from "../../services/file/opens/share-queries.ts";
import type { CacheEntry } from "../session/caches.ts";
import type { Open } from "../session/open.ts";
import type { Request } from "../transport/request.ts";
import { ACCESS } from "../wire/create.ts";
import { NOTIFY_ACTION, NOTIFY_FILTER } from "../wire/directory.ts";
import { refuse, STATUS } from "../wire/status.ts";
import { notifyStream, STREAM_EVENT } from "../wire/stream-names.ts";

/** Bits that no client is granted: undefined ones, and the right to the SACL. */
const NEVER = 0x0de0_fe00;

export interface Rights {
  readonly access: number;
  /** Of MAXIMUM_ALLOWED: all that exist, as far as the file allows them. */
  readonly optionalAccess: number;
}

/**
 * The rights that an open requests; the service decides which it gets. With MAXIMUM_ALLOWED the execute right
 * of GENERIC_EXECUTE is optional, as on Windows; named as a specific right it is required.
 */
export function requestedRights(desired: number): Rights {
  const isMaximum = (desired & ACCESS.MAXIMUM_ALLOWED) !== 0;
  const named = specificRights(desired & ~ACCESS.GENERIC_EXECUTE);
  const left = ACCESS.MAXIMUM_ALLOWED | (isMaximum ? ACCESS.EXECUTE & ~named : 0);
  const access = (specificRights(desired) & ~left) >>> 0;
  if ((access & ACCESS.SYSTEM_SECURITY) !== 0) throw refuse(STATUS.PRIVILEGE_NOT_HELD);
  if ((access === 0 && !isMaximum) || (access & NEVER) !== 0) throw refuse(STATUS.ACCESS_DENIED);
  return { access, optionalAccess: isMaximum ? ACCESS.FILE_ALL : 0 };
}

export function need(open: Open, right: number): void {
  if ((open.access & right) === 0) throw refuse(STATUS.ACCESS_DENIED);
}

/** An open that uses only attributes breaks no cache. */
export function isStatAccess(access: number): boolean {
  return (access & ~(ACCESS.READ_ATTRIBUTES | ACCESS.WRITE_ATTRIBUTES | ACCESS.SYNCHRONIZE)) === 0;
}

/** With leases, neither does one that reads the security descriptor. */
export function isLeaseStatAccess(access: number): boolean {
  return isStatAccess(access & ~ACCESS.READ_CONTROL);
}

/** Before content changes, the read caches of other clients are broken. */
export async function breakForWrite(request: Request, open: Open): Promise<void> {
  const { inodes } = request.context;
  const { inode } = open;
  if (inode === undefined || inode.caches.size === 0) return;
  // The writer's own lease stays, and so does its own oplock if that allows writing.
  const isOwn = (entry: CacheEntry): boolean =>
    entry === open.cache && (entry.lease !== undefined || (entry.state & WRITE_CACHE) !== 0);
  const wait = inodes.resolve(inode, "write", isOwn);
  if (wait !== undefined) await request.wait(wait);
}

/** Notifies the watches of the directory that content has changed. */
export function notifyWritten(request: Request, open: Open): void {
  const { file, path, stream } = open;
  const { changes } = request.context;
  if (stream !== undefined) {
    notifyStream(changes, open, STREAM_EVENT.WRITTEN);
    return;
  }
  const filter = NOTIFY_FILTER.SIZE | NOTIFY_FILTER.LAST_WRITE;
  changes.notify(file.share, [{ path, action: NOTIFY_ACTION.MODIFIED, filter }]);
}

/** An open file below a directory prevents a rename; it may be open only in a client's cache. */
export async function breakBelow(request: Request, open: Open): Promise<void> {
  const { inodes } = request.context;
  const waits: Promise<void>[] = [];
  for (const inode of inodes.below(open.file.share, open.path)) {
    const wait = inodes.resolve(inode, "remove", () => false);
    if (wait !== undefined) waits.push(wait);
  }
  if (waits.length > 0) await request.wait(Promise.all(waits));
}

/** Before a rename replaces a file, clients close it if only their caches keep it open. */
export async function breakReplaced(
  request: Request,
  { file, inode }: Open,
  path: readonly string[],
): Promise<void> {
  const { inodes, files } = request.context;
  if (!inodes.isAnyCached) return;
  const found = await findInodeAt(files, { ...file.ref, path }).catch((error: unknown) => {
    // The rename itself refuses a missing directory.
    if (error instanceof Refusal) return undefined;
    throw error;
  });
  if (found === undefined || inodes.find(file.share, found.inode) === inode) return;
  const wait = inodes.resolveWhole(file.share, found, "remove", () => false);
  if (wait !== undefined) await request.wait(wait);
}

/** Before a file is renamed or deleted, clients close it if only their caches keep it open. */
export async function breakForRemoval(request: Request, open: Open): Promise<void> {
  const { inodes } = request.context;
  const { file, cache } = open;
  if (!inodes.isAnyCached) return;
  const wait = inodes.resolveWhole(file.share, { inode: file.inode }, "remove", (entry) => entry === cache);
  if (wait !== undefined) await request.wait(wait);
}
