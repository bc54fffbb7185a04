import { Refusal } from "../../../base/refusals.ts";
import type { Reader } from "../../../store/kv.ts";
import type { ShareRecord } from "../../../store/records/file.ts";
import type { FileService } from "../file-service.ts";
import { findAny, type Inode } from "../inodes.ts";
import type { PathRef } from "../names.ts";
import { DEFAULT_SDDL, findPermission } from "../permissions.ts";
import { lengthOf } from "../range-record.ts";
import { rangesIn } from "../read-content.ts";
import type { Acls } from "../security/acls.ts";
import { printSddl } from "../security/sddl.ts";
import { openShare } from "../shares.ts";
import { findStream, readStreams, type StreamList, shownStream } from "../streams.ts";
import type { View } from "../versions.ts";
import { type Granted, judgeOpen, type RightsRequest } from "./open-rights.ts";

/** A file or directory as a share snapshot has it. Nobody has anything open in the past: there is nothing to check. */
export interface SnapshotInode {
  readonly ref: PathRef;
  /** Of a named stream with the times and attributes of its file. */
  readonly inode: Inode;
  /** The file or directory itself, which a named stream belongs to. */
  readonly base: Inode;
  find(read: Reader): Promise<{ readonly share: ShareRecord; readonly view: View; readonly inode: Inode }>;
}

/** Throws ShareSnapshotNotFound, or what finding the path throws. */
export async function openSnapshotInode(
  files: FileService,
  ref: PathRef,
  stream?: string,
): Promise<SnapshotInode> {
  const opened = await files.parts.store.read(async (read) => {
    const { share, view } = await openShare(read, ref);
    const base = await findAny(view, share.id, ref.path);
    if (stream === undefined) return { share: share.id, inode: base, base };
    const found = await findStream(view, share.id, base, stream);
    if (found === undefined) throw new Refusal("ResourceNotFound");
    const record = shownStream(base.record, found.record);
    return { share: share.id, inode: { id: found.id, record }, base };
  });
  const { inode, base } = opened;
  return {
    ref,
    inode,
    base,
    find: async (read) => {
      const { share, view } = await openShare(read, ref);
      if (share.id !== opened.share) throw new Refusal("ShareNotFound");
      return { share, view, inode };
    },
  };
}

/** What access lists, as they were then, grant to an open; "denied" when it needs more. */
export function judgeSnapshotOpen(
  files: FileService,
  snapshot: SnapshotInode,
  rights: RightsRequest,
): Promise<Granted | "denied"> {
  return files.parts.store.read(async (read) => {
    const { share, view } = await snapshot.find(read);
    return judgeOpen({ read, view, share: share.id }, snapshot.base, rights, 0);
  });
}

export function readSnapshotSecurity(
  files: FileService,
  snapshot: SnapshotInode,
  lists: Acls | undefined,
): Promise<string> {
  return files.parts.store.read(async (read) => {
    const { share, inode } = await snapshot.find(read);
    if (lists !== undefined) return printSddl((await lists.guardOf(read, share.id, inode.record)).descriptor);
    const { permission } = inode.record;
    return permission === undefined ? DEFAULT_SDDL : findPermission(read, share.id, permission);
  });
}

export function listSnapshotStreams(files: FileService, snapshot: SnapshotInode): Promise<StreamList> {
  return files.parts.store.read(async (read) => {
    const { share, view } = await snapshot.find(read);
    return { base: snapshot.base, named: await readStreams(view, share.id, snapshot.base) };
  });
}

export function listSnapshotRanges(
  files: FileService,
  snapshot: SnapshotInode,
  part: { readonly from: number; readonly to: number },
): Promise<readonly { readonly from: number; readonly to: number }[]> {
  return files.parts.store.read(async (read) => {
    const { share, view, inode } = await snapshot.find(read);
    return writtenSpans(view, share.id, inode, part);
  });
}

/** Written ranges in [from, to), those that touch made one. */
export async function writtenSpans(
  view: View,
  share: bigint,
  { record: { content, size } }: Inode,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<readonly { readonly from: number; readonly to: number }[]> {
  const spans: { from: number; to: number }[] = [];
  for await (const { offset, record } of rangesIn(view, { share, content, from, to: Math.min(to, size) })) {
    const end = offset + lengthOf(record);
    const last = spans.at(-1);
    if (last?.to === offset) last.to = end;
    else spans.push({ from: offset, to: end });
  }
  return spans;
}
