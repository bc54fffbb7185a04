import { Refusal } from "../../../base/refusals.ts";
import { leaseAfterWrite } from "../../../concurrency/lease.ts";
import type { AsyncCommit, Writer } from "../../../store/kv.ts";
import type { InodeRecord, ShareRecord } from "../../../store/records/file.ts";
import { leaseOf, withLease } from "../../lease-action.ts";
import { ATTRIBUTE } from "../attributes.ts";
import { changeEas, type EaRecord, eaSummary, putEas, withoutEas } from "../extended-attributes.ts";
import type { FileService } from "../file-service.ts";
import {
  findInode,
  findPlace,
  newInode,
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
import { changeUsage, findShare } from "../shares.ts";
import { findStream, putBase, putNewStream, removeStreams, shownStream } from "../streams.ts";
import { LiveView } from "../versions.ts";
import type { StillGranted } from "./find-target.ts";
import type { OpenRequest } from "./open-request.ts";
import { type Granted, resolveNewRights } from "./open-rights.ts";

/** Settable on a new file: read-only, hidden, system, archive, temporary, offline, not indexed. */
const CREATED_ATTRIBUTES = 0x3127;

const NO_EAS: readonly EaRecord[] = [];

/** Sets the mark of the share in the same transaction, after the handle was placed. */
async function readOpenedShare(write: Writer, ref: ShareRef, id: bigint): Promise<ShareRecord> {
  const share = await findShare(write, ref);
  if (share?.id !== id) throw new Refusal("ShareNotFound");
  return markInTransaction(write, ref, share);
}

interface Created {
  readonly record: InodeRecord;
  /** Undefined where ACLs are not enforced. */
  readonly granted: Granted | undefined;
}

/** The inode a handle was placed for, and with a named stream its base. */
interface PlacedInode {
  readonly share: bigint;
  readonly inode: bigint;
}

interface PlacedStream extends PlacedInode {
  readonly base: bigint;
  readonly isStillGranted: StillGranted;
}

/** Creates a file or directory; undefined when the path meanwhile leads to one. */
export function createInode(
  files: FileService,
  request: OpenRequest,
  at: PlacedInode,
): Promise<AsyncCommit<Created | undefined>> {
  const { ref, eas, kind = "file", mayCommitAsync = false } = request;
  return files.writeForHandle(
    async (write) => {
      const share = await readOpenedShare(write, ref, at.share);
      const view = new LiveView(write);
      const place = await findPlace(view, at.share, ref.path);
      if (place.entry !== undefined || (await findInode(view, at.share, at.inode)) !== undefined)
        return undefined;
      return putNewInode(write, share, place, { id: at.inode, kind }, request);
    },
    mayCommitAsync && eas === undefined,
  );
}

async function putNewInode(
  write: Writer,
  share: ShareRecord,
  { parent, name }: Place,
  { id, kind }: { readonly id: bigint; readonly kind: InodeRecord["kind"] },
  { attributes = 0, sddl, eas: requestedEas = NO_EAS, rights }: OpenRequest,
): Promise<Created> {
  const revision = write.revision();
  const empty = newInode(kind, { parent, name, revision, now: ticksOf(write) });
  const directory = await readInode(new LiveView(write), share.id, parent);
  const at = { read: write, share: share.id };
  const resolved = rights && (await resolveNewRights(at, rights.acls, directory, { kind, sddl }));
  const permission =
    resolved === undefined
      ? await resolvePermission(write, share.id, sddl === undefined ? undefined : { sddl }, {
          own: undefined,
          inherited: directory.permission,
        })
      : putPermission(write, share.id, resolved.sddl);
  const eas = requestedEas === NO_EAS ? NO_EAS : changeEas(NO_EAS, requestedEas);
  const record: InodeRecord = {
    ...empty,
    attributes: empty.attributes | (attributes & CREATED_ATTRIBUTES),
    ...(permission === undefined ? {} : { permission }),
    ...eaSummary(eas),
  };
  if (eas.length > 0) await putEas(write, share, id, { eas, since: revision });
  await putInode(write, share, id, record, revision);
  await putEntry(write, share, parent, { name, inode: id, kind }, revision);
  await touchDirectory(write, share, parent);
  // The creator gets the rights it requests, whatever the new ACL grants to later opens.
  const access = rights && rights.access | rights.optionalAccess;
  return { record, granted: resolved && { access: access!, maximal: resolved.maximal } };
}

/** Creates a named stream, and its file if that is new; undefined when the path meanwhile leads elsewhere. */
export function createStream(
  files: FileService,
  request: OpenRequest,
  at: PlacedStream & {
    readonly isBaseNew: boolean;
    /** What the ACL of an existing file grants. */
    readonly granted: Granted | undefined;
  },
): Promise<AsyncCommit<Created | undefined>> {
  const { ref, stream, eas, mayCommitAsync = false } = request;
  return files.writeForHandle(
    async (write) => {
      const share = await readOpenedShare(write, ref, at.share);
      const view = new LiveView(write);
      const place = ref.path.length === 0 ? undefined : await findPlace(view, share.id, ref.path);
      const present = place === undefined ? ROOT : place.entry?.inode;
      if (present !== (at.isBaseNew ? undefined : at.base)) return undefined;
      const { record, granted } = at.isBaseNew
        ? await putNewInode(write, share, place!, { id: at.base, kind: "file" }, request)
        : { record: await readInode(view, share.id, at.base), granted: at.granted };
      const isStill = at.isBaseNew ? undefined : at.isStillGranted(write, record);
      if (isStill !== undefined && !(await isStill)) return undefined;
      const base = { id: at.base, record };
      if ((await findStream(view, share.id, base, stream!)) !== undefined) return undefined;
      const created = await putNewStream(write, share, base, { id: at.inode, name: stream! });
      const now = ticksOf(write);
      const changed = { hasStreams: true, writtenAt: now, changedAt: now };
      await putBase(write, share, base, changed);
      return { record: shownStream({ ...record, ...changed }, created), granted };
    },
    mayCommitAsync && eas === undefined,
  );
}

/** Empties a named stream; undefined when it is gone. Its file keeps its properties. */
export function overwriteStream(
  files: FileService,
  { ref, mayCommitAsync = false }: OpenRequest,
  at: PlacedStream,
): Promise<AsyncCommit<InodeRecord | undefined>> {
  return files.writeForHandle(async (write) => {
    const share = await readOpenedShare(write, ref, at.share);
    const view = new LiveView(write);
    const record = await findInode(view, share.id, at.inode);
    const base = await findInode(view, share.id, at.base);
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

/** Empties a file; undefined when it is gone. Its id, name, creation time and lease stay. */
export async function overwriteInode(
  files: FileService,
  { ref, attributes = 0, eas: requestedEas, mayCommitAsync = false }: OpenRequest,
  at: PlacedInode & { readonly check: StillGranted },
): Promise<AsyncCommit<InodeRecord | undefined>> {
  const { payloads } = files.parts;
  let isContentLeft = false;
  const overwritten = await files.writeForHandle(
    async (write) => {
      const share = await readOpenedShare(write, ref, at.share);
      const record = await findInode(new LiveView(write), share.id, at.inode);
      if (record === undefined) return undefined;
      const isStill = at.check(write, record);
      if (isStill !== undefined && !(await isStill)) return undefined;
      isContentLeft = (await dropContent({ write, payloads, share }, record.content)) === "left";
      await changeUsage(write, share, -record.size);
      if (record.hasStreams === true) await removeStreams(write, share, { id: at.inode, record });
      const revision = write.revision(record.revision);
      const now = ticksOf(write);
      const eas = requestedEas === undefined ? NO_EAS : changeEas(NO_EAS, requestedEas);
      if (eas.length > 0 || record.eaSize !== undefined)
        await putEas(write, share, at.inode, { eas, since: revision });
      const { hasStreams: _, ...rest } = withoutEas(record);
      const changed: InodeRecord = {
        ...rest,
        ...eaSummary(eas),
        revision,
        attributes: (attributes & CREATED_ATTRIBUTES) | ATTRIBUTE.Archive,
        writtenAt: now,
        changedAt: now,
        size: 0,
        content: revision,
        dataRevision: revision,
      };
      const leased = withLease(changed, leaseAfterWrite(leaseOf(record), write.now()));
      await putInode(write, share, at.inode, leased, revision);
      return leased;
    },
    mayCommitAsync && requestedEas === undefined,
  );
  if (isContentLeft) files.contentLeft.ring();
  return overwritten;
}
