import { Refusal } from "../../../base/refusals.ts";
import { countsElsewhere } from "../../../concurrency/cache-lease.ts";
import {
  type Access,
  areCompatible,
  mayOpen,
  NO_ACCESS,
  type Open,
} from "../../../concurrency/share-mode.ts";
import {
  closingShareKey,
  deletePendingKey,
  directoryOfMovingKey,
  handleKey,
  movingTreesOf,
  restAccessesOfInode,
} from "../../../store/keys/file.ts";
import type { Key, Writer } from "../../../store/kv.ts";
import { type HandleRecord, handleRecord, restAccessRecord } from "../../../store/records/file.ts";
import { putRequests } from "../cache-breaks.ts";
import { entriesIn } from "../entries-in.ts";
import type { FileService } from "../file-service.ts";
import { ROOT } from "../inodes.ts";
import { FILE_LIMITS } from "../limits.ts";
import { readOpens } from "../stored-handles.ts";
import type { OpenRequest } from "./open-request.ts";

/** A short conflict: a REST call in progress, or a rename of a directory above. The caller retries. */
export const BUSY = Symbol("busy");

/**
 * Clients of other processes conflict, perhaps only because their caches keep the file open. They were asked
 * to close it; the caller retries when they have answered.
 */
export interface Asked {
  readonly asked: readonly Key[];
  readonly inode: bigint;
}

/**
 * An inode that an open creates gets its id before it is written, because its handle is placed first: no
 * other open comes between the two. The ephemeral space counts these ids, and this bit separates them from
 * ids of the durable space.
 */
const PLACED_FIRST = 1n << 62n;

/** Where a handle goes, and what it is checked for. */
export interface Placement {
  readonly share: bigint;
  readonly inode: bigint | "new";
  /** Of a named stream: its file or directory, which is also the last of `ancestors` if it exists. */
  readonly base: bigint | "new" | undefined;
  readonly kind: HandleRecord["kind"];
  /** The directories above, from the root down. */
  readonly ancestors: readonly bigint[];
  readonly access: Access;
  /** Checked against share modes: more than `access` when the content is overwritten. */
  readonly checkedAccess: Access;
  /** Clients of other processes were asked to close the handles that only their caches keep open. */
  readonly hasAsked: boolean;
  /** Further checks, in their order: after delete-pending, before share modes. */
  readonly check: (() => void) | undefined;
}

export interface Placed {
  readonly inode: bigint;
  readonly base: bigint | undefined;
  readonly id: bigint;
  /** No other process has the file open in a way that matters to caches. */
  readonly isAlone: boolean;
  /** Requests to the other processes, which break caches and complete their writes. */
  readonly asked: readonly Key[];
}

/** Puts a handle into the ephemeral space, if the handles, calls and marks there allow it. */
export function placeHandle(
  { parts: { store }, liveness }: FileService,
  request: OpenRequest,
  placement: Placement,
): Promise<Placed | Asked | typeof BUSY> {
  const { share, ancestors } = placement;
  const { owner } = store.ephemeral;
  return store.ephemeral.write(async (write) => {
    if (liveness !== undefined && !(await liveness.confirm(write))) return BUSY;
    const parent = ancestors.at(-1) ?? ROOT;
    // No inode is created in a directory that is delete-pending.
    const deleteMarks = [deletePendingKey(share, placement.inode === "new" ? parent : placement.inode)];
    if (isStoredId(placement.base)) deleteMarks.push(deletePendingKey(share, placement.base));
    const [closing, ...pending] = await write.getMany([closingShareKey(share), ...deleteMarks]);
    if (closing !== undefined) return BUSY;
    if (await isTreeMoving(write, share, ancestors)) return BUSY;
    const id = write.revision();
    const inode = placement.inode === "new" ? PLACED_FIRST | id : placement.inode;
    const base = placement.base === "new" ? PLACED_FIRST | write.revision() : placement.base;
    if (pending.some((mark) => mark !== undefined)) throw new Refusal("SMBDeletePending");
    let otherOwners: readonly string[] = [];
    if (placement.inode !== "new") {
      placement.check?.();
      const found = await checkHandles(write, request, placement, { inode: placement.inode, owner });
      if (found === BUSY || "asked" in found) return found;
      otherOwners = found;
    }
    if (isStoredId(placement.base)) {
      const at = { inode: placement.base, owner, isOfStream: true };
      const found = await checkHandles(write, request, placement, at);
      if (found === BUSY || "asked" in found) return found;
    }
    const isDeleteOnClose = request.isDeleteOnClose === true;
    const handle: HandleRecord = {
      kind: placement.kind,
      access: placement.access,
      share: request.shareMode,
      openedAt: write.now(),
      session: request.session,
      clientAddress: request.clientAddress,
      clientName: request.clientName,
      isDeleteOnClose,
      owner,
      ...(request.mayCache === true ? { mayCache: true } : {}),
    };
    if (base === undefined) write.put(handleKey(share, inode, id), handleRecord.pack(handle));
    else {
      const ofBase = { ...handle, isDeleteOnClose: false, stream: inode };
      write.put(handleKey(share, inode, id), handleRecord.pack({ ...handle, base }));
      write.put(handleKey(share, base, id), handleRecord.pack(ofBase));
    }
    const isStat = placement.checkedAccess === NO_ACCESS;
    const asked = isStat ? [] : putRequests(write, { share, inode }, otherOwners, "write");
    return { inode, base, id, isAlone: otherOwners.length === 0, asked };
  });
}

function isStoredId(inode: bigint | "new" | undefined): inode is bigint {
  return typeof inode === "bigint";
}

async function isTreeMoving(write: Writer, share: bigint, ancestors: readonly bigint[]): Promise<boolean> {
  const moving = await entriesIn(write, movingTreesOf(share));
  return moving.some(({ key }) => ancestors.includes(directoryOfMovingKey(key)));
}

/** Checks the handles of one inode. Returns the other processes whose opens of it matter to caches. */
async function checkHandles(
  write: Writer,
  { shareMode }: OpenRequest,
  { share, checkedAccess, hasAsked }: Placement,
  at: { readonly inode: bigint; readonly owner: string; readonly isOfStream?: boolean },
): Promise<readonly string[] | Asked | typeof BUSY> {
  const { inode, isOfStream = false } = at;
  const { handles } = await readOpens(write, share, inode);
  const limit = inode === ROOT ? FILE_LIMITS.handlesPerRootMax : FILE_LIMITS.handlesPerInodeMax;
  if (handles.length >= limit) throw new Refusal("TooManyOpenHandles");
  const open: Open = { access: checkedAccess, share: shareMode, isOfStream };
  const others = handles.filter(({ owner }) => owner !== at.owner);
  if (!mayOpen(open, handles)) {
    const cached = others.filter((other) => other.mayCache && !areCompatible(open, other));
    if (hasAsked || cached.length === 0) throw new Refusal("SharingViolation");
    const owners = cached.map(({ owner }) => owner);
    return { asked: putRequests(write, { share, inode }, owners, "sharing"), inode };
  }
  if (!(await isFreeOfRest(write, share, inode, open))) return BUSY;
  return others.filter((other) => !other.isOfStream && countsElsewhere(other)).map(({ owner }) => owner);
}

async function isFreeOfRest(write: Writer, share: bigint, inode: bigint, open: Open): Promise<boolean> {
  if (open.access === NO_ACCESS) return true;
  const calls = await entriesIn(write, restAccessesOfInode(share, inode));
  return calls.every(({ value }) => areCompatible(open, restAccessRecord.unpack(value)));
}
