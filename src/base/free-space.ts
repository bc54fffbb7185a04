import { statfsSync } from "node:fs";
import { monotonic } from "./clock.ts";
import { LIMITS } from "./limits.ts";

export function bytesLeft(directory: string): number {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize;
}

/**
 * The room that is left on the file system of a directory, asked for before every write: 3 to 9 us each time. A disk
 * with plenty of it cannot be full a moment later, and is asked again only then.
 */
export class FreeSpace {
  readonly #directory: string;
  /** Until when a disk that had plenty of room is not asked again. */
  #plentyUntil = 0;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Infinity stands for plenty. */
  left(): number {
    const now = monotonic();
    if (now < this.#plentyUntil) return Number.POSITIVE_INFINITY;
    const left = bytesLeft(this.#directory);
    if (left <= LIMITS.plentyOfSpaceBytes) return left;
    this.#plentyUntil = now + LIMITS.plentyOfSpaceMillis;
    return Number.POSITIVE_INFINITY;
  }
}
