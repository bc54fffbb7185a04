import { statfsSync } from "node:fs";
import { monotonic } from "./clock.ts";
import { LIMITS } from "./limits.ts";

export function bytesLeft(directory: string): number {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize;
}

/**
 * Free space of the file system of a directory, checked before every write. A call to the system takes 3 to
 * 9 us, so a disk with plenty of space is checked again only after a while.
 */
export class FreeSpace {
  readonly #directory: string;
  #nextCheckAt = 0;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Infinity stands for plenty. */
  left(): number {
    const now = monotonic();
    if (now < this.#nextCheckAt) return Number.POSITIVE_INFINITY;
    const left = bytesLeft(this.#directory);
    if (left <= LIMITS.plentyOfSpaceBytes) return left;
    this.#nextCheckAt = now + LIMITS.plentyOfSpaceMillis;
    return Number.POSITIVE_INFINITY;
  }
}
