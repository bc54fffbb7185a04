import { RIGHT } from "../../../concurrency/acl.ts";
import type { Reader } from "../../../store/kv.ts";
import type { InodeRecord, ShareRecord } from "../../../store/records/file.ts";
import type { FileService } from "../file-service.ts";
import { findPlace, type Inode, ROOT, readInode } from "../inodes.ts";
import { readShare } from "../shares.ts";
import { findStream } from "../streams.ts";
import { LiveView } from "../versions.ts";
import { isOverwriting, type OpenRequest } from "./open-request.ts";
import { checkGrant, type Granted, isSameGrant } from "./open-rights.ts";

/** Where the path of an open leads, in a transaction before the one that decides. */
export interface OpenTarget {
  readonly share: ShareRecord;
  readonly ancestors: readonly bigint[];
  readonly name: string;
  readonly path: readonly string[];
  readonly inode: Inode | undefined;
  /** For a named stream: the file or directory it belongs to, or will belong to. */
  readonly base: Inode | "new" | undefined;
  readonly stream: string | undefined;
  /** What the ACLs grant, to be confirmed when the open commits; undefined where they are not enforced. */
  readonly granted: Granted | "denied" | undefined;
}

export async function findTarget(read: Reader, request: OpenRequest): Promise<OpenTarget> {
  const { ref, stream, rights } = request;
  const share = await readShare(read, ref);
  const view = new LiveView(read);
  const isRoot = ref.path.length === 0;
  const { above, name, entry, path } = isRoot ? ROOT_PLACE : await findPlace(view, share.id, ref.path);
  const inode = entry && { id: entry.inode, record: await readInode(view, share.id, entry.inode) };
  const target = { share, ancestors: above, name, path, inode, base: undefined, stream, granted: undefined };
  if (stream === undefined && rights === undefined) return target;
  const found = stream === undefined ? target : await findStreamTarget(view, target, stream);
  const guarded = guardedBy(found);
  return guarded === undefined ? found : { ...found, granted: await grantTo(read, found, guarded, request) };
}

const ROOT_PLACE = { above: [], name: "", entry: { inode: ROOT }, path: [] } as const;

async function findStreamTarget(view: LiveView, target: OpenTarget, name: string): Promise<OpenTarget> {
  const { share, inode: base, ancestors } = target;
  if (base === undefined) return { ...target, base: "new" };
  const inode = await findStream(view, share.id, base, name);
  return { ...target, inode, base, ancestors: [...ancestors, base.id], stream: inode?.record.name ?? name };
}

/** The inode whose ACL decides: the base of a stream. Undefined when the open creates a file or directory. */
const guardedBy = ({ base, inode }: Pick<OpenTarget, "base" | "inode">): Inode | undefined =>
  isStored(base) ? base : inode;

function grantTo(
  read: Reader,
  { share, inode }: Pick<OpenTarget, "share" | "inode">,
  guarded: Inode,
  request: OpenRequest,
): Promise<Granted | "denied"> | undefined {
  const { rights, disposition, isDeleteOnClose } = request;
  if (rights === undefined) return undefined;
  // Creating a stream writes to its file.
  const written = isOverwriting(request) || inode === undefined ? RIGHT.WRITE_DATA : 0;
  const isDeleting = disposition === "supersede" || isDeleteOnClose === true;
  const needed = written | (isDeleting ? RIGHT.DELETE : 0);
  return checkGrant({ read, view: new LiveView(read), share: share.id }, guarded, rights, needed);
}

/** Whether ACLs deny an open now: a refused open breaks no caches of other clients. */
export async function isOpenDenied(files: FileService, request: OpenRequest): Promise<boolean> {
  if (request.rights === undefined) return false;
  return (await files.parts.store.read((read) => findTarget(read, request))).granted === "denied";
}

export function isStored(base: OpenTarget["base"]): base is Inode {
  return base !== undefined && base !== "new";
}

/** Whether ACLs still grant what they did; undefined where they are not enforced. */
export type StillGranted = (read: Reader, record: InodeRecord) => Promise<boolean> | undefined;

/** The open starts again when an ACL has changed since it was read. */
export function stillGranted(request: OpenRequest, target: OpenTarget): StillGranted {
  const { granted } = target;
  const guarded = guardedBy(target);
  return (read, record) => {
    if (guarded === undefined || granted === undefined || granted === "denied") return undefined;
    const now = grantTo(read, target, { id: guarded.id, record }, request);
    return now?.then((again) => isSameGrant(granted, again));
  };
}
