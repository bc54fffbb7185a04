import { FILE_LIMITS } from "../../services/file/limits.ts";
import { SMB_LIMITS } from "../limits.ts";
import { type FileTime, parseGmtToken } from "./filetime.ts";
import { refuse, STATUS } from "./status.ts";

/**
 * A path in CREATE and rename: names from the root of the share, separated by backslashes. A slash separates
 * too, as in Samba, whose tests send it; Windows refuses it.
 */
export interface SmbPath {
  readonly names: readonly string[];
  /** The snapshot that an `@GMT-` name of the path selects. */
  readonly snapshot: FileTime | undefined;
  /** A named stream of the file or directory. */
  readonly stream: string | undefined;
  /** `::$DATA` named the content itself, which a directory does not have. */
  readonly isContent: boolean;
}

/** Whether the path may name a stream; otherwise a colon is invalid. */
export interface PathOptions {
  readonly hasStreams: boolean;
}

const FORBIDDEN = /["<>|?*\x00-\x1f]/;
const NO_STREAMS: PathOptions = { hasStreams: false };

export function parsePath(text: string, { hasStreams }: PathOptions = NO_STREAMS): SmbPath {
  if (text.startsWith("\\")) throw refuse(STATUS.INVALID_PARAMETER);
  if (text.length > SMB_LIMITS.pathCharsMax) throw refuse(STATUS.OBJECT_NAME_INVALID);
  const names: string[] = [];
  let snapshot: FileTime | undefined;
  const colon = hasStreams ? text.indexOf(":") : -1;
  const { stream, isContent } = colon < 0 ? NO_STREAM : parseStream(text.slice(colon));
  for (const part of (colon < 0 ? text : text.slice(0, colon)).split(/[\\/]/)) {
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
  return { names, snapshot, stream, isContent };
}

const NO_STREAM = { stream: undefined, isContent: false };
const CONTENT = /^\$DATA$/i;

/** `:name`, `:name:$DATA`, or `::$DATA` for the content itself; there are no other types than `$DATA`. */
export function parseStream(text: string): Pick<SmbPath, "stream" | "isContent"> {
  const [, name = "", type, ...more] = text.split(":");
  const isBad =
    more.length > 0 ||
    (type === undefined ? name === "" : !CONTENT.test(type)) ||
    name.length > FILE_LIMITS.streamNameCharsMax ||
    STREAM_FORBIDDEN.test(name) ||
    !name.isWellFormed();
  if (isBad) throw refuse(STATUS.OBJECT_NAME_INVALID);
  return name === "" ? { stream: undefined, isContent: true } : { stream: name, isContent: false };
}

/** A stream name may have any characters but separators and NUL. */
const STREAM_FORBIDDEN = /[\\/\0]/;

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
