import { monotonic } from "../../base/clock.ts";
import { Refusal, type RefusalCode } from "../../base/refusals.ts";
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
 * Handles live in the ephemeral key space and files in the durable one: two stores, and no transaction over both.
 * Two steps make sure that no REST call slips past an open that excludes it.
 *
 * 1. A share's durable record says whether SMB clients may have anything open in it (`isOpened`). An open puts its
 *    handle into the ephemeral space first, then makes sure that the mark is there, and answers only after that.
 *    A REST call that finds no mark in its transaction therefore comes before any open that matters: transactions
 *    are serializable, so the mark (and with it the answer to the SMB client) comes after the call's commit. Shares
 *    that no SMB client uses pay nothing at all for this.
 *
 * 2. In a share with the mark, the call's transaction throws `NeedsAdmission`. The decision is then taken inside one
 *    ephemeral transaction, against the handles as they are, and the same transaction puts a record of the call: an
 *    open of its own, which SMB opens meet and wait for. With that in hand the durable transaction runs again. When
 *    it has ended the record goes. Between the decision and the commit, no conflicting open can come in.
 *
 * Clients that cache what they write or read, or keep a handle open that nobody uses any more, are asked first: a
 * grant whose turn comes throws `NeedsBreak`, nothing of the call is in anybody's way while it waits for them, and
 * then it is decided anew. What a write made untrue in caches that were given meanwhile is broken once more after it.
 *
 * The mark is taken away again when nothing has been open for a while (see handles.ts). A process that dies leaves
 * no record behind: the ephemeral space forgets what it owned.
 */
class NeedsAdmission extends Error {
  readonly wanted: Wanted;

  constructor(wanted: Wanted) {
    super("the table of handles must be asked");
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

/** Clients may hold caches that this call has to take away before it goes on. */
class NeedsBreak extends Error {
  readonly wanted: Wanted;
  readonly conflict: CacheConflict;

  constructor(wanted: Wanted, conflict: CacheConflict) {
    super("caches of clients must go first");
    this.wanted = wanted;
    this.conflict = conflict;
  }
}

/** The answer for one node. Delete-pending was refused at once; the rest waits for its place in the order. */
export interface Admission {
  /** Throws when an open handle or a lock stands in the way. */
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

/** What one REST call was granted so far. */
export class Admissions {
  // Most shares are not open over SMB, and then nothing is ever noted here.
  #notes: AdmissionState | undefined;
  keys: readonly Key[] = NO_KEYS;

  /** Nodes whose content or properties the call changes. */
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

  /** Clients were asked; everything is decided again. Returns what must not stand in the way meanwhile. */
  askedFor(wanted: Wanted, conflict: CacheConflict): readonly Key[] {
    this.#noted.asked.add(`${nameOf(wanted)} ${conflict}`);
    this.#noted.granted.clear();
    this.#noted.open.clear();
    const { keys } = this;
    this.keys = NO_KEYS;
    return keys;
  }

  /** To be called before anything else is checked of a node: a file that is being deleted answers nothing else. */
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

  /** Nodes of a share that listings leave out. */
  hidden(share: ShareRecord): ReadonlySet<bigint> {
    if (share.isOpened !== true) return NO_INODES;
    const found = this.#noted.pending.get(share.id);
    if (found === undefined) throw new NeedsInodes(share.id);
    return found;
  }

  /**
   * Nodes of a share that somebody has open, for a directory that moves: from here until the call has ended nobody
   * opens anything below it.
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
    super("the nodes that are open or to be deleted must be listed");
    this.share = share;
    this.moving = moving;
  }
}

function nameOf({ share, inode, use }: Wanted): string {
  return `${share} ${inode} ${use}`;
}

/**
 * Runs a call's transaction, again whenever it meets a node that the table of handles must be asked about. With
 * `self` it is the act of an open handle: that one is not in its own way, locks are about content only, and only
 * clients of other nodes are asked for their caches.
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

/** The call is over. Caches that were given while it ran may hold what it has made untrue. */
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
  // Noted and listed in one transaction: an open comes before it and is listed, or after it and waits.
  const noted = await ephemeral.write(async (write) => {
    const key = movingTreeKey(share, moving, write.revision());
    write.put(key, Buffer.alloc(1));
    const open = new Set<bigint>();
    for await (const { key: opened, value } of write.range(handlesOfShare(share))) {
      // A named stream is open where its file or directory is: that one has a record of it too.
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
  const taken = await afterPendingLocks((mayWait) =>
    ephemeral.write(async (write) => {
      if ((await write.get(deletePendingKey(share, inode))) !== undefined)
        throw new Refusal("SMBDeletePending");
      const { handles, locks } = await readOpens(write, share, inode);
      const others = self === undefined ? handles : handles.filter(({ handle }) => handle !== self);
      const refusal = refusalOf(wanted, others, self === undefined ? locks : []);
      // The front end has dealt with the caches of its own clients.
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
  const { refusal, key, mayCache } = taken;
  if (key !== undefined) {
    admissions.note(key);
    if (use === "write" || use === "overwrite") admissions.changed.set(nameOf(wanted), { share, inode });
  }
  admissions.give(wanted, {
    pass: () => {
      const conflict = mayCache ? conflictOf(use, refusal) : undefined;
      if (conflict !== undefined && !admissions.isAsked(wanted, conflict))
        throw new NeedsBreak(wanted, conflict);
      refuse(refusal);
    },
  });
}

/** Opens of named streams keep nothing of the file but the file itself. */
function isForWhole(use: RestUse): boolean {
  return use === "delete" || use === "rename" || use === "overwrite";
}

/** A call that is kept out takes nobody's writes away: only a handle that is merely kept could make room. */
function conflictOf(use: RestUse, refusal: RefusalCode | undefined): CacheConflict | undefined {
  if (refusal === undefined) return conflictOfRest(use);
  return refusal === "SharingViolation" ? "sharing" : undefined;
}

function refuse(code: RefusalCode | undefined): void {
  if (code !== undefined) throw new Refusal(code);
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
