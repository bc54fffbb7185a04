import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Clock, systemClock } from "../base/clock.ts";
import { writeDurably } from "../base/durable-files.ts";
import { errorCode, UnusableDirectory } from "../base/faults.ts";
import { makeDirectory } from "../base/make-directory.ts";
import type { Log } from "../observability/log.ts";
import { acquireDirectoryLock } from "./directory-lock.ts";
import { tightenModes } from "./tighten-modes.ts";

/**
 * The data directory: for one server at a time.
 *
 *   holdfast.json   {"format":3,...}: the format of the rest
 *   lock/           which process uses it now (see directory-lock.ts)
 *   admin.json      how a command reaches that process (see admin-access.ts)
 *   everything else belongs to the store and the extents
 *
 * A directory that cannot be used is refused before anything in it is changed. Only the owner may read it:
 * files have mode 0600 and directories 0700, and wider modes are tightened when the directory is opened.
 */
export interface DataDirectory {
  /** Workers inherit it, so that the lock lasts until the last of them ends. */
  readonly lockDescriptor: number | undefined;
  release(): Promise<void>;
}

/**
 * 1: every commit is in the database. 2: a commit may be only in the journal, which builds for format 1 would
 * ignore. 3: records have checksums, and the database has the mark of the journal. A directory of an older
 * format is upgraded in place.
 */
const DATA_FORMAT = 3;
const MARKER = "holdfast.json";
const MARKER_DRAFT = "holdfast.json.new";
const LOCK = "lock";
/**
 * What a new directory may hold: what an interrupted start leaves before its marker, what a fresh disk has,
 * logs (the usual command line of Azurite puts its debug log beside the data), and the files of Azurite
 * itself, whose names differ from ours.
 */
const ALLOWED_IN_NEW =
  /^(lock|holdfast\.json\.new|lost\+found|.*\.log|__azurite_db_.*|__(blob|queue)storage__|AzuriteConfig)$/;

/** Where the data goes if the named directory holds other files: a project, a home directory. */
const NESTED = ".holdfast";
/** Data whose marker is missing. It is refused, because a new directory inside would hide it. */
const STORED = /^(records|extents)$/;

/**
 * The data directory for a path that the operator named: the path itself, or `.holdfast` inside it if it
 * holds unrelated files (`azurite -l .` in a project).
 */
export function dataDirectoryAt(path: string): string {
  const nested = join(path, NESTED);
  let names: string[];
  try {
    names = readdirSync(path);
  } catch {
    return path; // Opening it reports why.
  }
  const isOurs = existsSync(join(path, MARKER)) || names.some((name) => STORED.test(name));
  return !isOurs && names.some((name) => !ALLOWED_IN_NEW.test(name)) ? nested : path;
}

export interface OpenDataDirectory {
  readonly clock?: Clock;
  readonly createdBy?: string;
  readonly log?: Log;
}

/** Throws `UnusableDirectory` with one line that names the directory or the file. */
export async function openDataDirectory(
  path: string,
  options: OpenDataDirectory = {},
): Promise<DataDirectory> {
  const directory = resolve(path);
  try {
    makeDirectory(directory);
    checkMarker(directory);
    makeDirectory(join(directory, LOCK));
  } catch (error) {
    if (error instanceof UnusableDirectory) throw error;
    const code = errorCode(error);
    const why = code === "EEXIST" || code === "ENOTDIR" ? "it is not a directory" : (error as Error).message;
    throw new UnusableDirectory(`${directory} cannot be used: ${why}`, { cause: error });
  }
  const lock = await acquireDirectoryLock(directory, join(directory, LOCK), options.clock ?? systemClock);
  try {
    // Checked again under the lock: another process may have created its marker in between.
    const found = checkMarker(directory);
    tighten(directory, options.log);
    if (found === "new") writeMarker(directory, newMarker(options));
    else if (found.format < DATA_FORMAT) writeMarker(directory, { ...found, format: DATA_FORMAT });
  } catch (error) {
    await lock.release();
    if (error instanceof UnusableDirectory) throw error;
    throw new UnusableDirectory(`${directory} cannot be written: ${(error as Error).message}`, {
      cause: error,
    });
  }
  return { lockDescriptor: lock.descriptor, release: () => lock.release() };
}

/** On Windows the inherited ACL of the directory decides, not mode bits. */
function tighten(directory: string, log: Log | undefined): void {
  if (process.platform === "win32") return;
  const { count, refused } = tightenModes(directory, [MARKER, MARKER_DRAFT, LOCK, "records", "extents"]);
  if (count > 0)
    log?.info({ directory, count }, "stored data was open to other users: modes set to owner only");
  if (refused !== undefined)
    log?.warn(
      { path: refused },
      "stored data may be open to other users: this file belongs to another user, so its mode cannot be changed",
    );
}

function checkMarker(directory: string): "new" | Marker {
  const file = join(directory, MARKER);
  // Listed before the marker is read: a concurrent start writes its marker before anything else, so other
  // files without a marker are not from a concurrent start.
  const names = readdirSync(directory);
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (errorCode(error) !== "ENOENT")
      throw new UnusableDirectory(`${file} cannot be read: ${(error as Error).message}`, { cause: error });
    const foreign = names.find((name) => !ALLOWED_IN_NEW.test(name));
    if (foreign === undefined) return "new";
    throw new UnusableDirectory(
      `${directory} is not empty (it holds ${foreign}) and has no ${MARKER}: choose an empty directory`,
    );
  }
  const marker = parseMarker(text);
  if (marker === undefined)
    throw new UnusableDirectory(`${file} is damaged: expected {"format":${DATA_FORMAT},...}`);
  if (marker.format > DATA_FORMAT)
    throw new UnusableDirectory(
      `${directory} was written by a newer Holdfast (format ${marker.format}, this build supports ${DATA_FORMAT})`,
    );
  return marker;
}

/** Other members are preserved. */
interface Marker {
  readonly format: number;
  readonly createdBy?: string;
  readonly createdAt?: string;
}

function parseMarker(text: string): Marker | undefined {
  try {
    const marker = JSON.parse(text) as { format?: unknown } | null;
    const format = marker?.format;
    return typeof format === "number" && Number.isInteger(format) && format >= 1
      ? { ...marker, format }
      : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function newMarker({ clock = systemClock, createdBy = "holdfast" }: OpenDataDirectory): Marker {
  const createdAt = new Date(clock.now()).toISOString();
  return { format: DATA_FORMAT, createdBy, createdAt };
}

/** Atomic: a half marker after a power cut would make the directory unusable. */
function writeMarker(directory: string, marker: Marker): void {
  writeDurably(join(directory, MARKER), `${JSON.stringify(marker)}\n`, join(directory, MARKER_DRAFT));
}
