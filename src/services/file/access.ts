import { Refusal, type RefusalCode } from "../../base/refusals.ts";
import { type ByteRange, type HeldLock, mayRead, mayRestWrite } from "../../concurrency/byte-range-lock.ts";
import { checkRestUse, type Open, type RestUse, restOpen } from "../../concurrency/share-mode.ts";
import {
  deletePendingKey,
  deletePendingOf,
  handlesOfNode,
  handlesOfShare,
  locksOfNode,
  movingTreeKey,
  nodeOfDeletePendingKey,
  readHandleKey,
  restAccessKey,
} from "../../store/keys/file.ts";
import type { EphemeralSpace, Key, Reader } from "../../store/kv.ts";
import {
  handleRecord,
  locksRecord,
  type NodeRecord,
  restAccessRecord,
  type ShareRecord,
} from "../../store/records/file.ts";
import type { Node } from "./nodes.ts";

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
 * 2. In a share with the mark, the call's transaction throws `NeedsGrant`. The decision is then taken inside one
 *    ephemeral transaction, against the handles as they are, and the same transaction puts a record of the call: an
 *    open of its own, which SMB opens meet and wait for. With that in hand the durable transaction runs again. When
 *    it has ended the record goes. Between the decision and the commit, no conflicting open can come in.
 *
 * The mark is taken away again when nothing has been open for a while (see handles.ts). A process that dies leaves
 * no record behind: the ephemeral space forgets what it owned.
 */
class NeedsGrant extends Error {
  readonly wanted: Wanted;

  constructor(wanted: Wanted) {
    super("the table of handles must be asked");
    this.wanted = wanted;
  }
}

interface Wanted {
  readonly share: bigint;
  readonly node: bigint;
  readonly kind: NodeRecord["kind"];
  readonly use: RestUse;
  readonly range: ByteRange | undefined;
}

/** The answer for one node. Delete-pending was refused at once; the rest waits for its place in the order. */
export interface Grant {
  /** Throws when an open handle or a lock stands in the way. */
  pass(): void;
}

const OPEN_ROAD: Grant = { pass() {} };

/** What one REST call was granted so far. */
export class Grants {
  readonly #granted = new Map<string, Grant>();
  readonly #pending = new Map<bigint, ReadonlySet<bigint>>();
  readonly #open = new Map<bigint, ReadonlySet<bigint>>();
  readonly keys: Key[] = [];

  /** To be called before anything else is checked of a node: a file that is being deleted answers nothing else. */
  ask(share: ShareRecord, node: Node, use: RestUse, range?: ByteRange): Grant {
    if (share.isOpened !== true) return OPEN_ROAD;
    const wanted = { share: share.id, node: node.id, kind: node.record.kind, use, range };
    const grant = this.#granted.get(nameOf(wanted));
    if (grant === undefined) throw new NeedsGrant(wanted);
    return grant;
  }

  give(wanted: Wanted, grant: Grant): void {
    this.#granted.set(nameOf(wanted), grant);
  }

  /** Nodes of a share that listings leave out. */
  hidden(share: ShareRecord): ReadonlySet<bigint> {
    if (share.isOpened !== true) return NOBODY;
    const found = this.#pending.get(share.id);
    if (found === undefined) throw new NeedsNodes(share.id);
    return found;
  }

  /**
   * Nodes of a share that somebody has open, for a directory that moves: from here until the call has ended nobody
   * opens anything below it.
   */
  openNodes(share: ShareRecord, moving: bigint): ReadonlySet<bigint> {
    if (share.isOpened !== true) return NOBODY;
    const found = this.#open.get(moving);
    if (found === undefined) throw new NeedsNodes(share.id, moving);
    return found;
  }

  givePending(share: bigint, pending: ReadonlySet<bigint>): void {
    this.#pending.set(share, pending);
  }

  giveOpen(moving: bigint, open: ReadonlySet<bigint>): void {
    this.#open.set(moving, open);
  }
}

const NOBODY: ReadonlySet<bigint> = new Set();

class NeedsNodes extends Error {
  readonly share: bigint;
  readonly moving: bigint | undefined;

  constructor(share: bigint, moving?: bigint) {
    super("the nodes that are open or to be deleted must be listed");
    this.share = share;
    this.moving = moving;
  }
}

function nameOf({ share, node, use }: Wanted): string {
  return `${share} ${node} ${use}`;
}

/**
 * Runs a call's transaction, again whenever it meets a node that the table of handles must be asked about. With
 * `self` it is the act of an open handle: that one is not in its own way, and locks are about content only.
 */
export async function withGrants<T>(
  ephemeral: EphemeralSpace,
  run: (grants: Grants) => Promise<T>,
  self?: bigint,
): Promise<T> {
  const grants = new Grants();
  try {
    for (;;) {
      try {
        return await run(grants);
      } catch (error) {
        if (error instanceof NeedsGrant) await decide(ephemeral, grants, error.wanted, self);
        else if (error instanceof NeedsNodes) await listNodes(ephemeral, grants, error);
        else throw error;
      }
    }
  } finally {
    if (grants.keys.length > 0) {
      await ephemeral.write(async (write) => {
        for (const key of grants.keys) write.delete(key);
      });
    }
  }
}

async function listNodes(
  ephemeral: EphemeralSpace,
  grants: Grants,
  { share, moving }: NeedsNodes,
): Promise<void> {
  if (moving === undefined) {
    const pending = new Set<bigint>();
    await ephemeral.read(async (read) => {
      for await (const { key } of read.range(deletePendingOf(share))) {
        pending.add(nodeOfDeletePendingKey(key));
      }
    });
    grants.givePending(share, pending);
    return;
  }
  // Noted and listed in one transaction: an open comes before it and is listed, or after it and waits.
  const noted = await ephemeral.write(async (write) => {
    const key = movingTreeKey(share, moving, write.revision());
    write.put(key, Buffer.alloc(1));
    const open = new Set<bigint>();
    for await (const handle of write.range(handlesOfShare(share))) open.add(readHandleKey(handle.key).node);
    return { key, open };
  });
  grants.keys.push(noted.key);
  grants.giveOpen(moving, noted.open);
}

async function decide(
  ephemeral: EphemeralSpace,
  grants: Grants,
  wanted: Wanted,
  self: bigint | undefined,
): Promise<void> {
  const { share, node, use } = wanted;
  const taken = await ephemeral.write(async (write) => {
    if ((await write.get(deletePendingKey(share, node))) !== undefined) throw new Refusal("SMBDeletePending");
    const { handles, locks } = await readOpens(write, share, node);
    const others = self === undefined ? handles : handles.filter(({ handle }) => handle !== self);
    const refusal = refusalOf(wanted, others, self === undefined ? locks : []);
    if (refusal !== undefined || use === "look") return { refusal, key: undefined };
    const key = restAccessKey(share, node, write.revision());
    write.put(key, restAccessRecord.pack(restOpen(use)));
    return { refusal, key };
  });
  if (taken.key !== undefined) grants.keys.push(taken.key);
  grants.give(wanted, { pass: () => refuse(taken.refusal) });
}

function refuse(code: RefusalCode | undefined): void {
  if (code !== undefined) throw new Refusal(code);
}

function refusalOf(
  { kind, use, range }: Wanted,
  handles: readonly Open[],
  locks: readonly HeldLock[],
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

/** Handles and locks of a node, in one snapshot of the ephemeral space. */
export async function readOpens(
  read: Reader,
  share: bigint,
  node: bigint,
): Promise<{
  readonly handles: readonly (Open & { readonly handle: bigint })[];
  readonly locks: readonly HeldLock[];
}> {
  const handles: (Open & { handle: bigint })[] = [];
  for await (const { key, value } of read.range(handlesOfNode(share, node))) {
    const { access, share: shared } = handleRecord.unpack(value);
    handles.push({ access, share: shared, handle: readHandleKey(key).handle });
  }
  const locks: HeldLock[] = [];
  if (handles.length > 0) {
    for await (const { key, value } of read.range(locksOfNode(share, node))) {
      const { handle } = readHandleKey(key);
      for (const lock of locksRecord.unpack(value).locks) locks.push({ ...lock, handle });
    }
  }
  return { handles, locks };
}
