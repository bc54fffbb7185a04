import { assert } from "../base/assert.ts";
import { DamagedData, errorCode, isTransientFault, StorageFault } from "../base/faults.ts";
import { LIMITS } from "../base/limits.ts";
import type { Device, DeviceFile } from "./device.ts";
import { checkFileHeader, type ExtentShape, FILE_HEADER_BYTES, fileNameOf } from "./format.ts";

/** A file that stays open until its reader releases it. */
export interface PinnedFile {
  readonly file: DeviceFile;
  /** A second reference to the same descriptor, released separately. */
  again(): PinnedFile;
  release(): void;
}

interface OpenFile {
  readonly opened: Promise<DeviceFile>;
  users: number;
  isForgotten: boolean;
}

/**
 * Descriptors of extents being read. Descriptors in use stay open, even after their file is unlinked. Up to
 * `LIMITS.extentFilesIdleMax` idle ones stay open; the least recently used is closed first.
 */
export class OpenFiles {
  readonly #device: Device;
  readonly #shape: ExtentShape;
  readonly #idleMax: number;
  /** In order of last use. */
  readonly #files = new Map<bigint, OpenFile>();
  #idle = 0;

  constructor(device: Device, shape: ExtentShape, idleMax: number = LIMITS.extentFilesIdleMax) {
    this.#device = device;
    this.#shape = shape;
    this.#idleMax = idleMax;
  }

  get count(): number {
    return this.#files.size;
  }

  async ref(extent: bigint): Promise<PinnedFile> {
    let entry = this.#files.get(extent);
    if (entry === undefined) {
      entry = { opened: this.#open(extent), users: 1, isForgotten: false };
      this.#files.set(extent, entry);
    } else {
      if (entry.users === 0) this.#idle--;
      entry.users++;
      this.#files.delete(extent);
      this.#files.set(extent, entry);
    }
    try {
      return this.#pinned(extent, entry, await entry.opened);
    } catch (error) {
      // The next reader tries to open the file again.
      if (this.#files.get(extent) === entry) this.#files.delete(extent);
      throw error;
    }
  }

  #pinned(extent: bigint, entry: OpenFile, file: DeviceFile): PinnedFile {
    let isReleased = false;
    return {
      file,
      again: () => {
        assert(!isReleased, "a released file cannot be referenced again");
        entry.users++;
        return this.#pinned(extent, entry, file);
      },
      release: () => {
        if (isReleased) return;
        isReleased = true;
        this.#release(extent, entry);
      },
    };
  }

  /** The file is removed: its descriptor closes after the last read, so that the space is freed. */
  forget(extent: bigint): void {
    const entry = this.#files.get(extent);
    if (entry === undefined) return;
    this.#files.delete(extent);
    entry.isForgotten = true;
    if (entry.users > 0) return;
    this.#idle--;
    closeQuietly(entry);
  }

  /** Closes idle descriptors; reads in flight close theirs when they end. */
  close(): void {
    for (const extent of [...this.#files.keys()]) this.forget(extent);
  }

  #release(extent: bigint, entry: OpenFile): void {
    entry.users--;
    if (entry.users > 0) return;
    if (entry.isForgotten) {
      closeQuietly(entry);
      return;
    }
    if (++this.#idle <= this.#idleMax) return;
    for (const [candidate, other] of this.#files) {
      if (other.users > 0 || candidate === extent) continue;
      this.forget(candidate);
      return;
    }
    this.forget(extent);
  }

  async #open(extent: bigint): Promise<DeviceFile> {
    const name = fileNameOf(extent);
    let file: DeviceFile;
    try {
      file = await this.#device.open(name);
    } catch (cause) {
      if (errorCode(cause) === "ENOENT") throw new DamagedData(`extent file ${name} is missing`, { cause });
      const isTransient = errorCode(cause) === "EMFILE" || isTransientFault(cause);
      throw new StorageFault(`cannot open ${name}`, { cause, isTransient });
    }
    const header = Buffer.alloc(FILE_HEADER_BYTES);
    const isWhole = (await file.read([header], 0)) === FILE_HEADER_BYTES;
    if (isWhole && checkFileHeader(header, extent, this.#shape) === "ok") return file;
    await file.close();
    throw new DamagedData(`extent file ${name} has a damaged header at offset 0`);
  }
}

/** A read-only descriptor: an error of its close loses nothing. */
function closeQuietly(entry: OpenFile): void {
  entry.opened.then((file) => file.close()).catch(() => {});
}
