import { monotonic } from "../../base/clock.ts";
import { Refusal, type RefusalCode, throwIf } from "../../base/refusals.ts";
import { type ByteRange, type HandleLock, mayRead, mayRestWrite } from "../../concurrency/byte-range-lock.ts";
import { type CacheConflict, conflictOfRest } from "../../concurrency/cache-lease.ts";
import { checkRestUse, type Open, type RestUse, restOpen } from "../../concurrency/share-mode.ts";
import {
  deletePendingKey,
  deletePendingOf,
  handlesOfShare,
  inodeOfDeletePendingKey,
  movingTreeKey,
  readHandleKey,
  restAccessKey,
} from "../../store/keys/file.ts";
import type { Key } from "../../store/kv.ts";
import {
  handleRecord,
  type InodeRecord,
  restAccessRecord,
  type ShareRecord,
} from "../../store/records/file.ts";
import { awaitBreaks, type FileContext, type InodeName, putBreaks, wakeHolders } from "./cache-breaks.ts";
import type { Inode } from "./inodes.ts";
import { afterPendingLocks, isLockPending, LOCK_PENDING } from "./pending-locks.ts";
import { readOpens } from "./stored-handles.ts";
import { untilDone } from "./until-done.ts";

/**
 * How REST calls meet the handles that SMB clients have open.
 *
 * Handles are in the ephemeral key space and files in the durable one, and no transaction spans both. Two
 * steps make sure that no REST call bypasses an open that excludes it.
 *
 * 1. The durable record of a share says whether SMB clients may have anything open in it (`isOpened`). An
 *    open first puts its handle into the ephemeral space, then sets this mark, and answers only after that.
 *    Transactions are serializable, so a REST call that finds no mark commits before the mark is set and
 *    before the SMB client has its answer: the call precedes every open that could exclude it. A share that
 *    no SMB client uses pays nothing for this.
 *
 * 2. In a share with the mark, the call's transaction throws `NeedsAdmission`. One ephemeral transaction then
 *    checks the call against the present handles and puts a record of the call, which SMB opens treat as an
 *    open and wait for. The durable transaction runs again with that admission, and the record is deleted
 *    after it. No conflicting open can come between the check and the commit.
 *
 * A client may cache data, or keep a handle open that no program uses any more. Such a client is asked first:
 * the admission throws `NeedsBreak`, the call's records are deleted while it waits, and then everything is
 * checked again. After a write, the caches that clients acquired meanwhile are broken too.
 *
 * A background job removes the mark when nothing has been open for a while (opened-marks.ts). When a process
 * dies, the ephemeral space deletes its records.
 */
class NeedsAdmission extends Error {
  readonly wanted: Wanted;

  constructor(wanted: Wanted) {
    super("the call needs an admission");
    this.wanted = wanted;
  }
}

interface Wanted {
  readonly share: bigint;
  readonly inode: bigint;
  readonly kind: InodeRecord["kind"];
  readonly use: RestUse;
  readonly range: ByteRange | undefined;
}

/** Clients may hold caches that must be broken before the call continues. */
class NeedsBreak extends Error {
  readonly wanted: Wanted;
  readonly conflict: CacheConflict;

  constructor(wanted: Wanted, conflict: CacheConflict) {
    super("caches of clients must be broken first");
    this.wanted = wanted;
    this.conflict = conflict;
  }
}

/** The answer for one inode. `ask` refuses delete-pending; `pass` refuses the rest, in the caller's order. */
export interface Admission {
  /** Throws when an open handle or a lock excludes the call. */
  pass(): void;
}

const ADMITTED: Admission = { pass() {} };

interface AdmissionState {
  readonly granted: Map<string, Admission>;
  readonly pending: Map<bigint, ReadonlySet<bigint>>;
  readonly open: Map<bigint, ReadonlySet<bigint>>;
  readonly asked: Set<string>;
  readonly changed: Map<string, InodeName>;
}

const NO_KEYS: readonly Key[] = [];

/** The admissions of one REST call so far. */
export class Admissions {
  // Allocated on first use: most shares are not open over SMB.
  #notes: AdmissionState | undefined;
  keys: readonly Key[] = NO_KEYS;

  /** Inodes whose content or properties the call changes. */
  get changed(): Map<string, InodeName> {
    return this.#noted.changed;
  }

  get #noted(): AdmissionState {
    this.#notes ??= {
      granted: new Map(),
      pending: new Map(),
      open: new Map(),
      asked: new Set(),
      changed: new Map(),
    };
    return this.#notes;
  }

  note(key: Key): void {
    this.keys = [...this.keys, key];
  }

  isAsked(wanted: Wanted, conflict: CacheConflict): boolean {
    return this.#noted.asked.has(`${nameOf(wanted)} ${conflict}`);
  }

  /** Then everything is checked again. Returns the call's records, to be deleted while clients answer. */
  askedFor(wanted: Wanted, conflict: CacheConflict): readonly Key[] {
    this.#noted.asked.add(`${nameOf(wanted)} ${conflict}`);
    this.#noted.granted.clear();
    this.#noted.open.clear();
    const { keys } = this;
    this.keys = NO_KEYS;
    return keys;
  }

  /** Precedes all other checks of an inode: a delete-pending file gives no other answer. */
  ask(share: ShareRecord, inode: Inode, use: RestUse, range?: ByteRange): Admission {
    if (share.isOpened !== true) return ADMITTED;
    const wanted = { share: share.id, inode: inode.id, kind: inode.record.kind, use, range };
    const admission = this.#noted.granted.get(nameOf(wanted));
    if (admission === undefined) throw new NeedsAdmission(wanted);
    return admission;
  }

  give(wanted: Wanted, admission: Admission): void {
    this.#noted.granted.set(nameOf(wanted), admission);
  }

  /** Delete-pending inodes of a share, which listings leave out. */
  hidden(share: ShareRecord): ReadonlySet<bigint> {
    if (share.isOpened !== true) return NO_INODES;
    const found = this.#noted.pending.get(share.id);
    if (found === undefined) throw new NeedsInodes(share.id);
    return found;
  }

  /**
   * Open inodes of a share, for a directory that moves. From this call on until the request ends, no client
   * can open anything below the directory.
   */
  openInodes(share: ShareRecord, moving: bigint): ReadonlySet<bigint> {
    if (share.isOpened !== true) return NO_INODES;
    const found = this.#noted.open.get(moving);
    if (found === undefined) throw new NeedsInodes(share.id, moving);
    return found;
  }

  givePending(share: bigint, pending: ReadonlySet<bigint>): void {
    this.#noted.pending.set(share, pending);
  }

  giveOpen(moving: bigint, open: ReadonlySet<bigint>): void {
    this.#noted.open.set(moving, open);
  }
}

const NO_INODES: ReadonlySet<bigint> = new Set();

class NeedsInodes extends Error {
  readonly share: bigint;
  readonly moving: bigint | undefined;

  constructor(share: bigint, moving?: bigint) {
    super("the open or delete-pending inodes must be listed");
    this.share = share;
    this.moving = moving;
  }
}

function nameOf({ share, inode, use }: Wanted): string {
  return `${share} ${inode} ${use}`;
}

/**
 * Runs a call's transaction, and again after each admission that it needs. With `self` the call comes from an
 * open handle: that handle does not conflict, locks were checked with the content, and only clients of other
 * members are asked for their caches.
 */
export async function withAdmissions<T>(
  context: FileContext,
  run: (admissions: Admissions) => Promise<T>,
  self?: bigint,
): Promise<T> {
  const admissions = new Admissions();
  let deadline: number | undefined;
  let isDone = false;
  try {
    for (;;) {
      try {
        const result = await run(admissions);
        isDone = true;
        return result;
      } catch (error) {
        if (error instanceof NeedsAdmission) await decide(context, admissions, error.wanted, self);
        else if (error instanceof NeedsInodes) await listInodes(context, admissions, error);
        else if (error instanceof NeedsBreak) {
          deadline ??= monotonic() + context.patienceMillis;
          await askHolders(context, admissions, error, deadline);
        } else throw error;
      }
    }
  } finally {
    if (admissions.keys.length > 0)
      await untilDone(context.log, () => endAdmissions(context, admissions, isDone));
  }
}

/** Caches that clients acquired during the call may be stale after it, so they are broken. */
async function endAdmissions(context: FileContext, admissions: Admissions, isDone: boolean): Promise<void> {
  const asked = await context.ephemeral.write(async (write) => {
    for (const key of admissions.keys) write.delete(key);
    let count = 0;
    if (!isDone) return count;
    for (const inode of admissions.changed.values()) count += (await putBreaks(write, inode, "write")).length;
    return count;
  });
  if (asked > 0) wakeHolders(context);
}

async function askHolders(
  context: FileContext,
  admissions: Admissions,
  { wanted, conflict }: NeedsBreak,
  deadline: number,
): Promise<void> {
  const ended = admissions.askedFor(wanted, conflict);
  const keys = await context.ephemeral.write(async (write) => {
    for (const key of ended) write.delete(key);
    return putBreaks(write, wanted, conflict);
  });
  if (keys.length === 0) return;
  wakeHolders(context);
  if (!(await awaitBreaks(context, wanted, keys, deadline))) throw new Refusal("ClientCacheFlushDelay");
}

async function listInodes(
  { ephemeral }: FileContext,
  admissions: Admissions,
  { share, moving }: NeedsInodes,
): Promise<void> {
  if (moving === undefined) {
    const pending = new Set<bigint>();
    await ephemeral.read(async (read) => {
      for await (const { key } of read.range(deletePendingOf(share))) {
        pending.add(inodeOfDeletePendingKey(key));
      }
    });
    admissions.givePending(share, pending);
    return;
  }
  // One transaction notes the move and lists the opens: an open precedes it and is listed, or waits for it.
  const noted = await ephemeral.write(async (write) => {
    const key = movingTreeKey(share, moving, write.revision());
    write.put(key, Buffer.alloc(1));
    const open = new Set<bigint>();
    for await (const { key: opened, value } of write.range(handlesOfShare(share))) {
      // The open of a named stream has a record under its file or directory too.
      if (handleRecord.unpack(value).base === undefined) open.add(readHandleKey(opened).inode);
    }
    return { key, open };
  });
  admissions.note(noted.key);
  admissions.giveOpen(moving, noted.open);
}

async function decide(
  { ephemeral }: FileContext,
  admissions: Admissions,
  wanted: Wanted,
  self: bigint | undefined,
): Promise<void> {
  const { share, inode, use } = wanted;
  const isWrite = self === undefined && (use === "write" || use === "overwrite");
  const decision = await afterPendingLocks((mayWait) =>
    ephemeral.write(async (write) => {
      if ((await write.get(deletePendingKey(share, inode))) !== undefined)
        throw new Refusal("SMBDeletePending");
      const { handles, locks } = await readOpens(write, share, inode);
      const others = self === undefined ? handles : handles.filter(({ handle }) => handle !== self);
      const refusal = refusalOf(wanted, others, self === undefined ? locks : []);
      // For an open handle, the front end has broken the caches of its own clients.
      const mayCache = others.some(
        (other) =>
          other.mayCache &&
          (self === undefined || other.owner !== ephemeral.owner) &&
          (!other.isOfStream || isForWhole(use)),
      );
      if (refusal !== undefined || use === "look") return { refusal, key: undefined, mayCache };
      const isBefore = handles.length > 0 && isWrite && mayWait;
      if (isBefore && (await isLockPending(write, wanted))) return LOCK_PENDING;
      const key = restAccessKey(share, inode, write.revision());
      write.put(key, restAccessRecord.pack(restOpen(use)));
      return { refusal, key, mayCache };
    }),
  );
  const { refusal, key, mayCache } = decision;
  if (key !== undefined) {
    admissions.note(key);
    if (use === "write" || use === "overwrite") admissions.changed.set(nameOf(wanted), { share, inode });
  }
  admissions.give(wanted, {
    pass: () => {
      const conflict = mayCache ? conflictOf(use, refusal) : undefined;
      if (conflict !== undefined && !admissions.isAsked(wanted, conflict))
        throw new NeedsBreak(wanted, conflict);
      throwIf(refusal);
    },
  });
}

/** Opens of named streams conflict only with uses of the whole file. */
function isForWhole(use: RestUse): boolean {
  return use === "delete" || use === "rename" || use === "overwrite";
}

/** A refused call breaks no cached data: only closing a cached handle can let it pass. */
function conflictOf(use: RestUse, refusal: RefusalCode | undefined): CacheConflict | undefined {
  if (refusal === undefined) return conflictOfRest(use);
  return refusal === "SharingViolation" ? "sharing" : undefined;
}

function refusalOf(
  { kind, use, range }: Wanted,
  handles: readonly Open[],
  locks: readonly HandleLock[],
): RefusalCode | undefined {
  if (kind === "directory") {
    const isInUse = use === "delete" && handles.length > 0;
    return isInUse ? "CannotDeleteFileOrDirectory" : checkRestUse(use, handles);
  }
  const refusal = checkRestUse(use, handles);
  if (refusal !== undefined || use === "look" || use === "lease") return refusal;
  if (use === "read") {
    return range === undefined || mayRead(locks, range, undefined) ? undefined : "FileLockConflict";
  }
  return mayRestWrite(locks) ? undefined : "FileLockConflict";
}
