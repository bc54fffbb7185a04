import { parseSddl, printSddl } from "../../src/services/file/security/sddl.ts";
import {
  mergeSecurityParts,
  type SecurityDescriptor,
} from "../../src/services/file/security/security-descriptor.ts";
import type {
  FileHandle,
  FileInfo,
  InfoChange,
  InodeKind,
  ListedEntry,
  LockRange,
  OpenRequest,
  TimeChange,
} from "../../src/smb/file-system.ts";
import { ATTRIBUTE, SHARE_ACCESS } from "../../src/smb/wire/create.ts";
import type { ExtendedAttribute } from "../../src/smb/wire/extended-attributes.ts";
import type { FileTime } from "../../src/smb/wire/filetime.ts";
import { refuse, STATUS } from "../../src/smb/wire/status.ts";
import { changedEas, fold, type HandleLock, type MemoryInode } from "./smb-memory-node.ts";
import type { MemoryShare } from "./smb-memory-share.ts";

type TimeName = "createdAt" | "accessedAt" | "writtenAt" | "changedAt";
const TIMES: readonly TimeName[] = ["createdAt", "accessedAt", "writtenAt", "changedAt"];
const SETTABLE = 0x3fa7;

export class MemoryHandle implements FileHandle {
  readonly access: number;
  readonly shareAccess: number;
  readonly #share: MemoryShare;
  readonly #inode: MemoryInode;
  readonly #isDeleteOnClose: boolean;
  readonly #held = new Set<TimeName>();
  isClosed = false;

  constructor(input: {
    readonly share: MemoryShare;
    readonly target: MemoryInode;
    readonly access: number;
    readonly request: OpenRequest;
  }) {
    this.#share = input.share;
    this.#inode = input.target;
    this.access = input.access;
    this.shareAccess = input.request.share;
    this.#isDeleteOnClose = input.request.isDeleteOnClose;
  }

  get inode(): bigint {
    return this.#inode.id;
  }

  get kind(): InodeKind {
    return this.#inode.kind;
  }

  async info(): Promise<FileInfo> {
    return this.#inode.info();
  }

  infoAtClose(): Promise<FileInfo> {
    return this.info();
  }

  async read(offset: number, length: number): Promise<readonly Buffer[]> {
    const range = { offset: BigInt(offset), length: BigInt(length), isExclusive: false };
    const isLocked = this.#inode.locks.some(
      (lock) => lock.isExclusive && lock.handle !== this && meets(lock, range),
    );
    if (isLocked) throw refuse(STATUS.FILE_LOCK_CONFLICT);
    return this.#inode.read(offset, length);
  }

  async write(offset: number, data: Buffer): Promise<void> {
    this.#checkWrite(offset, data.length);
    this.#inode.write(offset, data);
    this.#touch("writtenAt", "changedAt");
    this.#inode.attributes |= ATTRIBUTE.ARCHIVE;
  }

  #checkWrite(offset: number, length: number): void {
    const range = { offset: BigInt(offset), length: BigInt(length), isExclusive: true };
    const isLocked = this.#inode.locks.some(
      (lock) => !(lock.isExclusive && lock.handle === this) && meets(lock, range),
    );
    if (isLocked) throw refuse(STATUS.FILE_LOCK_CONFLICT);
  }

  #touch(...names: readonly TimeName[]): void {
    for (const name of names) if (!this.#held.has(name)) this.#inode[name] = this.#share.now();
  }

  async flush(): Promise<void> {}

  async close(): Promise<boolean> {
    this.isClosed = true;
    const inode = this.#inode;
    inode.handles.delete(this);
    inode.locks = inode.locks.filter((lock) => lock.handle !== this);
    if (this.#isDeleteOnClose && inode.parent !== undefined) inode.isDeletePending = true;
    if (!inode.isDeletePending || inode.handles.size > 0 || inode.isRemoved) return false;
    if (inode.children.size > 0) {
      inode.isDeletePending = false;
      return false;
    }
    inode.isRemoved = true;
    inode.parent?.children.delete(fold(inode.name));
    if (inode.parent !== undefined) inode.parent.writtenAt = this.#share.now();
    return true;
  }

  async change(change: InfoChange): Promise<void> {
    for (const name of TIMES) this.#setTime(name, change[name]);
    if (change.attributes !== undefined) {
      const kept = change.attributes & SETTABLE & ~ATTRIBUTE.NORMAL;
      this.#inode.attributes = this.kind === "directory" ? kept | ATTRIBUTE.DIRECTORY : kept;
    }
    if (change.changedAt === undefined) this.#touch("changedAt");
  }

  #setTime(name: TimeName, value: TimeChange): void {
    if (value === undefined) return;
    if (value === "resume") this.#held.delete(name);
    else this.#held.add(name);
    if (typeof value === "bigint") this.#inode[name] = value as FileTime;
  }

  async setEndOfFile(size: number): Promise<void> {
    const { size: before } = this.#inode;
    if (size !== before) this.#checkWrite(Math.min(size, before), Math.abs(size - before));
    this.#inode.truncate(size);
    this.#touch("writtenAt", "changedAt");
  }

  async setAllocation(size: number): Promise<void> {
    if (size < this.#inode.size) await this.setEndOfFile(size);
    this.#inode.reserved = Math.ceil(size / 4_096) * 4_096;
    this.#touch("writtenAt");
  }

  async setDeletePending(isPending: boolean): Promise<void> {
    const inode = this.#inode;
    if (isPending) {
      if (inode.parent === undefined) throw refuse(STATUS.ACCESS_DENIED);
      if ((inode.attributes & ATTRIBUTE.READONLY) !== 0) throw refuse(STATUS.CANNOT_DELETE);
      if (inode.children.size > 0) throw refuse(STATUS.DIRECTORY_NOT_EMPTY);
    }
    inode.isDeletePending = isPending;
  }

  async rename(path: readonly string[], isReplacing: boolean): Promise<readonly string[]> {
    const inode = this.#inode;
    if (inode.parent === undefined) throw refuse(STATUS.ACCESS_DENIED);
    for (const other of inode.handles)
      if (other !== this && isDataAccess(other.access) && (other.shareAccess & SHARE_ACCESS.DELETE) === 0)
        throw refuse(STATUS.SHARING_VIOLATION);
    if (inode.kind === "directory" && hasOpenBelow(inode)) throw refuse(STATUS.ACCESS_DENIED);
    const parent = this.#share.directoryAt(path.slice(0, -1));
    const name = path.at(-1)!;
    const target = parent.children.get(fold(name));
    if (target !== undefined && target !== inode) {
      if (!isReplacing) throw refuse(STATUS.OBJECT_NAME_COLLISION);
      if (target.kind === "directory" || target.handles.size > 0) throw refuse(STATUS.ACCESS_DENIED);
      target.isRemoved = true;
    }
    // A rename opens the directory it puts the name into: for adding, letting others read and write.
    for (const other of parent.handles) {
      const keepsOut = isDataAccess(other.access) && (other.shareAccess & SHARE_ACCESS.WRITE) === 0;
      if (keepsOut || (other.access & 0x1_0000) !== 0) throw refuse(STATUS.SHARING_VIOLATION);
    }
    inode.parent.children.delete(fold(inode.name));
    inode.name = name;
    inode.parent = parent;
    parent.children.set(fold(name), inode);
    this.#touch("changedAt");
    return path;
  }

  async list(after: string | undefined, limit: number): Promise<readonly ListedEntry[]> {
    const names = this.#sorted(after === undefined);
    const start = after === undefined ? 0 : names.findIndex((name) => name > fold(after));
    if (start < 0) return [];
    return names.slice(start, start + limit).flatMap((name) => {
      const inode = this.#inode.children.get(name);
      return inode === undefined ? [] : [{ name: inode.name, info: inode.info() }];
    });
  }

  #names: readonly string[] | undefined;

  /** Sorted once for a listing: its order must not change while it goes on. */
  #sorted(isStart: boolean): readonly string[] {
    if (isStart || this.#names === undefined) this.#names = [...this.#inode.children.keys()].sort();
    return this.#names;
  }

  async parent(): Promise<FileInfo | undefined> {
    return this.#inode.parent?.info();
  }

  async lock(ranges: readonly LockRange[]): Promise<void> {
    const taken: HandleLock[] = [];
    for (const range of ranges) {
      const isBlocked = [...this.#inode.locks, ...taken].some((held) => {
        if (!meets(held, range)) return false;
        return range.isExclusive || (held.isExclusive && held.handle !== this);
      });
      if (isBlocked) throw refuse(STATUS.LOCK_NOT_GRANTED);
      taken.push({ ...range, handle: this });
    }
    this.#inode.locks.push(...taken);
  }

  async unlock(offset: bigint, length: bigint): Promise<void> {
    const { locks } = this.#inode;
    const isMeant = (lock: HandleLock): boolean =>
      lock.handle === this && lock.offset === offset && lock.length === length;
    const exclusive = locks.findIndex((lock) => isMeant(lock) && lock.isExclusive);
    const at = exclusive < 0 ? locks.findIndex(isMeant) : exclusive;
    if (at < 0) throw refuse(STATUS.RANGE_NOT_LOCKED);
    locks.splice(at, 1);
  }

  async zero(from: number, to: number): Promise<void> {
    this.#checkWrite(from, to - from);
    this.#inode.zero(from, to);
    this.#touch("writtenAt", "changedAt");
  }

  async allocatedRanges(from: number, to: number) {
    return this.#inode.ranges(from, to);
  }

  async security(): Promise<string> {
    return this.#inode.sddl;
  }

  async extendedAttributes(): Promise<readonly ExtendedAttribute[]> {
    return this.#inode.eas;
  }

  async setExtendedAttributes(changes: readonly ExtendedAttribute[]): Promise<void> {
    this.#inode.eas = changedEas(this.#inode.eas, changes);
    this.#touch("changedAt");
  }

  async setSecurity(given: SecurityDescriptor, parts: number): Promise<void> {
    this.#inode.sddl = printSddl(mergeSecurityParts(parseSddl(this.#inode.sddl), given, parts));
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

function hasOpenBelow(inode: MemoryInode): boolean {
  for (const child of inode.children.values()) if (child.handles.size > 0 || hasOpenBelow(child)) return true;
  return false;
}
