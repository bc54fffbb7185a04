import fs from "node:fs";
import { dirname, join, resolve } from "node:path";
import { syncDirectory } from "../base/durable-files.ts";
import { OWNER_FILE_MODE } from "../base/file-modes.ts";
import { FreeSpace } from "../base/free-space.ts";
import { LIMITS } from "../base/limits.ts";
import { makeDirectory } from "../base/make-directory.ts";
import { bytesIn, type Device, type DeviceEntry, type DeviceFile, partsAfter } from "./device.ts";

/** A directory of the file system. */
export class DiskDevice implements Device {
  readonly place: string;
  readonly #freeSpace: FreeSpace;

  private constructor(directory: string) {
    this.place = directory;
    this.#freeSpace = new FreeSpace(directory);
  }

  /** Creates the directory when it is missing, durably. */
  static at(directory: string): DiskDevice {
    const path = resolve(directory);
    const first = makeDirectory(path);
    if (first !== undefined)
      for (let made = path; made.length >= first.length; made = dirname(made)) syncDirectory(dirname(made));
    return new DiskDevice(directory);
  }

  async create(name: string): Promise<DeviceFile> {
    return new DiskFile(await openFile(join(this.place, name), "wx+"), this.#freeSpace);
  }

  async open(name: string): Promise<DeviceFile> {
    return new DiskFile(await openFile(join(this.place, name), "r"), this.#freeSpace);
  }

  async list(): Promise<DeviceEntry[]> {
    const entries: DeviceEntry[] = [];
    for await (const entry of await fs.promises.opendir(this.place)) {
      if (!entry.isFile()) continue;
      // Another process may remove a file during the walk.
      const stat = await fs.promises
        .stat(join(this.place, entry.name))
        .catch((error: NodeJS.ErrnoException) => {
          if (error.code === "ENOENT") return undefined;
          throw error;
        });
      if (stat !== undefined) entries.push({ name: entry.name, bytes: stat.size });
    }
    return entries;
  }

  remove(name: string): Promise<void> {
    return fs.promises.unlink(join(this.place, name));
  }

  async syncDirectory(): Promise<void> {
    if (process.platform === "win32") return;
    const directory = await fs.promises.open(this.place, "r");
    try {
      await directory.sync();
    } finally {
      await directory.close();
    }
  }
}

type Callback<T> = (error: NodeJS.ErrnoException | null, value?: T) => void;

/** A promise of a call with a callback. */
function call<T>(begin: (done: Callback<T>) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    begin((error, value) => (error ? reject(error) : resolve(value as T)));
  });
}

function openFile(path: string, flags: string): Promise<number> {
  return call((done) => fs.open(path, flags, OWNER_FILE_MODE, done));
}

/** Plain descriptors and callbacks: `FileHandle` costs twice as much for each call. */
class DiskFile implements DeviceFile {
  readonly #descriptor: number;
  readonly #freeSpace: FreeSpace;

  constructor(descriptor: number, freeSpace: FreeSpace) {
    this.#descriptor = descriptor;
    this.#freeSpace = freeSpace;
  }

  async write(parts: readonly Uint8Array[], offset: number): Promise<void> {
    const total = bytesIn(parts);
    if (this.#freeSpace.left() < total + LIMITS.payloadReserveBytes) {
      throw Object.assign(new Error("ENOSPC: the remaining space is reserved for records"), {
        code: "ENOSPC",
      });
    }
    let done = 0;
    let rest = parts;
    while (done < total) {
      const written = await this.#writeSome(rest, offset + done);
      if (written === 0) throw Object.assign(new Error("a write accepted no byte"), { code: "EIO" });
      done += written;
      if (done < total) rest = partsAfter(rest, written);
    }
  }

  async read(parts: readonly Uint8Array[], offset: number): Promise<number> {
    const total = bytesIn(parts);
    let done = 0;
    let rest = parts;
    while (done < total) {
      const count = await this.#readSome(rest, offset + done);
      if (count === 0) break;
      done += count;
      if (done < total) rest = partsAfter(rest, count);
    }
    return done;
  }

  #writeSome(parts: readonly Uint8Array[], offset: number): Promise<number> {
    return call((done) => fs.writev(this.#descriptor, parts, offset, done));
  }

  #readSome(parts: readonly Uint8Array[], offset: number): Promise<number> {
    return call((done) => fs.readv(this.#descriptor, parts, offset, done));
  }

  sync(): Promise<void> {
    return call((done) => fs.fdatasync(this.#descriptor, done));
  }

  async size(): Promise<number> {
    const { size } = await call<fs.Stats>((done) => fs.fstat(this.#descriptor, done));
    return size;
  }

  close(): Promise<void> {
    return call((done) => fs.close(this.#descriptor, done));
  }
}
