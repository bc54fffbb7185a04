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

/** Something that ends soon is in the way: a REST call, a rename of a directory above. The caller looks again. */
export const BUSY = Symbol("busy");

/** Clients of other nodes only keep the file open, perhaps: they were asked, and then the caller looks again. */
export interface Asked {
  readonly asked: readonly Key[];
  readonly inode: bigint;
}

/**
 * Nodes that an open creates have their id before they are written, because their handle is placed first: nobody
 * else can come between the two. Their ids are counted by the ephemeral space, beside those of the durable one.
 */
const PLACED_FIRST = 1n << 62n;

export interface Placement {
  readonly share: bigint;
  readonly inode: bigint | "new";
  /** Of a named stream: the file or directory it belongs to. One that is there is also the last of those above. */
  readonly base: bigint | "new" | undefined;
  readonly kind: HandleRecord["kind"];
  /** The directories above it, from the root down. */
  readonly above: readonly bigint[];
  readonly access: Access;
  /** What share modes are asked about: more than the access when the content is replaced. */
  readonly asked: Access;
  readonly shareMode: Access;
  readonly isDeleteOnClose: boolean;
  readonly mayCache: boolean;
  readonly session: bigint;
  readonly clientAddress: string;
  readonly clientName: string;
  /** Clients of other nodes were asked to close what they only keep open. */
  readonly hasAsked: boolean;
  /** Other reasons to refuse, in their place: after a deletion that is pending, before share modes. */
  readonly check: (() => void) | undefined;
}

export interface Placed {
  readonly inode: bigint;
  readonly base: bigint | undefined;
  readonly id: bigint;
  /** Nobody has the file open at another node in a way that matters to caches. */
  readonly isAlone: boolean;
  /** Requests to the nodes of those who have: they give up caches and finish what they write. */
  readonly asked: readonly Key[];
}

/** Puts a handle into the ephemeral space, if what is there lets it. */
export function placeHandle(
  { parts: { store }, liveness }: FileService,
  wanted: Placement,
): Promise<Placed | Asked | typeof BUSY> {
  const { share } = wanted;
  const { owner } = store.ephemeral;
  return store.ephemeral.write(async (write) => {
    if (liveness !== undefined && !(await liveness.confirm(write))) return BUSY;
    const parent = wanted.above.at(-1) ?? ROOT;
    const going = [deletePendingKey(share, wanted.inode === "new" ? parent : wanted.inode)];
    if (isPlaced(wanted.base)) going.push(deletePendingKey(share, wanted.base));
    const [closing, ...pending] = await write.getMany([closingShareKey(share), ...going]);
    if (closing !== undefined) return BUSY;
    if (await isTreeMoving(write, share, wanted.above)) return BUSY;
    const id = write.revision();
    const inode = wanted.inode === "new" ? PLACED_FIRST | id : wanted.inode;
    const base = wanted.base === "new" ? PLACED_FIRST | write.revision() : wanted.base;
    let room: Room = NO_HANDLES;
    // Nothing is made in a directory that is going; the root never goes.
    if (pending.some((one) => one !== undefined)) throw new Refusal("SMBDeletePending");
    if (wanted.inode !== "new") {
      wanted.check?.();
      const found = await findFreeSlot(write, wanted, wanted.inode, owner);
      if (found === BUSY || "asked" in found) return found;
      room = found;
    }
    if (isPlaced(wanted.base)) {
      const found = await findFreeSlot(write, { ...wanted, isOfStream: true }, wanted.base, owner);
      if (found === BUSY || "asked" in found) return found;
    }
    const handle: HandleRecord = {
      kind: wanted.kind,
      access: wanted.access,
      share: wanted.shareMode,
      openedAt: write.now(),
      session: wanted.session,
      clientAddress: wanted.clientAddress,
      clientName: wanted.clientName,
      isDeleteOnClose: wanted.isDeleteOnClose,
      owner,
      ...(wanted.mayCache ? { mayCache: true } : {}),
    };
    if (base === undefined) write.put(handleKey(share, inode, id), handleRecord.pack(handle));
    else {
      const beside = { ...handle, isDeleteOnClose: false, stream: inode };
      write.put(handleKey(share, inode, id), handleRecord.pack({ ...handle, base }));
      write.put(handleKey(share, base, id), handleRecord.pack(beside));
    }
    const { elsewhere } = room;
    const isLook = wanted.asked === NO_ACCESS;
    const asked = isLook ? [] : putRequests(write, { share, inode }, elsewhere, "write");
    return { inode, base, id, isAlone: elsewhere.length === 0, asked };
  });
}

function isPlaced(inode: bigint | "new" | undefined): inode is bigint {
  return typeof inode === "bigint";
}

/** Other processes that have the file open in a way that matters to caches. */
interface Room {
  readonly elsewhere: readonly string[];
}

const NO_HANDLES: Room = { elsewhere: [] };

async function isTreeMoving(write: Writer, share: bigint, above: readonly bigint[]): Promise<boolean> {
  for (const { key } of await entriesIn(write, movingTreesOf(share))) {
    if (above.includes(directoryOfMovingKey(key))) return true;
  }
  return false;
}

async function findFreeSlot(
  write: Writer,
  wanted: Placement & { readonly isOfStream?: boolean },
  inode: bigint,
  self: string,
): Promise<Room | Asked | typeof BUSY> {
  const { share, isOfStream = false } = wanted;
  const { handles } = await readOpens(write, share, inode);
  const limit = inode === ROOT ? FILE_LIMITS.handlesPerRootMax : FILE_LIMITS.handlesPerInodeMax;
  if (handles.length >= limit) throw new Refusal("TooManyOpenHandles");
  const open: Open = { access: wanted.asked, share: wanted.shareMode, isOfStream };
  const others = handles.filter(({ owner }) => owner !== self);
  if (!mayOpen(open, handles)) {
    const kept = others.filter((other) => other.mayCache && !areCompatible(open, other));
    if (wanted.hasAsked || kept.length === 0) throw new Refusal("SharingViolation");
    const owners = kept.map(({ owner }) => owner);
    return { asked: putRequests(write, { share, inode }, owners, "sharing"), inode };
  }
  if (!(await isFreeOfRest(write, share, inode, open))) return BUSY;
  const counted = others.filter((other) => !other.isOfStream && countsElsewhere(other));
  return { elsewhere: counted.map(({ owner }) => owner) };
}

async function isFreeOfRest(write: Writer, share: bigint, inode: bigint, wanted: Open): Promise<boolean> {
  if (wanted.access === NO_ACCESS) return true;
  for (const { value } of await entriesIn(write, restAccessesOfInode(share, inode))) {
    if (!areCompatible(wanted, restAccessRecord.unpack(value))) return false;
  }
  return true;
}
