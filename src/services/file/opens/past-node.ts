import { Refusal } from "../../../base/refusals.ts";
import type { Reader } from "../../../store/kv.ts";
import type { ShareRecord } from "../../../store/records/file.ts";
import type { FileService } from "../file-service.ts";
import type { PathRef } from "../names.ts";
import { findAny, type Node } from "../nodes.ts";
import { DEFAULT_SDDL, findPermission } from "../permissions.ts";
import { lengthOf } from "../range-record.ts";
import { rangesIn } from "../read-content.ts";
import type { AccessLists } from "../security/access-lists.ts";
import { printSddl } from "../security/sddl.ts";
import { openShare } from "../shares.ts";
import { findStream, type HeldStreams, readStreams, shownStream } from "../streams.ts";
import type { View } from "../versions.ts";
import { type Granted, judgeOpen, type RightsWish } from "./open-rights.ts";

/** A file or directory as a share snapshot has it. Nobody has anything open in the past: there is nothing to check. */
export interface Past {
  readonly ref: PathRef;
  /** Of a named stream with the times and attributes of its file. */
  readonly node: Node;
  /** The file or directory itself, which a named stream belongs to. */
  readonly base: Node;
  find(read: Reader): Promise<{ readonly share: ShareRecord; readonly view: View; readonly node: Node }>;
}

/** Throws ShareSnapshotNotFound, or what finding the path throws. */
export async function openPast(files: FileService, ref: PathRef, stream?: string): Promise<Past> {
  const opened = await files.parts.store.read(async (read) => {
    const { share, view } = await openShare(read, ref);
    const base = await findAny(view, share.id, ref.path);
    if (stream === undefined) return { share: share.id, node: base, base };
    const found = await findStream(view, share.id, base, stream);
    if (found === undefined) throw new Refusal("ResourceNotFound");
    const record = shownStream(base.record, found.record);
    return { share: share.id, node: { id: found.id, record }, base };
  });
  const { node, base } = opened;
  return {
    ref,
    node,
    base,
    find: async (read) => {
      const { share, view } = await openShare(read, ref);
      if (share.id !== opened.share) throw new Refusal("ShareNotFound");
      return { share, view, node };
    },
  };
}

/** What access lists, as they were then, grant to an open; "denied" when it needs more. */
export function judgePast(files: FileService, past: Past, rights: RightsWish): Promise<Granted | "denied"> {
  return files.parts.store.read(async (read) => {
    const { share, view } = await past.find(read);
    return judgeOpen({ read, view, share: share.id }, past.base, rights, 0);
  });
}

export function readPastSecurity(
  files: FileService,
  past: Past,
  lists: AccessLists | undefined,
): Promise<string> {
  return files.parts.store.read(async (read) => {
    const { share, node } = await past.find(read);
    if (lists !== undefined) return printSddl((await lists.guardOf(read, share.id, node.record)).descriptor);
    const { permission } = node.record;
    return permission === undefined ? DEFAULT_SDDL : findPermission(read, share.id, permission);
  });
}

export function listPastStreams(files: FileService, past: Past): Promise<HeldStreams> {
  return files.parts.store.read(async (read) => {
    const { share, view } = await past.find(read);
    return { base: past.base, named: await readStreams(view, share.id, past.base) };
  });
}

export function listPastRanges(
  files: FileService,
  past: Past,
  part: { readonly from: number; readonly to: number },
): Promise<readonly { readonly from: number; readonly to: number }[]> {
  return files.parts.store.read(async (read) => {
    const { share, view, node } = await past.find(read);
    return writtenSpans(view, share.id, node, part);
  });
}

/** Written ranges in [from, to), those that touch made one. */
export async function writtenSpans(
  view: View,
  share: bigint,
  { record: { content, size } }: Node,
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
