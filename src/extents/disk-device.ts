import fs from "node:fs";
import { dirname, join, resolve } from "node:path";
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

  /** Makes the directory when it is not there yet, and makes sure that a crash does not take it away again. */
  static at(directory: string): DiskDevice {
    const whole = resolve(directory);
    const firstMade = makeDirectory(whole);
    if (firstMade !== undefined) {
      for (let made = whole; made.length >= firstMade.length; made = dirname(made))
        syncDirectory(dirname(made));
    }
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
      // Another process may remove a file while we walk the directory.
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
    if (!CAN_SYNC_DIRECTORIES) return;
    const directory = await fs.promises.open(this.place, "r");
    try {
      await directory.sync();
    } finally {
      await directory.close();
    }
  }
}

/** Windows cannot open a directory for this; NTFS journals names by itself. */
const CAN_SYNC_DIRECTORIES = process.platform !== "win32";

function syncDirectory(path: string): void {
  if (!CAN_SYNC_DIRECTORIES) return;
  const descriptor = fs.openSync(path, "r");
  try {
    fs.fsyncSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}

function openFile(path: string, flags: string): Promise<number> {
  return new Promise((resolve, reject) => {
    fs.open(path, flags, OWNER_FILE_MODE, (error, descriptor) =>
      error ? reject(error) : resolve(descriptor),
    );
  });
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
      throw Object.assign(new Error("ENOSPC: the room that is left is for records"), { code: "ENOSPC" });
    }
    let done = 0;
    let rest = parts;
    while (done < total) {
      const written = await this.#writeSome(rest, offset + done);
      if (written === 0) throw Object.assign(new Error("a write took no byte"), { code: "EIO" });
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
    return new Promise((resolve, reject) => {
      fs.writev(this.#descriptor, parts, offset, (error, count) => (error ? reject(error) : resolve(count)));
    });
  }

  #readSome(parts: readonly Uint8Array[], offset: number): Promise<number> {
    return new Promise((resolve, reject) => {
      fs.readv(this.#descriptor, parts, offset, (error, count) => (error ? reject(error) : resolve(count)));
    });
  }

  sync(): Promise<void> {
    return new Promise((resolve, reject) => {
      fs.fdatasync(this.#descriptor, (error) => (error ? reject(error) : resolve()));
    });
  }

  size(): Promise<number> {
    return new Promise((resolve, reject) => {
      fs.fstat(this.#descriptor, (error, stat) => (error ? reject(error) : resolve(stat.size)));
    });
  }

  close(): Promise<void> {
    return new Promise((resolve, reject) => {
      fs.close(this.#descriptor, (error) => (error ? reject(error) : resolve()));
    });
  }
}
