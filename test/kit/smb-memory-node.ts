import { changeEas, type EaRecord, eaSizeOf } from "../../src/services/file/extended-attributes.ts";
import type { FileInfo, InodeKind, LockRange } from "../../src/smb/file-system.ts";
import { ATTRIBUTE } from "../../src/smb/wire/create.ts";
import type { FileTime } from "../../src/smb/wire/filetime.ts";
import type { MemoryHandle } from "./smb-memory-handle.ts";

/** Holes are kept at this size: small enough for what tests punch, large enough for files of a gigabyte. */
const CHUNK = 64 << 10;
const UNIT = 4_096;
const ZEROS = Buffer.alloc(CHUNK);

export const fold = (name: string): string => name.toUpperCase();

/** Values are views of the request that brought them. */
export function changedEas(present: readonly EaRecord[], changes: readonly EaRecord[]): readonly EaRecord[] {
  return changeEas(
    present,
    changes.map((ea) => ({ ...ea, value: Buffer.from(ea.value) })),
  );
}

export interface HandleLock extends LockRange {
  readonly handle: MemoryHandle;
}

/** A file or a directory. */
export class MemoryInode {
  readonly id: bigint;
  readonly kind: InodeKind;
  name: string;
  parent: MemoryInode | undefined;
  readonly children = new Map<string, MemoryInode>();
  readonly handles = new Set<MemoryHandle>();
  locks: HandleLock[] = [];
  isDeletePending = false;
  isRemoved = false;
  attributes: number;
  createdAt: FileTime;
  accessedAt: FileTime;
  writtenAt: FileTime;
  changedAt: FileTime;
  eas: readonly EaRecord[] = [];
  sddl = "O:BAG:BAD:(A;OICI;FA;;;WD)";
  size = 0;
  reserved = 0;
  #chunks = new Map<number, Buffer>();

  constructor(input: {
    readonly id: bigint;
    readonly kind: InodeKind;
    readonly name: string;
    readonly parent: MemoryInode | undefined;
    readonly attributes: number;
    readonly now: FileTime;
  }) {
    this.id = input.id;
    this.kind = input.kind;
    this.name = input.name;
    this.parent = input.parent;
    this.attributes = input.attributes;
    this.createdAt = input.now;
    this.accessedAt = input.now;
    this.writtenAt = input.now;
    this.changedAt = input.now;
  }

  info(): FileInfo {
    const { id, kind, createdAt, accessedAt, writtenAt, changedAt, size } = this;
    const allocated = Math.max(Math.ceil(size / UNIT) * UNIT, this.reserved);
    return {
      inode: id,
      kind,
      createdAt,
      accessedAt,
      writtenAt,
      changedAt,
      size,
      allocationSize: kind === "directory" ? 0 : allocated,
      attributes: this.attributes === 0 ? ATTRIBUTE.NORMAL : this.attributes,
      isDeletePending: this.isDeletePending,
      eaSize: eaSizeOf(this.eas),
    };
  }

  read(offset: number, length: number): Buffer[] {
    const parts: Buffer[] = [];
    const end = Math.min(offset + length, this.size);
    for (let at = offset; at < end; ) {
      const index = Math.floor(at / CHUNK);
      const from = at - index * CHUNK;
      const to = Math.min(CHUNK, end - index * CHUNK);
      parts.push((this.#chunks.get(index) ?? ZEROS).subarray(from, to));
      at += to - from;
    }
    return parts;
  }

  write(offset: number, data: Buffer): void {
    for (let at = 0; at < data.length; ) {
      const index = Math.floor((offset + at) / CHUNK);
      const from = offset + at - index * CHUNK;
      const count = Math.min(CHUNK - from, data.length - at);
      let chunk = this.#chunks.get(index);
      if (chunk === undefined) {
        chunk = Buffer.alloc(CHUNK);
        this.#chunks.set(index, chunk);
      }
      data.copy(chunk, from, at, at + count);
      at += count;
    }
    this.size = Math.max(this.size, offset + data.length);
  }

  truncate(size: number): void {
    if (size < this.size) {
      for (const [index, chunk] of this.#chunks) {
        const start = index * CHUNK;
        if (start >= size) this.#chunks.delete(index);
        else if (start + CHUNK > size) chunk.fill(0, size - start);
      }
    }
    this.size = size;
    this.reserved = 0;
  }

  zero(from: number, to: number): void {
    for (let at = from; at < Math.min(to, this.size); ) {
      const index = Math.floor(at / CHUNK);
      const start = index * CHUNK;
      const end = Math.min(CHUNK, to - start, this.size - start);
      const chunk = this.#chunks.get(index);
      if (at === start && (end === CHUNK || start + end === this.size)) this.#chunks.delete(index);
      else chunk?.fill(0, at - start, end);
      at = start + end;
    }
  }

  ranges(from: number, to: number): { from: number; to: number }[] {
    const ranges: { from: number; to: number }[] = [];
    for (const index of [...this.#chunks.keys()].sort((one, other) => one - other)) {
      const start = Math.max(index * CHUNK, from);
      const end = Math.min((index + 1) * CHUNK, to, this.size);
      const last = ranges.at(-1);
      if (start >= end) continue;
      if (last?.to === start) last.to = end;
      else ranges.push({ from: start, to: end });
    }
    return ranges;
  }
}
