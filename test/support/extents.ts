import { collect } from "../../src/base/bytes.ts";
import { seededRandom } from "../../src/base/random.ts";
import type { Appended } from "../../src/extents/appended-slices.ts";
import type { Device } from "../../src/extents/device.ts";
import { ExtentFiles } from "../../src/extents/extent-files.ts";
import { ExtentLog } from "../../src/extents/extent-log.ts";
import type { ExtentShape, Slice } from "../../src/extents/format.ts";

/** Sizes so small that a few hundred bytes meet every edge: chunks, pieces and extents end all the time. */
export const TINY: ExtentShape = { chunkBytes: 16, writeBufferBytes: 64, extentBytesMax: 512 };

/** A log and its readers on one device, with what it reported. */
export function openLog(device: Device, shape: Partial<ExtentShape> = TINY) {
  let lastId = 0n;
  const sealed = new Map<bigint, number>();
  const syncFailures: unknown[] = [];
  const log = new ExtentLog({
    device,
    shape,
    nextExtentId: async () => ++lastId,
    onSealed: (extent, bytes) => sealed.set(extent, bytes),
    onSyncFailure: (error) => syncFailures.push(error),
  });
  const files = new ExtentFiles(device, { shape });
  return { log, files, sealed, syncFailures, idsGiven: () => lastId };
}

export async function readAll(files: ExtentFiles, slices: readonly Slice[]): Promise<Buffer> {
  const parts: Buffer[] = [];
  for (const slice of slices) parts.push(await collect(files.read(slice)));
  return Buffer.concat(parts);
}

/** Bytes that differ everywhere and are the same for the same seed. */
export function sample(length: number, seed = 1): Buffer {
  return seededRandom(seed).bytes(length);
}

/** The bytes in parts of the given sizes, over and over. */
export async function* inParts(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Buffer> {
  for (let from = 0, i = 0; from < bytes.length; i++) {
    const size = sizes[i % sizes.length]!;
    yield bytes.subarray(from, from + size);
    from += size;
  }
}

export async function appendAndRelease(log: ExtentLog, bytes: Buffer): Promise<Appended> {
  const appended = await log.append(bytes);
  appended.release();
  return appended;
}

/** Lets everything run that can run without outside help. */
export async function settle(turns = 20): Promise<void> {
  for (let i = 0; i < turns; i++) await new Promise((resolve) => setImmediate(resolve));
}
