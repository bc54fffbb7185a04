import { Refusal } from "../../base/refusals.ts";
import { FILE_LIMITS } from "./limits.ts";

export interface ShareRef {
  readonly account: string;
  readonly share: string;
}

export interface SnapshotRef extends ShareRef {
  /** The time of a share snapshot, in ticks; undefined for the live share. */
  readonly snapshot?: bigint | undefined;
}

export interface PathRef extends SnapshotRef {
  /** Names from the root down; none for the root directory. */
  readonly path: readonly string[];
}

const SHARE_NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

export function checkShareName(name: string): void {
  const { shareNameCharsMin, shareNameCharsMax } = FILE_LIMITS;
  if (name.length < shareNameCharsMin || name.length > shareNameCharsMax) {
    throw new Refusal("OutOfRangeInput", {
      text: "The specified resource name length is not within the permissible limits.",
    });
  }
  if (!SHARE_NAME.test(name)) throw new Refusal("InvalidResourceName");
}

const FORBIDDEN = /["\\:|<>*?\x00-\x1f\x7f\x81\x8d\x8f\x90\x9d]/;
const RESERVED = /^(?:lpt[1-9]|com[1-9]|prn|aux|nul|con|clock\$|\.|\.\.)$/i;

/**
 * The names of a path below a share. Empty segments are skipped, so a trailing slash makes no difference.
 * Trailing dots of each name are removed unless `keepsDots`, as Windows and the File service do.
 */
export function splitPath(path: string, keepsDots = false): string[] {
  if (path.length > FILE_LIMITS.pathCharsMax) throw invalidPath();
  const names: string[] = [];
  for (const part of path.split("/")) {
    if (part === "") continue;
    names.push(checkName(keepsDots ? part : withoutTrailingDots(part)));
  }
  if (names.length > FILE_LIMITS.pathLevelsMax) throw invalidPath();
  return names;
}

/** Refuses a name that a directory entry cannot have. */
export function checkName(name: string): string {
  if (name.length === 0 || name.length > FILE_LIMITS.nameCharsMax) throw invalidPath();
  if (FORBIDDEN.test(name) || !name.isWellFormed()) throw new Refusal("InvalidResourceName");
  if (RESERVED.test(name)) throw invalidPath();
  return name;
}

function withoutTrailingDots(name: string): string {
  if (!name.endsWith(".") || name === "." || name === "..") return name;
  return name.replace(/\.+$/, "");
}

function invalidPath(): Refusal {
  return new Refusal("InvalidFileOrDirectoryPathName");
}

const ASCII = /^[\x00-\x7f]*$/;

/**
 * Letters whose upper-case form came with Unicode 16 and 17. Here they have none, whatever Node.js supports.
 */
const PAIRED_LATER =
  /[\u019b\u0264\u1c8a\ua7cd\ua7cf\ua7d3\ua7d5\ua7db\u{10d70}-\u{10d85}\u{16ebb}-\u{16ed3}]/u;

/**
 * The form by which names compare: upper case, letter by letter. A letter without a single upper-case letter
 * stays as it is ("ß" does not become "SS"), as on Windows file systems. Directory entries are keyed by this
 * form, so it must never change (decision 0039).
 */
export function foldName(name: string): string {
  if (ASCII.test(name)) return name.toUpperCase();
  let folded = "";
  for (const character of name) {
    const upper = character.toUpperCase();
    folded += upper.length === character.length && !PAIRED_LATER.test(character) ? upper : character;
  }
  return folded;
}
