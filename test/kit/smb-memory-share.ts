import type { FoundInode, InodeKind, Opened, OpenRequest, Share } from "../../src/smb/file-system.ts";
import { ACCESS, ATTRIBUTE, CREATE_ACTION, DISPOSITION } from "../../src/smb/wire/create.ts";
import type { FileTime } from "../../src/smb/wire/filetime.ts";
import { refuse, STATUS } from "../../src/smb/wire/status.ts";
import { MemoryHandle } from "./smb-memory-handle.ts";
import { changedEas, fold, MemoryInode } from "./smb-memory-node.ts";

const STORED_ATTRIBUTES = 0x5127;
const TOTAL_BYTES = 2 ** 40;
const WRITES = ACCESS.WRITE_DATA | ACCESS.APPEND_DATA;

export class MemoryShare implements Share {
  readonly name: string;
  readonly id: bigint;
  readonly createdAt: FileTime;
  readonly now: () => FileTime;
  readonly root: MemoryInode;
  #lastInode = 1n;

  constructor(input: { readonly name: string; readonly id: bigint; readonly now: () => FileTime }) {
    this.name = input.name;
    this.id = input.id;
    this.now = input.now;
    this.createdAt = input.now();
    this.root = this.#newInode("directory", "", undefined, ATTRIBUTE.DIRECTORY);
  }

  #newInode(kind: InodeKind, name: string, parent: MemoryInode | undefined, attributes: number): MemoryInode {
    return new MemoryInode({ id: ++this.#lastInode, kind, name, parent, attributes, now: this.now() });
  }

  async space() {
    return { totalBytes: TOTAL_BYTES, freeBytes: TOTAL_BYTES / 2 };
  }

  async snapshots(): Promise<readonly FileTime[]> {
    return [];
  }

  directoryAt(path: readonly string[]): MemoryInode {
    let inode = this.root;
    for (const name of path) {
      const next = inode.children.get(fold(name));
      if (next?.kind !== "directory") throw refuse(STATUS.OBJECT_PATH_NOT_FOUND);
      inode = next;
    }
    return inode;
  }

  inodeAt(path: readonly string[]): MemoryInode | undefined {
    if (path.length === 0) return this.root;
    return this.directoryAt(path.slice(0, -1)).children.get(fold(path.at(-1)!));
  }

  async find(path: readonly string[]): Promise<FoundInode | undefined> {
    const inode = this.inodeAt(path);
    return inode === undefined ? undefined : { inode: inode.id, kind: inode.kind };
  }

  async open(request: OpenRequest): Promise<Opened> {
    if (request.snapshot !== undefined) throw refuse(STATUS.OBJECT_NAME_NOT_FOUND);
    const inode = this.inodeAt(request.path);
    return inode === undefined ? this.#create(request) : this.#open(request, inode);
  }

  #create(request: OpenRequest): Opened {
    const { path, disposition, attributes, kind = "file" } = request;
    if (disposition === DISPOSITION.OPEN || disposition === DISPOSITION.OVERWRITE)
      throw refuse(STATUS.OBJECT_NAME_NOT_FOUND);
    const parent = this.directoryAt(path.slice(0, -1));
    if (parent.isDeletePending) throw refuse(STATUS.DELETE_PENDING);
    if (request.isDeleteOnClose && (attributes & ATTRIBUTE.READONLY) !== 0)
      throw refuse(STATUS.CANNOT_DELETE);
    const kept =
      kind === "directory"
        ? ATTRIBUTE.DIRECTORY | (attributes & STORED_ATTRIBUTES)
        : (attributes | ATTRIBUTE.ARCHIVE) & STORED_ATTRIBUTES;
    const inode = this.#newInode(kind, path.at(-1)!, parent, kept);
    if (request.security !== undefined) inode.sddl = request.security;
    inode.eas = changedEas([], request.extendedAttributes ?? []);
    inode.reserved = request.allocationSize ?? 0;
    parent.children.set(fold(inode.name), inode);
    parent.writtenAt = this.now();
    const access = request.access | request.optionalAccess;
    return this.#opened(request, inode, { action: CREATE_ACTION.CREATED, access });
  }

  #open(request: OpenRequest, inode: MemoryInode): Opened {
    const { disposition, kind, attributes } = request;
    if (inode.isDeletePending) throw refuse(STATUS.DELETE_PENDING);
    if (disposition === DISPOSITION.CREATE) throw refuse(STATUS.OBJECT_NAME_COLLISION);
    if (kind === "directory" && inode.kind === "file") throw refuse(STATUS.NOT_A_DIRECTORY);
    if (kind === "file" && inode.kind === "directory") throw refuse(STATUS.FILE_IS_A_DIRECTORY);
    const isOverwriting = disposition !== DISPOSITION.OPEN && disposition !== DISPOSITION.OPEN_IF;
    if (isOverwriting && inode.kind === "directory") throw refuse(STATUS.OBJECT_NAME_COLLISION);
    const isReadOnly = inode.kind === "file" && (inode.attributes & ATTRIBUTE.READONLY) !== 0;
    if (isReadOnly && ((request.access & WRITES) !== 0 || isOverwriting)) throw refuse(STATUS.ACCESS_DENIED);
    if (isReadOnly && request.isDeleteOnClose) throw refuse(STATUS.CANNOT_DELETE);
    const hidden = inode.attributes & (ATTRIBUTE.HIDDEN | ATTRIBUTE.SYSTEM) & ~attributes;
    if (isOverwriting && hidden !== 0) throw refuse(STATUS.ACCESS_DENIED);
    const isUnknown =
      request.ignoresExtendedAttributes === true && inode.eas.some(({ isNeeded }) => isNeeded);
    if (isUnknown) throw refuse(STATUS.ACCESS_DENIED);
    const access = request.access | (isReadOnly ? request.optionalAccess & ~WRITES : request.optionalAccess);
    const overwritten =
      (isOverwriting ? ACCESS.WRITE_DATA : 0) | (disposition === DISPOSITION.SUPERSEDE ? ACCESS.DELETE : 0);
    checkSharing(inode, access | overwritten, request.share);
    if (!isOverwriting) return this.#opened(request, inode, { action: CREATE_ACTION.OPENED, access });
    inode.truncate(0);
    inode.eas = changedEas([], request.extendedAttributes ?? []);
    inode.reserved = request.allocationSize ?? 0;
    inode.attributes = (attributes | ATTRIBUTE.ARCHIVE) & STORED_ATTRIBUTES;
    inode.writtenAt = this.now();
    inode.changedAt = inode.writtenAt;
    const isSuperseded = disposition === DISPOSITION.SUPERSEDE;
    const action = isSuperseded ? CREATE_ACTION.SUPERSEDED : CREATE_ACTION.OVERWRITTEN;
    return this.#opened(request, inode, { action, access });
  }

  #opened(
    request: OpenRequest,
    inode: MemoryInode,
    { action, access }: { readonly action: number; readonly access: number },
  ): Opened {
    const handle = new MemoryHandle({ share: this, target: inode, access, request });
    inode.handles.add(handle);
    return { handle, action, access, info: inode.info() };
  }
}

const USES: readonly (readonly [number, number])[] = [
  [ACCESS.READ_DATA | ACCESS.EXECUTE, 1],
  [WRITES, 2],
  [ACCESS.DELETE, 4],
];

/** Each must let the other do what it came for. */
function checkSharing(inode: MemoryInode, access: number, share: number): void {
  for (const other of inode.handles) {
    for (const [bits, shared] of USES) {
      const isData = (mask: number): boolean => USES.some(([use]) => (mask & use) !== 0);
      if (!isData(access) || !isData(other.access)) continue;
      const isKeptOut = (access & bits) !== 0 && (other.shareAccess & shared) === 0;
      const keepsOut = (other.access & bits) !== 0 && (share & shared) === 0;
      if (isKeptOut || keepsOut) throw refuse(STATUS.SHARING_VIOLATION);
    }
  }
}
