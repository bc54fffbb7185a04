import { MemoryLimitReached } from "../base/faults.ts";
import { KIB } from "../base/limits.ts";
import { bytesIn, type Device, type DeviceEntry, type DeviceFile } from "./device.ts";

/** Files in memory, for `--inMemory` and for tests. */
export class MemoryDevice implements Device {
  readonly place = "memory";
  readonly #files = new Map<string, MemoryFile>();
  readonly #freeSpace: FreeSpace;

  /** `bytesMax` is rounded up to pages; a write that needs one more is refused as on a full disk. */
  constructor(bytesMax = Number.MAX_SAFE_INTEGER) {
    this.#freeSpace = { pagesLeft: Math.ceil(bytesMax / PAGE_BYTES) };
  }

  async create(name: string): Promise<DeviceFile> {
    if (this.#files.has(name)) throw systemError("EEXIST", name);
    const file = new MemoryFile(this.#freeSpace);
    this.#files.set(name, file);
    return file;
  }

  async open(name: string): Promise<DeviceFile> {
    const file = this.#files.get(name);
    if (file === undefined) throw systemError("ENOENT", name);
    return file;
  }

  async list(): Promise<DeviceEntry[]> {
    return [...this.#files].map(([name, file]) => ({ name, bytes: file.bytes }));
  }

  /** Readers that have the file open keep its pages, as with descriptors. */
  async remove(name: string): Promise<void> {
    const file = this.#files.get(name);
    if (file === undefined) throw systemError("ENOENT", name);
    this.#files.delete(name);
    this.#freeSpace.pagesLeft += file.pageCount;
  }

  async syncDirectory(): Promise<void> {}
}

const PAGE_BYTES = 256 * KIB;

interface FreeSpace {
  pagesLeft: number;
}

class MemoryFile implements DeviceFile {
  /** In pages, so that a file grows without being copied. */
  readonly #pages: Buffer[] = [];
  readonly #freeSpace: FreeSpace;
  bytes = 0;

  constructor(freeSpace: FreeSpace) {
    this.#freeSpace = freeSpace;
  }

  get pageCount(): number {
    return this.#pages.length;
  }

  async write(parts: readonly Uint8Array[], offset: number): Promise<void> {
    let at = offset;
    const needed = Math.ceil((offset + bytesIn(parts)) / PAGE_BYTES) - this.#pages.length;
    if (needed > this.#freeSpace.pagesLeft) throw new MemoryLimitReached("--extentMemoryLimit is reached");
    if (needed > 0) this.#freeSpace.pagesLeft -= needed;
    for (const part of parts) {
      for (let from = 0; from < part.length; ) {
        const page = this.#page(Math.floor(at / PAGE_BYTES));
        const start = at % PAGE_BYTES;
        const count = Math.min(part.length - from, PAGE_BYTES - start);
        page.set(part.subarray(from, from + count), start);
        from += count;
        at += count;
      }
    }
    this.bytes = Math.max(this.bytes, at);
  }

  async read(parts: readonly Uint8Array[], offset: number): Promise<number> {
    let at = offset;
    for (const part of parts) {
      const end = Math.min(part.length, this.bytes - at);
      for (let to = 0; to < end; ) {
        const start = at % PAGE_BYTES;
        const count = Math.min(end - to, PAGE_BYTES - start);
        part.set(this.#page(Math.floor(at / PAGE_BYTES)).subarray(start, start + count), to);
        to += count;
        at += count;
      }
      if (end < part.length) break;
    }
    return at - offset;
  }

  #page(index: number): Buffer {
    for (let next = this.#pages.length; next <= index; next++) this.#pages.push(Buffer.alloc(PAGE_BYTES));
    return this.#pages[index]!;
  }

  async sync(): Promise<void> {}

  async size(): Promise<number> {
    return this.bytes;
  }

  async close(): Promise<void> {}
}

export function systemError(code: string, name: string): Error {
  return Object.assign(new Error(`${code}: ${name}`), { code });
}
