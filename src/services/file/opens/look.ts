import { RIGHT } from "../../../concurrency/acl.ts";
import type { Reader } from "../../../store/kv.ts";
import type { ShareRecord } from "../../../store/records/file.ts";
import type { FileService } from "../file-service.ts";
import { findPlace, type Inode, ROOT, readInode } from "../inodes.ts";
import type { PathRef } from "../names.ts";
import { readShare } from "../shares.ts";
import { findStream } from "../streams.ts";
import { LiveView, type View } from "../versions.ts";
import type { StillGranted } from "./make-node.ts";
import type { OpenRequest } from "./open-inode.ts";
import { type Granted, isSameGrant, judgeOpen } from "./open-rights.ts";

/** Where the path led before anything was decided. */
export interface Found {
  readonly share: ShareRecord;
  readonly above: readonly bigint[];
  readonly name: string;
  readonly path: readonly string[];
  readonly inode: Inode | undefined;
  /** Where a named stream is asked for: what it belongs to, or shall belong to. */
  readonly base: Inode | "new" | undefined;
  readonly stream: string | undefined;
  /** What access lists say, to be confirmed when the open is done. */
  readonly judged: Granted | "denied" | undefined;
}

export async function look(read: Reader, request: OpenRequest): Promise<Found> {
  const { ref, stream, rights } = request;
  const found = await follow(read, ref, stream);
  return stream === undefined && rights === undefined ? found : lookFurther(read, request, found);
}

async function follow(read: Reader, ref: PathRef, stream: string | undefined): Promise<Found> {
  const share = await readShare(read, ref);
  const view = new LiveView(read);
  if (ref.path.length === 0) {
    const inode = { id: ROOT, record: await readInode(view, share.id, ROOT) };
    return { share, above: [], name: "", path: [], inode, base: undefined, stream, judged: undefined };
  }
  const { above, name, entry, path } = await findPlace(view, share.id, ref.path);
  const inode = entry && { id: entry.inode, record: await readInode(view, share.id, entry.inode) };
  return { share, above, name, path, inode, base: undefined, stream, judged: undefined };
}

/** What is left when the path has been followed: the stream, if one is asked for, and what access lists say. */
async function lookFurther(read: Reader, request: OpenRequest, found: Found): Promise<Found> {
  const { stream } = request;
  const whole = stream === undefined ? found : await lookBeside(new LiveView(read), found, stream);
  const guarded = guardedBy(whole);
  return guarded === undefined ? whole : { ...whole, judged: await judge(read, whole, guarded, request) };
}

/** The named stream of what was found. */
async function lookBeside(view: View, found: Found, name: string): Promise<Found> {
  const { share, inode: base } = found;
  if (base === undefined) return { ...found, base: "new" };
  const inode = await findStream(view, share.id, base, name);
  return { ...found, inode, base, above: [...found.above, base.id], stream: inode?.record.name ?? name };
}

/** Whose list decides: that of a stream is its file's. Nothing, where something is to be made in a directory. */
const guardedBy = ({ base, inode }: Pick<Found, "base" | "inode">): Inode | undefined =>
  isStored(base) ? base : inode;

/** What access lists say to an open of what is there; undefined where they are not enforced. */
function judge(
  read: Reader,
  { share, inode }: Pick<Found, "share" | "inode">,
  guarded: Inode,
  request: OpenRequest,
): Promise<Granted | "denied"> | undefined {
  const { rights, disposition, isDeleteOnClose } = request;
  if (rights === undefined) return undefined;
  // A stream that is not there yet is written into its file.
  const replaced = isOverwriting(request) || inode === undefined ? RIGHT.WRITE_DATA : 0;
  const superseded = disposition === "supersede" ? RIGHT.DELETE : 0;
  const needed = replaced | superseded | (isDeleteOnClose === true ? RIGHT.DELETE : 0);
  return judgeOpen({ read, view: new LiveView(read), share: share.id }, guarded, rights, needed);
}

/** Whether access lists deny an open of what is there now. Others are not disturbed for one that will be refused. */
export async function isOpenDenied(files: FileService, request: OpenRequest): Promise<boolean> {
  if (request.rights === undefined) return false;
  const { judged } = await files.parts.store.read((read) => look(read, request));
  return judged === "denied";
}

export const isOverwriting = ({ disposition }: OpenRequest): boolean =>
  disposition === "supersede" || disposition === "overwrite" || disposition === "overwriteIf";

export function isStored(base: Found["base"]): base is Inode {
  return base !== undefined && base !== "new";
}

/** The lists may have changed since they were read: then all begins again. */
export function stillGranted(request: OpenRequest, found: Found): StillGranted {
  const { judged } = found;
  const guarded = guardedBy(found);
  return (read, record) => {
    if (guarded === undefined || judged === undefined || judged === "denied") return undefined;
    return judge(read, found, { id: guarded.id, record }, request)?.then((now) => isSameGrant(judged, now));
  };
}
