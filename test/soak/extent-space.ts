import { KIB, MIB } from "../../src/base/limits.ts";
import { seededRandom } from "../../src/base/random.ts";
import type { Device } from "../../src/extents/device.ts";
import type { ExtentShape } from "../../src/extents/format.ts";
import { Notes, SharedDatabase } from "../support/payload.ts";

export interface ExtentSpaceRun {
  readonly device: Device;
  readonly writtenBytes: number;
  readonly liveBytes: number;
  readonly shape?: Partial<ExtentShape>;
  readonly seed?: number;
}

export interface ExtentSpaceStats {
  readonly writtenBytes: number;
  readonly liveBytes: number;
  readonly diskBytesMax: number;
  readonly diskBytesEnd: number;
}

/**
 * Writes and deletes payload of mixed sizes until `writtenBytes` have gone through, with about `liveBytes`
 * alive at any time and deletions in random order, while the reclaimer makes a step now and then. Then reads
 * all of it.
 */
export async function extentSpace(run: ExtentSpaceRun): Promise<ExtentSpaceStats> {
  const notes = new Notes(new SharedDatabase().storeOf("soak"), run.device, run.shape ?? {});
  const random = seededRandom(run.seed ?? 7);
  const alive: { name: string; length: number }[] = [];
  let written = 0;
  let live = 0;
  let sinceStep = 0;
  let diskBytesMax = 0;
  for (let i = 0; written < run.writtenBytes; i++) {
    const length = Math.floor(16 * KIB + random.fraction() ** 4 * 4 * MIB);
    while (live + length > run.liveBytes) {
      const [victim] = alive.splice(Math.floor(random.fraction() * alive.length), 1);
      await notes.delete(victim!.name);
      live -= victim!.length;
    }
    const name = `n${i}`;
    await notes.put(name, { seed: (i % 97) + 1, length });
    alive.push({ name, length });
    live += length;
    written += length;
    sinceStep += length;
    if (sinceStep < run.liveBytes / 16) continue;
    sinceStep = 0;
    diskBytesMax = Math.max(diskBytesMax, await notes.diskBytes());
    await notes.reclaimer.reclaimOnce();
  }
  await notes.reclaimAll();
  await notes.audit();
  await notes.check();
  return { writtenBytes: written, liveBytes: live, diskBytesMax, diskBytesEnd: await notes.diskBytes() };
}

/** The promise: twice the live data at the end, and not much more on the way there. */
export function isSpaceKept({ liveBytes, diskBytesMax, diskBytesEnd }: ExtentSpaceStats): boolean {
  return diskBytesEnd < 2 * liveBytes && diskBytesMax < 2.5 * liveBytes;
}

export function printStats(stats: ExtentSpaceStats): string {
  const mib = (bytes: number): string => `${Math.round(bytes / MIB)} MiB`;
  const { writtenBytes, liveBytes, diskBytesMax, diskBytesEnd } = stats;
  return (
    `${mib(writtenBytes)} written, ${mib(liveBytes)} alive, ` +
    `${mib(diskBytesEnd)} on disk at the end, ${mib(diskBytesMax)} at most`
  );
}
