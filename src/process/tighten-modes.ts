import { chmodSync, lstatSync, readdirSync, type Stats, statSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../base/faults.ts";
import { OTHERS_BITS } from "../base/file-modes.ts";

/**
 * Removes the access of other users from a data directory that an older build created, or that was restored
 * with wider modes. Called under the directory's lock, before the store opens. Other files in it (logs,
 * files of Azurite) keep their modes: other users cannot reach them through a closed directory.
 */
export interface Tightened {
  /** Files and directories that were open to other users. */
  readonly count: number;
  /** The first one that belongs to another user, so that its mode could not be changed. */
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
    // Follows links: the operator may have moved the payload to another disk.
    const found = statSync(join(directory, name), { throwIfNoEntry: false });
    if (found !== undefined) visit(join(directory, name), found);
  }
  return { count, refused };
}
