import type { Random } from "../../src/base/random.ts";
import { bytesIn, type Device, type DeviceEntry, type DeviceFile } from "../../src/extents/device.ts";
import { MemoryDevice, systemError } from "../../src/extents/memory-device.ts";

/**
 * A device that remembers everything done to it, and can say what a disk may hold after the power goes at any
 * point. A test may also step in before an operation, to fail it or to hold it up.
 *
 * A sync covers the writes that had ended when it began, and no others. A name is certain after a sync of the
 * directory that began later. Everything else may be there, in part, or not at all.
 */
export type Operation =
  | { readonly kind: "create" | "remove"; readonly name: string; readonly file: number }
  | { readonly kind: "write"; readonly file: number; readonly offset: number; readonly bytes: Buffer }
  | { readonly kind: "sync"; readonly file: number; readonly covers: number }
  | { readonly kind: "syncDirectory"; readonly covers: number }
  | { readonly kind: "note"; readonly text: string };

/** What became of the writes and names that no sync covers. */
export const AFTERMATHS = ["dropped", "kept", "torn", "tornFront", "mixed"] as const;
export type Aftermath = (typeof AFTERMATHS)[number];

export type Intrusion = (kind: Operation["kind"] | "close", name: string) => Promise<void> | void;

export class CrashDevice implements Device {
  readonly place = "crash";
  readonly journal: Operation[] = [];
  /** Runs before each operation; what it throws is the operation's error. */
  before: Intrusion = () => {};
  readonly #contents = new MemoryDevice();
  readonly #files = new Map<string, number>();
  #lastFile = 0;

  note(text: string): void {
    this.journal.push({ kind: "note", text });
  }

  async create(name: string): Promise<DeviceFile> {
    await this.before("create", name);
    const contents = await this.#contents.create(name);
    const file = ++this.#lastFile;
    this.#files.set(name, file);
    this.journal.push({ kind: "create", name, file });
    return this.#watch(contents, name, file);
  }

  async open(name: string): Promise<DeviceFile> {
    const file = this.#files.get(name);
    if (file === undefined) throw systemError("ENOENT", name);
    return this.#watch(await this.#contents.open(name), name, file);
  }

  #watch(contents: DeviceFile, name: string, file: number): DeviceFile {
    return {
      write: async (parts, offset) => {
        await this.before("write", name);
        const bytes = Buffer.concat(parts);
        await contents.write([bytes], offset);
        this.journal.push({ kind: "write", file, offset, bytes });
      },
      sync: async () => {
        const covers = this.journal.length;
        await this.before("sync", name);
        this.journal.push({ kind: "sync", file, covers });
      },
      read: (parts, offset) => contents.read(parts, offset),
      size: () => contents.size(),
      close: async () => {
        await this.before("close", name);
        await contents.close();
      },
    };
  }

  list(): Promise<DeviceEntry[]> {
    return this.#contents.list();
  }

  async remove(name: string): Promise<void> {
    await this.before("remove", name);
    await this.#contents.remove(name);
    this.journal.push({ kind: "remove", name, file: this.#files.get(name)! });
    this.#files.delete(name);
  }

  async syncDirectory(): Promise<void> {
    const covers = this.journal.length;
    await this.before("syncDirectory", "");
    this.journal.push({ kind: "syncDirectory", covers });
  }

  /** What the disk may hold when the power went after the first `boundary` operations. */
  async diskAfter(boundary: number, aftermath: Aftermath, random: Random): Promise<MemoryDevice> {
    const past = this.journal.slice(0, boundary);
    const covered = new Map<number, number>();
    let namesCovered = 0;
    for (const operation of past) {
      if (operation.kind === "sync") {
        covered.set(operation.file, Math.max(covered.get(operation.file) ?? 0, operation.covers));
      } else if (operation.kind === "syncDirectory") namesCovered = Math.max(namesCovered, operation.covers);
    }
    const lost = (): boolean => aftermath === "dropped" || (aftermath === "mixed" && random.fraction() < 0.5);

    const contents = new Map<number, { readonly offset: number; readonly bytes: Buffer }[]>();
    const names = new Map<string, number>();
    past.forEach((operation, index) => {
      if (operation.kind === "write") {
        const { file, offset, bytes } = operation;
        const writes = contents.get(file) ?? [];
        contents.set(file, writes);
        if (index < (covered.get(file) ?? 0)) writes.push({ offset, bytes });
        else if (!lost()) writes.push(survivor({ offset, bytes }, aftermath, random));
      } else if (operation.kind === "create" || operation.kind === "remove") {
        if (index >= namesCovered && lost()) return;
        if (operation.kind === "create") names.set(operation.name, operation.file);
        else names.delete(operation.name);
      }
    });

    const disk = new MemoryDevice();
    for (const [name, file] of names) {
      const copy = await disk.create(name);
      for (const { offset, bytes } of contents.get(file) ?? []) await copy.write([bytes], offset);
    }
    return disk;
  }
}

/** What is left of one write nobody waited for. */
function survivor(
  write: { readonly offset: number; readonly bytes: Buffer },
  aftermath: Aftermath,
  random: Random,
): { readonly offset: number; readonly bytes: Buffer } {
  const { offset, bytes } = write;
  const half = bytes.length >> 1;
  const from = Math.floor(random.fraction() * bytes.length);
  switch (aftermath) {
    case "torn":
      return { offset, bytes: bytes.subarray(0, half) };
    case "tornFront":
      return { offset: offset + half, bytes: bytes.subarray(half) };
    case "mixed":
      return { offset: offset + from, bytes: bytes.subarray(from, from + Math.ceil(bytes.length / 2)) };
    default:
      return write;
  }
}

/** Changes one bit of a file, as a disk does that lies. */
export async function flipBit(
  device: Device,
  at: { name: string; byte: number; bit: number },
): Promise<void> {
  const file = await device.open(at.name);
  const byte = Buffer.alloc(1);
  const found = await file.read([byte], at.byte);
  if (found !== bytesIn([byte])) throw new Error(`${at.name} has no byte ${at.byte}`);
  byte[0]! ^= 1 << at.bit;
  await file.write([byte], at.byte);
}
