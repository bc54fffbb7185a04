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

/** The size of a file, or why it cannot be used. */
export type FileVerdict =
  | { readonly is: "ok"; readonly bytes: number }
  | { readonly is: "missing" | "damaged" | "newer" };

/** Extents pinned for one reader. Slices of other extents can be read too, as long as their file exists. */
export interface Reading {
  read(slice: Slice, range?: SliceRange): AsyncGenerator<Buffer>;
  release(): void;
}

/** Reads of extents: verified ranges, through descriptors that are shared, counted and bounded. */
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
   * Pins the files of these extents: their slices stay readable until `release`, even when a file is
   * unlinked. Rejects with `DamagedData` when a file is missing or its header does not match.
   */
  async openForRead(extents: Iterable<bigint>): Promise<Reading> {
    const pinned = new Map<bigint, PinnedFile>();
    const release = (): void => {
      for (const file of pinned.values()) file.release();
      pinned.clear();
    };
    try {
      for (const extent of extents) if (!pinned.has(extent)) pinned.set(extent, await this.#open.ref(extent));
    } catch (error) {
      release();
      throw error;
    }
    return {
      read: (slice, range) => this.#read(pinned.get(slice.extent), slice, range),
      release,
    };
  }

  /** Data of a slice in order, each chunk verified before it is handed out. Throws `DamagedData`. */
  read(slice: Slice, range?: SliceRange): AsyncGenerator<Buffer> {
    return this.#read(undefined, slice, range);
  }

  /** A range of at most `LIMITS.extentReadBytes` in one buffer: twice as fast as a stream. */
  async load(slice: Slice, range: SliceRange): Promise<Buffer> {
    const pinned = await this.#open.ref(slice.extent);
    try {
      return await loadRange(pinned.file, slice, range, this.shape);
    } finally {
      pinned.release();
    }
  }

  async *#read(pinned: PinnedFile | undefined, slice: Slice, range?: SliceRange): AsyncGenerator<Buffer> {
    // A reference of its own: the owner of `pinned` may release it during this read.
    const own = pinned === undefined ? await this.#open.ref(slice.extent) : pinned.again();
    try {
      const all = range ?? { from: 0, length: slice.length };
      yield* readSlice(own.file, slice, all, this.shape, this.memory);
    } finally {
      own.release();
    }
  }

  /** Reads these slices of one extent and returns one error for each damaged slice. */
  async verify(extent: bigint, slices: AsyncIterable<Slice> | Iterable<Slice>): Promise<DamagedData[]> {
    const damage: DamagedData[] = [];
    // A new descriptor: one opened long ago would not notice that the file was replaced.
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

  /** Checks the file of an extent through a new descriptor. */
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

  /** The extents that have a file, and its size. Ignores other files in the directory. */
  async list(): Promise<Map<bigint, number>> {
    const found = new Map<bigint, number>();
    for (const { name, bytes } of await this.device.list()) {
      const extent = extentOfFileName(name);
      if (extent !== undefined) found.set(extent, bytes);
    }
    return found;
  }

  /** The file is removed: an idle descriptor would keep its space. */
  forget(extent: bigint): void {
    this.#open.forget(extent);
  }

  close(): void {
    this.#open.close();
  }
}
