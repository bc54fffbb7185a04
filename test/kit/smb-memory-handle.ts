import { parseSddl, printSddl } from "../../src/services/file/security/sddl.ts";
import {
  mergeSecurityParts,
  type SecurityDescriptor,
} from "../../src/services/file/security/security-descriptor.ts";
import type {
  FileHandle,
  FileInfo,
  InfoChange,
  ListedEntry,
  LockRange,
  NodeKind,
  OpenRequest,
  TimeChange,
} from "../../src/smb/file-system.ts";
import { refuse, STATUS } from "../../src/smb/status.ts";
import { ATTRIBUTE, SHARE_ACCESS } from "../../src/smb/wire/create.ts";
import type { ExtendedAttribute } from "../../src/smb/wire/extended-attributes.ts";
import type { FileTime } from "../../src/smb/wire/filetime.ts";
import { changedEas, fold, type HeldLock, type MemoryNode } from "./smb-memory-node.ts";
import type { MemoryShare } from "./smb-memory-share.ts";

type TimeName = "createdAt" | "accessedAt" | "writtenAt" | "changedAt";
const TIMES: readonly TimeName[] = ["createdAt", "accessedAt", "writtenAt", "changedAt"];
const SETTABLE = 0x3fa7;

export class MemoryHandle implements FileHandle {
  readonly access: number;
  readonly shareAccess: number;
  readonly #share: MemoryShare;
  readonly #node: MemoryNode;
  readonly #isDeleteOnClose: boolean;
  readonly #held = new Set<TimeName>();
  isClosed = false;

  constructor(input: {
    readonly share: MemoryShare;
    readonly target: MemoryNode;
    readonly access: number;
    readonly request: OpenRequest;
  }) {
    this.#share = input.share;
    this.#node = input.target;
    this.access = input.access;
    this.shareAccess = input.request.share;
    this.#isDeleteOnClose = input.request.isDeleteOnClose;
  }

  get node(): bigint {
    return this.#node.id;
  }

  get kind(): NodeKind {
    return this.#node.kind;
  }

  async info(): Promise<FileInfo> {
    return this.#node.info();
  }

  infoAtClose(): Promise<FileInfo> {
    return this.info();
  }

  async read(offset: number, length: number): Promise<readonly Buffer[]> {
    const range = { offset: BigInt(offset), length: BigInt(length), isExclusive: false };
    const isLocked = this.#node.locks.some(
      (lock) => lock.isExclusive && lock.handle !== this && meets(lock, range),
    );
    if (isLocked) throw refuse(STATUS.FILE_LOCK_CONFLICT);
    return this.#node.read(offset, length);
  }

  async write(offset: number, data: Buffer): Promise<void> {
    this.#checkWrite(offset, data.length);
    this.#node.write(offset, data);
    this.#touch("writtenAt", "changedAt");
    this.#node.attributes |= ATTRIBUTE.ARCHIVE;
  }

  #checkWrite(offset: number, length: number): void {
    const range = { offset: BigInt(offset), length: BigInt(length), isExclusive: true };
    const isLocked = this.#node.locks.some(
      (lock) => !(lock.isExclusive && lock.handle === this) && meets(lock, range),
    );
    if (isLocked) throw refuse(STATUS.FILE_LOCK_CONFLICT);
  }

  #touch(...names: readonly TimeName[]): void {
    for (const name of names) if (!this.#held.has(name)) this.#node[name] = this.#share.now();
  }

  async flush(): Promise<void> {}

  async close(): Promise<boolean> {
    this.isClosed = true;
    const node = this.#node;
    node.handles.delete(this);
    node.locks = node.locks.filter((lock) => lock.handle !== this);
    if (this.#isDeleteOnClose && node.parent !== undefined) node.isDeletePending = true;
    if (!node.isDeletePending || node.handles.size > 0 || node.isRemoved) return false;
    if (node.children.size > 0) {
      node.isDeletePending = false;
      return false;
    }
    node.isRemoved = true;
    node.parent?.children.delete(fold(node.name));
    if (node.parent !== undefined) node.parent.writtenAt = this.#share.now();
    return true;
  }

  async change(change: InfoChange): Promise<void> {
    for (const name of TIMES) this.#setTime(name, change[name]);
    if (change.attributes !== undefined) {
      const kept = change.attributes & SETTABLE & ~ATTRIBUTE.NORMAL;
      this.#node.attributes = this.kind === "directory" ? kept | ATTRIBUTE.DIRECTORY : kept;
    }
    if (change.changedAt === undefined) this.#touch("changedAt");
  }

  #setTime(name: TimeName, value: TimeChange): void {
    if (value === undefined) return;
    if (value === "resume") this.#held.delete(name);
    else this.#held.add(name);
    if (typeof value === "bigint") this.#node[name] = value as FileTime;
  }

  async setEndOfFile(size: number): Promise<void> {
    const { size: before } = this.#node;
    if (size !== before) this.#checkWrite(Math.min(size, before), Math.abs(size - before));
    this.#node.truncate(size);
    this.#touch("writtenAt", "changedAt");
  }

  async setAllocation(size: number): Promise<void> {
    if (size < this.#node.size) await this.setEndOfFile(size);
    this.#node.reserved = Math.ceil(size / 4_096) * 4_096;
    this.#touch("writtenAt");
  }

  async setDeletePending(isPending: boolean): Promise<void> {
    const node = this.#node;
    if (isPending) {
      if (node.parent === undefined) throw refuse(STATUS.ACCESS_DENIED);
      if ((node.attributes & ATTRIBUTE.READONLY) !== 0) throw refuse(STATUS.CANNOT_DELETE);
      if (node.children.size > 0) throw refuse(STATUS.DIRECTORY_NOT_EMPTY);
    }
    node.isDeletePending = isPending;
  }

  async rename(path: readonly string[], isReplacing: boolean): Promise<readonly string[]> {
    const node = this.#node;
    if (node.parent === undefined) throw refuse(STATUS.ACCESS_DENIED);
    for (const other of node.handles)
      if (other !== this && isDataAccess(other.access) && (other.shareAccess & SHARE_ACCESS.DELETE) === 0)
        throw refuse(STATUS.SHARING_VIOLATION);
    if (node.kind === "directory" && hasOpenBelow(node)) throw refuse(STATUS.ACCESS_DENIED);
    const parent = this.#share.directoryAt(path.slice(0, -1));
    const name = path.at(-1)!;
    const target = parent.children.get(fold(name));
    if (target !== undefined && target !== node) {
      if (!isReplacing) throw refuse(STATUS.OBJECT_NAME_COLLISION);
      if (target.kind === "directory" || target.handles.size > 0) throw refuse(STATUS.ACCESS_DENIED);
      target.isRemoved = true;
    }
    // A rename opens the directory it puts the name into: for adding, letting others read and write.
    for (const other of parent.handles) {
      const keepsOut = isDataAccess(other.access) && (other.shareAccess & SHARE_ACCESS.WRITE) === 0;
      if (keepsOut || (other.access & 0x1_0000) !== 0) throw refuse(STATUS.SHARING_VIOLATION);
    }
    node.parent.children.delete(fold(node.name));
    node.name = name;
    node.parent = parent;
    parent.children.set(fold(name), node);
    this.#touch("changedAt");
    return path;
  }

  async list(after: string | undefined, limit: number): Promise<readonly ListedEntry[]> {
    const names = this.#sorted(after === undefined);
    const start = after === undefined ? 0 : names.findIndex((name) => name > fold(after));
    if (start < 0) return [];
    return names.slice(start, start + limit).flatMap((name) => {
      const node = this.#node.children.get(name);
      return node === undefined ? [] : [{ name: node.name, info: node.info() }];
    });
  }

  #names: readonly string[] | undefined;

  /** Sorted once for a listing: its order must not change while it goes on. */
  #sorted(isStart: boolean): readonly string[] {
    if (isStart || this.#names === undefined) this.#names = [...this.#node.children.keys()].sort();
    return this.#names;
  }

  async parent(): Promise<FileInfo | undefined> {
    return this.#node.parent?.info();
  }

  async lock(ranges: readonly LockRange[]): Promise<void> {
    const taken: HeldLock[] = [];
    for (const range of ranges) {
      const isBlocked = [...this.#node.locks, ...taken].some((held) => {
        if (!meets(held, range)) return false;
        return range.isExclusive || (held.isExclusive && held.handle !== this);
      });
      if (isBlocked) throw refuse(STATUS.LOCK_NOT_GRANTED);
      taken.push({ ...range, handle: this });
    }
    this.#node.locks.push(...taken);
  }

  async unlock(offset: bigint, length: bigint): Promise<void> {
    const { locks } = this.#node;
    const isMeant = (lock: HeldLock): boolean =>
      lock.handle === this && lock.offset === offset && lock.length === length;
    const exclusive = locks.findIndex((lock) => isMeant(lock) && lock.isExclusive);
    const at = exclusive < 0 ? locks.findIndex(isMeant) : exclusive;
    if (at < 0) throw refuse(STATUS.RANGE_NOT_LOCKED);
    locks.splice(at, 1);
  }

  async zero(from: number, to: number): Promise<void> {
    this.#checkWrite(from, to - from);
    this.#node.zero(from, to);
    this.#touch("writtenAt", "changedAt");
  }

  async allocatedRanges(from: number, to: number) {
    return this.#node.ranges(from, to);
  }

  async security(): Promise<string> {
    return this.#node.sddl;
  }

  async extendedAttributes(): Promise<readonly ExtendedAttribute[]> {
    return this.#node.eas;
  }

  async setExtendedAttributes(changes: readonly ExtendedAttribute[]): Promise<void> {
    this.#node.eas = changedEas(this.#node.eas, changes);
    this.#touch("changedAt");
  }

  async setSecurity(given: SecurityDescriptor, parts: number): Promise<void> {
    this.#node.sddl = printSddl(mergeSecurityParts(parseSddl(this.#node.sddl), given, parts));
    this.#touch("changedAt");
  }
}

function meets(one: LockRange, other: LockRange): boolean {
  if (one.length === 0n && other.length === 0n) return false;
  return one.offset < other.offset + other.length && other.offset < one.offset + one.length;
}

function isDataAccess(access: number): boolean {
  return (access & 0x1_0027) !== 0;
}

function hasOpenBelow(node: MemoryNode): boolean {
  for (const child of node.children.values()) if (child.handles.size > 0 || hasOpenBelow(child)) return true;
  return false;
}
