import { chmodSync, lstatSync, readdirSync, type Stats, statSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../base/faults.ts";
import { OTHERS_BITS } from "../base/file-modes.ts";

/**
 * A data directory that an older build made, or that was restored with wider modes, is closed to other users
 * when it is opened. Called under the directory's lock, before the store opens. What else lies beside our
 * files (logs of other programs, files of Azurite) stays as it is: nobody reaches it through a closed
 * directory.
 */
export interface Tightened {
  /** Files and directories that other users could reach before. */
  readonly count: number;
  /** The first one that belongs to another user, whose mode we cannot change. */
  readonly refused: string | undefined;
}

export function tightenModes(directory: string, names: readonly string[]): Tightened {
  let count = 0;
  let refused: string | undefined;
  const tighten = (path: string, { mode }: Stats): void => {
    if ((mode & OTHERS_BITS) === 0) return;
    try {
      chmodSync(path, mode & 0o7777 & ~OTHERS_BITS);
      count++;
    } catch (error) {
      if (errorCode(error) !== "EPERM") throw error;
      refused ??= path;
    }
  };
  const visit = (path: string, stat: Stats): void => {
    tighten(path, stat);
    if (!stat.isDirectory()) return;
    for (const name of readdirSync(path)) {
      const inner = join(path, name);
      const found = lstatSync(inner, { throwIfNoEntry: false });
      if (found !== undefined && !found.isSymbolicLink()) visit(inner, found);
    }
  };
  tighten(directory, statSync(directory));
  for (const name of names) {
    // Through a link: an operator may have moved the payload to another disk.
    const found = statSync(join(directory, name), { throwIfNoEntry: false });
    if (found !== undefined) visit(join(directory, name), found);
  }
  return { count, refused };
}
