import type { FoundNode, NodeKind, Opened, OpenRequest, Share } from "../../src/smb/file-system.ts";
import { refuse, STATUS } from "../../src/smb/status.ts";
import { ACCESS, ATTRIBUTE, CREATE_ACTION, DISPOSITION } from "../../src/smb/wire/create.ts";
import type { FileTime } from "../../src/smb/wire/filetime.ts";
import { MemoryHandle } from "./smb-memory-handle.ts";
import { changedEas, fold, MemoryNode } from "./smb-memory-node.ts";

const STORED_ATTRIBUTES = 0x5127;
const TOTAL_BYTES = 2 ** 40;
const WRITES = ACCESS.WRITE_DATA | ACCESS.APPEND_DATA;

export class MemoryShare implements Share {
  readonly name: string;
  readonly id: bigint;
  readonly createdAt: FileTime;
  readonly now: () => FileTime;
  readonly root: MemoryNode;
  #lastNode = 1n;

  constructor(input: { readonly name: string; readonly id: bigint; readonly now: () => FileTime }) {
    this.name = input.name;
    this.id = input.id;
    this.now = input.now;
    this.createdAt = input.now();
    this.root = this.#newNode("directory", "", undefined, ATTRIBUTE.DIRECTORY);
  }

  #newNode(kind: NodeKind, name: string, parent: MemoryNode | undefined, attributes: number): MemoryNode {
    return new MemoryNode({ id: ++this.#lastNode, kind, name, parent, attributes, now: this.now() });
  }

  async space() {
    return { totalBytes: TOTAL_BYTES, freeBytes: TOTAL_BYTES / 2 };
  }

  async snapshots(): Promise<readonly FileTime[]> {
    return [];
  }

  directoryAt(path: readonly string[]): MemoryNode {
    let node = this.root;
    for (const name of path) {
      const next = node.children.get(fold(name));
      if (next?.kind !== "directory") throw refuse(STATUS.OBJECT_PATH_NOT_FOUND);
      node = next;
    }
    return node;
  }

  nodeAt(path: readonly string[]): MemoryNode | undefined {
    if (path.length === 0) return this.root;
    return this.directoryAt(path.slice(0, -1)).children.get(fold(path.at(-1)!));
  }

  async find(path: readonly string[]): Promise<FoundNode | undefined> {
    const node = this.nodeAt(path);
    return node === undefined ? undefined : { node: node.id, kind: node.kind };
  }

  async open(request: OpenRequest): Promise<Opened> {
    if (request.snapshot !== undefined) throw refuse(STATUS.OBJECT_NAME_NOT_FOUND);
    const node = this.nodeAt(request.path);
    return node === undefined ? this.#create(request) : this.#open(request, node);
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
    const node = this.#newNode(kind, path.at(-1)!, parent, kept);
    if (request.security !== undefined) node.sddl = request.security;
    node.eas = changedEas([], request.extendedAttributes ?? []);
    node.reserved = request.allocationSize ?? 0;
    parent.children.set(fold(node.name), node);
    parent.writtenAt = this.now();
    const access = request.access | request.optionalAccess;
    return this.#opened(request, node, { action: CREATE_ACTION.CREATED, access });
  }

  #open(request: OpenRequest, node: MemoryNode): Opened {
    const { disposition, kind, attributes } = request;
    if (node.isDeletePending) throw refuse(STATUS.DELETE_PENDING);
    if (disposition === DISPOSITION.CREATE) throw refuse(STATUS.OBJECT_NAME_COLLISION);
    if (kind === "directory" && node.kind === "file") throw refuse(STATUS.NOT_A_DIRECTORY);
    if (kind === "file" && node.kind === "directory") throw refuse(STATUS.FILE_IS_A_DIRECTORY);
    const isOverwriting = disposition !== DISPOSITION.OPEN && disposition !== DISPOSITION.OPEN_IF;
    if (isOverwriting && node.kind === "directory") throw refuse(STATUS.OBJECT_NAME_COLLISION);
    const isReadOnly = node.kind === "file" && (node.attributes & ATTRIBUTE.READONLY) !== 0;
    if (isReadOnly && ((request.access & WRITES) !== 0 || isOverwriting)) throw refuse(STATUS.ACCESS_DENIED);
    if (isReadOnly && request.isDeleteOnClose) throw refuse(STATUS.CANNOT_DELETE);
    const hidden = node.attributes & (ATTRIBUTE.HIDDEN | ATTRIBUTE.SYSTEM) & ~attributes;
    if (isOverwriting && hidden !== 0) throw refuse(STATUS.ACCESS_DENIED);
    const isUnknown = request.ignoresExtendedAttributes === true && node.eas.some(({ isNeeded }) => isNeeded);
    if (isUnknown) throw refuse(STATUS.ACCESS_DENIED);
    const access = request.access | (isReadOnly ? request.optionalAccess & ~WRITES : request.optionalAccess);
    const overwritten =
      (isOverwriting ? ACCESS.WRITE_DATA : 0) | (disposition === DISPOSITION.SUPERSEDE ? ACCESS.DELETE : 0);
    checkSharing(node, access | overwritten, request.share);
    if (!isOverwriting) return this.#opened(request, node, { action: CREATE_ACTION.OPENED, access });
    node.truncate(0);
    node.eas = changedEas([], request.extendedAttributes ?? []);
    node.reserved = request.allocationSize ?? 0;
    node.attributes = (attributes | ATTRIBUTE.ARCHIVE) & STORED_ATTRIBUTES;
    node.writtenAt = this.now();
    node.changedAt = node.writtenAt;
    const isSuperseded = disposition === DISPOSITION.SUPERSEDE;
    const action = isSuperseded ? CREATE_ACTION.SUPERSEDED : CREATE_ACTION.OVERWRITTEN;
    return this.#opened(request, node, { action, access });
  }

  #opened(
    request: OpenRequest,
    node: MemoryNode,
    { action, access }: { readonly action: number; readonly access: number },
  ): Opened {
    const handle = new MemoryHandle({ share: this, target: node, access, request });
    node.handles.add(handle);
    return { handle, action, access, info: node.info() };
  }
}

const USES: readonly (readonly [number, number])[] = [
  [ACCESS.READ_DATA | ACCESS.EXECUTE, 1],
  [WRITES, 2],
  [ACCESS.DELETE, 4],
];

/** Each must let the other do what it came for. */
function checkSharing(node: MemoryNode, access: number, share: number): void {
  for (const other of node.handles) {
    for (const [bits, shared] of USES) {
      const isData = (mask: number): boolean => USES.some(([use]) => (mask & use) !== 0);
      if (!isData(access) || !isData(other.access)) continue;
      const isKeptOut = (access & bits) !== 0 && (other.shareAccess & shared) === 0;
      const keepsOut = (other.access & bits) !== 0 && (share & shared) === 0;
      if (isKeptOut || keepsOut) throw refuse(STATUS.SHARING_VIOLATION);
    }
  }
}
