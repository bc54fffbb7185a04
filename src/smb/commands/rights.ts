import { Refusal } from "../../base/refusals.ts";
import { specificRights } from "../../concurrency/acl.ts";
import type { CacheEntry } from "../session/caches.ts";
import type { FileOpen } from "../session/open.ts";
import type { Request } from "../transport/request.ts";
import { ACCESS } from "../wire/create.ts";
import { NOTIFY_ACTION, NOTIFY_FILTER } from "../wire/directory.ts";
import { refuse, STATUS, StatusError } from "../wire/status.ts";
import { notifyStream, STREAM_EVENT } from "../wire/stream-names.ts";

/** Single bits that nobody is granted: what is not defined, and the right to read the audit list. */
const NEVER = 0x0de0_fe00;

export interface Rights {
  readonly access: number;
  /** Of MAXIMUM_ALLOWED: all that exist, as far as the file allows them. */
  readonly optionalAccess: number;
}

/**
 * The rights an open asks for. Who may have which of them is decided with the file. Beside MAXIMUM_ALLOWED the right to
 * execute of GENERIC_EXECUTE is one to take if it is there, as Windows has it; asked for by name it must be granted.
 */
export function wantedRights(desired: number): Rights {
  const isMaximum = (desired & ACCESS.MAXIMUM_ALLOWED) !== 0;
  const named = specificRights(desired & ~ACCESS.GENERIC_EXECUTE);
  const left = ACCESS.MAXIMUM_ALLOWED | (isMaximum ? ACCESS.EXECUTE & ~named : 0);
  const access = (specificRights(desired) & ~left) >>> 0;
  if ((access & ACCESS.SYSTEM_SECURITY) !== 0) throw refuse(STATUS.PRIVILEGE_NOT_HELD);
  if ((access === 0 && !isMaximum) || (access & NEVER) !== 0) throw refuse(STATUS.ACCESS_DENIED);
  return { access, optionalAccess: isMaximum ? ACCESS.FILE_ALL : 0 };
}

export function need(open: FileOpen, right: number): void {
  if ((open.access & right) === 0) throw refuse(STATUS.ACCESS_DENIED);
}

/** An open that looks at attributes only disturbs no cache. */
export function isStatAccess(access: number): boolean {
  return (access & ~(ACCESS.READ_ATTRIBUTES | ACCESS.WRITE_ATTRIBUTES | ACCESS.SYNCHRONIZE)) === 0;
}

/** For leases also reading the security descriptor is only a look. */
export function isLeaseStatAccess(access: number): boolean {
  return isStatAccess(access & ~ACCESS.READ_CONTROL);
}

export function isOwnCache(open: FileOpen): (entry: CacheEntry) => boolean {
  return (entry) => entry === open.cache && entry.lease !== undefined;
}

/** Before content changes, what others read from their caches goes. */
export async function breakForWrite(request: Request, open: FileOpen): Promise<void> {
  const { inodes } = request.connection.server;
  const { inode } = open;
  if (inode === undefined || inode.caches.size === 0) return;
  // An oplock of the writer's own that allows writing stays; one that only reads goes like those of others.
  const wait = inodes.resolve(inode, "write", (entry) => isOwnCache(open)(entry) || ownsWrites(open, entry));
  if (wait !== undefined) await request.wait(wait, () => {});
}

/** Who watches the directory learns that content has changed. */
export function notifyWritten(request: Request, open: FileOpen): void {
  const { tree, path, stream } = open;
  const { changes } = request.connection.server;
  if (stream !== undefined) {
    notifyStream(changes, open, STREAM_EVENT.WRITTEN);
    return;
  }
  const filter = NOTIFY_FILTER.SIZE | NOTIFY_FILTER.LAST_WRITE;
  changes.notify(tree.share!.id, [{ path, action: NOTIFY_ACTION.MODIFIED, filter }]);
}

function ownsWrites(open: FileOpen, entry: CacheEntry): boolean {
  return entry === open.cache && (entry.state & 4) !== 0;
}

/**
 * Before a directory is renamed: an open file below it stands in the way, and may be open only in a client's cache.
 * Clients that merely keep a handle there close it.
 */
export async function breakBelow(request: Request, open: FileOpen): Promise<void> {
  const { inodes } = request.connection.server;
  const waits: Promise<void>[] = [];
  for (const inode of inodes.below(open.tree.share!.id, open.path)) {
    const wait = inodes.resolve(inode, "remove", () => false);
    if (wait !== undefined) waits.push(wait);
  }
  if (waits.length > 0)
    await request.wait(
      Promise.all(waits).then(() => {}),
      () => {},
    );
}

/** Before a file gives way to another that takes its name, those who only keep it open close it. */
export async function breakReplaced(
  request: Request,
  { tree, inode }: FileOpen,
  path: readonly string[],
): Promise<void> {
  const { inodes } = request.connection.server;
  if (!inodes.isAnyCached) return;
  const share = tree.share!;
  const found = await share.find(path).catch((error: unknown) => {
    // A missing directory is found again, and answered, by the rename itself.
    if (error instanceof StatusError || error instanceof Refusal) return undefined;
    throw error;
  });
  if (found === undefined || inodes.find(share.id, found.inode) === inode) return;
  const wait = inodes.resolveWhole(share.id, found, "remove", () => false);
  if (wait !== undefined) await request.wait(wait, () => {});
}

/** Before a file is renamed or removed, others close the handles they only keep. */
export async function breakForRemoval(request: Request, open: FileOpen): Promise<void> {
  const { inodes } = request.connection.server;
  const { file, tree, cache } = open;
  if (!inodes.isAnyCached) return;
  const wait = inodes.resolveWhole(
    tree.share!.id,
    { inode: file.inode },
    "remove",
    (entry) => entry === cache,
  );
  if (wait !== undefined) await request.wait(wait, () => {});
}
