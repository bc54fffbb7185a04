import { mkdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { errorCode } from "./faults.ts";
import { OWNER_DIRECTORY_MODE } from "./file-modes.ts";

/**
 * Creates a directory and its parents with access for their owner only; returns the topmost new one. Not
 * `mkdirSync` with `recursive`: below a directory in which nothing can be created, such as /proc, it loops
 * for ever.
 */
export function makeDirectory(path: string): string | undefined {
  const whole = resolve(path);
  const parent = dirname(whole);
  let first: string | undefined;
  try {
    return makeOne(whole) ? whole : undefined;
  } catch (error) {
    if (errorCode(error) !== "ENOENT" || parent === whole || isDirectory(parent)) throw error;
    first = makeDirectory(parent);
  }
  const isNew = makeOne(whole);
  return first ?? (isNew ? whole : undefined);
}

/** False when the directory exists, also if another process has just created it. */
function makeOne(path: string): boolean {
  try {
    mkdirSync(path, { mode: OWNER_DIRECTORY_MODE });
    return true;
  } catch (error) {
    if (isDirectory(path)) return false;
    throw error;
  }
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return false;
  }
}
