import { DamagedData, errorCode } from "../base/faults.ts";
import type { Device } from "./device.ts";
import {
  checkFileHeader,
  type ExtentShape,
  extentOfFileName,
  extentShape,
  FILE_HEADER_BYTES,
  fileNameOf,
  type Slice,
} from "./format.ts";
import { OpenFiles, type PinnedFile } from "./open-files.ts";
import { loadRange, ReadMemory, readSlice, type SliceRange } from "./read-slice.ts";

/** What a look at a file says: its size, or why it cannot be used. */
export type FileVerdict =
  | { readonly is: "ok"; readonly bytes: number }
  | { readonly is: "missing" | "damaged" | "newer" };

/** Extents held open for one reader. Slices of other extents are read as well, while their file is there. */
export interface Reading {
  read(slice: Slice, range?: SliceRange): AsyncGenerator<Buffer>;
  release(): void;
}

/** Reading side of the extents: verified ranges through descriptors that are shared, counted and bounded. */
export class ExtentFiles {
  readonly device: Device;
  readonly shape: ExtentShape;
  readonly #open: OpenFiles;
  readonly memory = new ReadMemory();

  constructor(device: Device, options: { shape?: Partial<ExtentShape>; idleMax?: number } = {}) {
    this.device = device;
    this.shape = extentShape(options.shape);
    this.#open = new OpenFiles(device, this.shape, options.idleMax);
  }

  /** Descriptors open now. */
  get openCount(): number {
    return this.#open.count;
  }

  /**
   * Holds the files of these extents open: whatever is unlinked later, their slices can be read until `release`.
   * Rejects with `DamagedData` when one is missing or is not the file it should be.
   */
  async openForRead(extents: Iterable<bigint>): Promise<Reading> {
    const held = new Map<bigint, PinnedFile>();
    const release = (): void => {
      for (const file of held.values()) file.release();
      held.clear();
    };
    try {
      for (const extent of extents) if (!held.has(extent)) held.set(extent, await this.#open.ref(extent));
    } catch (error) {
      release();
      throw error;
    }
    return {
      read: (slice, range) => this.#read(held.get(slice.extent), slice, range),
      release,
    };
  }

  /** Data of a slice, in order, every chunk compared with its checksum first. Throws `DamagedData`. */
  read(slice: Slice, range?: SliceRange): AsyncGenerator<Buffer> {
    return this.#read(undefined, slice, range);
  }

  /** A range of at most `LIMITS.extentReadBytes` in one buffer: without the steps of a stream, twice as fast. */
  async load(slice: Slice, range: SliceRange): Promise<Buffer> {
    const held = await this.#open.ref(slice.extent);
    try {
      return await loadRange(held.file, slice, range, this.shape);
    } finally {
      held.release();
    }
  }

  async *#read(held: PinnedFile | undefined, slice: Slice, range?: SliceRange): AsyncGenerator<Buffer> {
    // Held once more for as long as this read lasts: the owner of `held` may let go in the middle of it.
    const own = held === undefined ? await this.#open.ref(slice.extent) : held.again();
    try {
      const all = range ?? { from: 0, length: slice.length };
      yield* readSlice(own.file, slice, all, this.shape, this.memory);
    } finally {
      own.release();
    }
  }

  /** Reads all of these slices of one extent and returns the damage found, one error for each damaged slice. */
  async verify(extent: bigint, slices: AsyncIterable<Slice> | Iterable<Slice>): Promise<DamagedData[]> {
    const damage: DamagedData[] = [];
    // A descriptor of its own: one opened long ago would not notice a file replaced since.
    const verdict = await this.check(extent);
    if (verdict.is !== "ok") return [new DamagedData(`extent file ${fileNameOf(extent)} is ${verdict.is}`)];
    for await (const slice of slices) {
      try {
        for await (const _ of this.read(slice));
      } catch (error) {
        if (!(error instanceof DamagedData)) throw error;
        damage.push(error);
      }
    }
    return damage;
  }

  /** Looks at the file of an extent without trusting anything about it. */
  async check(extent: bigint): Promise<FileVerdict> {
    let file: Awaited<ReturnType<Device["open"]>>;
    try {
      file = await this.device.open(fileNameOf(extent));
    } catch (error) {
      if (errorCode(error) === "ENOENT") return { is: "missing" };
      throw error;
    }
    try {
      const header = Buffer.alloc(FILE_HEADER_BYTES);
      const found = await file.read([header], 0);
      const verdict = checkFileHeader(header.subarray(0, found), extent, this.shape);
      return verdict === "ok" ? { is: "ok", bytes: await file.size() } : { is: verdict };
    } finally {
      await file.close();
    }
  }

  /** The extents that have a file, and its size. Other files in the directory are none of ours. */
  async list(): Promise<Map<bigint, number>> {
    const found = new Map<bigint, number>();
    for (const { name, bytes } of await this.device.list()) {
      const extent = extentOfFileName(name);
      if (extent !== undefined) found.set(extent, bytes);
    }
    return found;
  }

  /** The file goes away: its idle descriptor must not keep the space. */
  forget(extent: bigint): void {
    this.#open.forget(extent);
  }

  close(): void {
    this.#open.close();
  }
}
