import { Refusal } from "../../../base/refusals.ts";
import { leaseAfterWrite } from "../../../concurrency/lease.ts";
import type { AsyncCommit, Reader, Writer } from "../../../store/kv.ts";
import type { InodeRecord, ShareRecord } from "../../../store/records/file.ts";
import { ATTRIBUTE } from "../attributes.ts";
import { changeEas, type EaRecord, eaSummary, putEas, withoutEas } from "../extended-attributes.ts";
import type { FileService } from "../file-service.ts";
import {
  findInode,
  findPlace,
  type Place,
  putEntry,
  putInode,
  ROOT,
  readInode,
  ticksOf,
  touchDirectory,
} from "../inodes.ts";
import type { ShareRef } from "../names.ts";
import { markInTransaction } from "../opened-marks.ts";
import { putPermission, resolvePermission } from "../permissions.ts";
import { discardContent, dropContent } from "../ranges.ts";
import { changeUsage, findShare, leaseOf, withLease } from "../shares.ts";
import { findStream, putBase, putNewStream, removeStreams, shownStream } from "../streams.ts";
import { LiveView } from "../versions.ts";
import type { OpenRequest } from "./open-inode.ts";
import { type Granted, type RightsRequest, resolveNewRights } from "./open-rights.ts";

/** What a client may ask for in a new file: read-only, hidden, system, archive, temporary, offline, not indexed. */
const CREATED_ATTRIBUTES = 0x3127;

const NO_EAS: readonly EaRecord[] = [];

/** The share, marked as opened in the same transaction: the handle is already there. */
async function openedShare(write: Writer, ref: ShareRef, id: bigint): Promise<ShareRecord> {
  const share = await findShare(write, ref);
  if (share?.id !== id) throw new Refusal("ShareNotFound");
  return markInTransaction(write, ref, share);
}

interface Made {
  readonly record: InodeRecord;
  /** Undefined where access lists are not enforced. */
  readonly granted: Granted | undefined;
}

/** Creates the node a handle was placed for; undefined when something has come to be at the path. */
export function createInode(
  files: FileService,
  { ref, attributes = 0, sddl, eas, rights, mayCommitAsync = false }: OpenRequest,
  { share: shareId, inode, kind }: { share: bigint; inode: bigint; kind: InodeRecord["kind"] },
): Promise<AsyncCommit<Made | undefined>> {
  return files.writeForHandle(
    async (write) => {
      const share = await openedShare(write, ref, shareId);
      const view = new LiveView(write);
      const place = await findPlace(view, shareId, ref.path);
      if (place.entry !== undefined || (await findInode(view, shareId, inode)) !== undefined)
        return undefined;
      return putNewInode(write, share, place, { inode, kind, attributes, sddl, eas, rights });
    },
    mayCommitAsync && eas === undefined,
  );
}

/** Who creates something gets what it asks for, whatever the new list says to those who come later. */
function grantedToCreator({ access, optionalAccess }: RightsRequest, maximal: number): Granted {
  return { access: access | optionalAccess, maximal };
}

async function putNewInode(
  write: Writer,
  share: ShareRecord,
  { parent, name }: Place,
  wanted: Pick<InodeRecord, "kind" | "attributes"> &
    Pick<OpenRequest, "sddl" | "eas" | "rights"> & { readonly inode: bigint },
): Promise<Made> {
  const { inode, kind, sddl, eas, rights } = wanted;
  const revision = write.revision();
  const now = ticksOf(write);
  const above = await readInode(new LiveView(write), share.id, parent);
  const settled =
    rights && (await resolveNewRights({ read: write, share: share.id }, rights.lists, above, { kind, sddl }));
  const wish = sddl === undefined ? undefined : { sddl };
  const permission =
    settled === undefined
      ? await resolvePermission(write, share.id, wish, { own: undefined, inherited: above.permission })
      : putPermission(write, share.id, settled.sddl);
  const kept = wanted.attributes & CREATED_ATTRIBUTES;
  const given = eas === undefined ? NO_EAS : changeEas(NO_EAS, eas);
  const record: InodeRecord = {
    kind,
    parent,
    name,
    revision,
    attributes: kept | (kind === "directory" ? ATTRIBUTE.Directory : ATTRIBUTE.Archive),
    createdAt: now,
    writtenAt: now,
    changedAt: now,
    size: 0,
    content: revision,
    dataRevision: revision,
    ...(permission === undefined ? {} : { permission }),
    ...eaSummary(given),
  };
  if (given.length > 0) await putEas(write, share, inode, { eas: given, since: revision });
  await putInode(write, share, inode, record, revision);
  await putEntry(write, share, parent, { name, inode, kind }, revision);
  await touchDirectory(write, share, parent);
  return { record, granted: settled && grantedToCreator(rights!, settled.maximal) };
}

/** Whether access lists still grant what they did; undefined where they are not enforced. */
export type StillGranted = (read: Reader, record: InodeRecord) => Promise<boolean> | undefined;

/**
 * Creates the named stream a handle was placed for, and the file it belongs to if there is none; undefined when
 * something else has come to be there. The record is as it is shown.
 */
export function createStream(
  files: FileService,
  { ref, stream, attributes = 0, sddl, eas, rights, mayCommitAsync = false }: OpenRequest,
  at: {
    share: bigint;
    inode: bigint;
    base: bigint;
    isBaseNew: boolean;
    /** By the list of the file that is there. */
    granted: Granted | undefined;
    isStillGranted: StillGranted;
  },
): Promise<AsyncCommit<Made | undefined>> {
  return files.writeForHandle(
    async (write) => {
      const share = await openedShare(write, ref, at.share);
      const view = new LiveView(write);
      const place = ref.path.length === 0 ? undefined : await findPlace(view, share.id, ref.path);
      const there = place === undefined ? ROOT : place.entry?.inode;
      if (there !== (at.isBaseNew ? undefined : at.base)) return undefined;
      const wanted = { inode: at.base, kind: "file", attributes, sddl, eas, rights } as const;
      const { record, granted } = at.isBaseNew
        ? await putNewInode(write, share, place!, wanted)
        : { record: await readInode(view, share.id, at.base), granted: at.granted };
      const isStill = at.isBaseNew ? undefined : at.isStillGranted(write, record);
      if (isStill !== undefined && !(await isStill)) return undefined;
      const base = { id: at.base, record };
      if ((await findStream(view, share.id, base, stream!)) !== undefined) return undefined;
      const made = await putNewStream(write, share, base, { id: at.inode, name: stream! });
      const now = ticksOf(write);
      const changed = { hasStreams: true, writtenAt: now, changedAt: now };
      await putBase(write, share, base, changed);
      return { record: shownStream({ ...record, ...changed }, made), granted };
    },
    mayCommitAsync && eas === undefined,
  );
}

/** Replaces a named stream's content by nothing; undefined when it is gone. The file it belongs to stays as it is. */
export function overwriteStream(
  files: FileService,
  { ref, mayCommitAsync = false }: OpenRequest,
  at: { share: bigint; inode: bigint; base: bigint; isStillGranted: StillGranted },
): Promise<AsyncCommit<InodeRecord | undefined>> {
  return files.writeForHandle(async (write) => {
    const share = await openedShare(write, ref, at.share);
    const view = new LiveView(write);
    const [record, base] = [
      await findInode(view, share.id, at.inode),
      await findInode(view, share.id, at.base),
    ];
    if (record === undefined || base === undefined) return undefined;
    const isStill = at.isStillGranted(write, base);
    if (isStill !== undefined && !(await isStill)) return undefined;
    discardContent(write, share, record.content);
    await changeUsage(write, share, -record.size);
    const revision = write.revision(record.revision);
    const emptied = { ...record, revision, size: 0, content: revision, dataRevision: revision };
    await putInode(write, share, at.inode, emptied, revision);
    const now = ticksOf(write);
    const times = { writtenAt: now, changedAt: now };
    await putBase(write, share, { id: at.base, record: base }, times);
    return shownStream({ ...base, ...times }, emptied);
  }, mayCommitAsync);
}

/** Replaces a file's content by nothing; undefined when it is gone. Its id, name, times of birth and lease stay. */
export async function overwriteInode(
  files: FileService,
  { ref, attributes = 0, eas, mayCommitAsync = false }: OpenRequest,
  target: {
    share: bigint;
    inode: bigint;
    check: StillGranted;
  },
): Promise<AsyncCommit<InodeRecord | undefined>> {
  const { payloads } = files.parts;
  let isLeft = false;
  const overwritten = await files.writeForHandle(
    async (write) => {
      const share = await openedShare(write, ref, target.share);
      const record = await findInode(new LiveView(write), share.id, target.inode);
      if (record === undefined) return undefined;
      const isStill = target.check(write, record);
      if (isStill !== undefined && !(await isStill)) return undefined;
      const outcome = await dropContent({ write, payloads, share }, record.content);
      isLeft = outcome === "left";
      await changeUsage(write, share, -record.size);
      if (record.hasStreams === true) await removeStreams(write, share, { id: target.inode, record });
      const revision = write.revision(record.revision);
      const now = ticksOf(write);
      const given = eas === undefined ? NO_EAS : changeEas(NO_EAS, eas);
      if (given.length > 0 || record.eaSize !== undefined)
        await putEas(write, share, target.inode, { eas: given, since: revision });
      const { hasStreams: _, ...own } = withoutEas(record);
      const changed: InodeRecord = {
        ...own,
        ...eaSummary(given),
        revision,
        attributes: (attributes & CREATED_ATTRIBUTES) | ATTRIBUTE.Archive,
        writtenAt: now,
        changedAt: now,
        size: 0,
        content: revision,
        dataRevision: revision,
      };
      const kept = withLease(changed, leaseAfterWrite(leaseOf(record), write.now()));
      await putInode(write, share, target.inode, kept, revision);
      return kept;
    },
    mayCommitAsync && eas === undefined,
  );
  if (isLeft) files.contentLeft.ring();
  return overwritten;
}
