import { SMB_LIMITS } from "../base/limits-smb.ts";
import { refuse, STATUS } from "./status.ts";
import { type FileTime, parseGmtToken } from "./wire/filetime.ts";

/**
 * A path as CREATE and rename carry it: from the root of the share, names separated by backslashes. A slash separates
 * too, as with Samba, whose tests send it; Windows refuses it.
 */
export interface SmbPath {
  readonly names: readonly string[];
  /** Of an `@GMT-` name on the way: the share as it was then. */
  readonly snapshot: FileTime | undefined;
}

const FORBIDDEN = /["<>|?*\x00-\x1f]/;

export function parsePath(text: string): SmbPath {
  if (text.startsWith("\\")) throw refuse(STATUS.INVALID_PARAMETER);
  if (text.length > SMB_LIMITS.pathCharsMax) throw refuse(STATUS.OBJECT_NAME_INVALID);
  const names: string[] = [];
  let snapshot: FileTime | undefined;
  for (const part of text.split(/[\\/]/)) {
    if (part === "") continue;
    const time = parseGmtToken(part);
    if (time !== undefined && snapshot === undefined) {
      snapshot = time;
    } else if (part === "..") {
      if (names.pop() === undefined) throw refuse(STATUS.OBJECT_PATH_SYNTAX_BAD);
    } else {
      names.push(checkedName(part));
    }
  }
  return { names, snapshot };
}

/** There are no streams, so a colon has no place in a name, not even before `:$DATA`. */
function checkedName(name: string): string {
  const isBad =
    name === "." ||
    name.length > SMB_LIMITS.nameCharsMax ||
    FORBIDDEN.test(name) ||
    name.includes(":") ||
    !name.isWellFormed();
  if (isBad) throw refuse(STATUS.OBJECT_NAME_INVALID);
  return name;
}
