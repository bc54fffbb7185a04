import { closeSync, fsyncSync, openSync, readdirSync, readFileSync, renameSync, writeSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Clock, systemClock } from "../base/clock.ts";
import { errorCode, UnusableDirectory } from "../base/faults.ts";
import { OWNER_FILE_MODE } from "../base/file-modes.ts";
import { makeDirectory } from "../base/make-directory.ts";
import type { Log } from "../observability/log.ts";
import { takeDirectoryLock } from "./directory-lock.ts";
import { tightenModes } from "./tighten-modes.ts";

/**
 * The data directory: one Holdfast at a time, and only a directory that is ours.
 *
 *   holdfast.json   {"format":2,...}: what the rest of the directory is written in
 *   lock/           who uses it now (see directory-lock.ts)
 *   everything else belongs to the store and the extents
 *
 * What cannot be used is refused before anything in it is touched. Only the owner may read it: files have the
 * mode 0600 and directories 0700, and wider ones are tightened when the directory is opened.
 */
export interface DataDirectory {
  /** Open in this process; workers that inherit it keep the lock alive until the last of them is gone. */
  readonly lockDescriptor: number;
  release(): Promise<void>;
}

/**
 * 1: everything committed is in the database. 2: it may be in the journal alone, which whoever knows only 1
 * would not look at. A directory of format 1 is taken over as it is.
 */
const DATA_FORMAT = 2;
const MARKER = "holdfast.json";
const MARKER_DRAFT = "holdfast.json.new";
const LOCK = "lock";
/**
 * What a directory may hold and still be taken as new: what a start leaves before its marker, what a fresh
 * disk has, and logs, because the usual command line of Azurite puts its debug log beside the data. What
 * Azurite keeps may stay too, for whoever takes over its directory; none of our names is among its own, and
 * we read nothing of it.
 */
const NOT_YET_OURS =
  /^(lock|holdfast\.json\.new|lost\+found|.*\.log|__azurite_db_.*|__(blob|queue)storage__|AzuriteConfig)$/;

export interface OpenDataDirectory {
  readonly clock?: Clock;
  readonly createdBy?: string;
  /** Told when modes were too wide. */
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
  const lock = await takeDirectoryLock(directory, join(directory, LOCK), options.clock ?? systemClock);
  try {
    // Looked at again under the lock: another process may have made the directory its own in between.
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

/** On Windows the access list that the directory inherits decides, and mode bits say nothing. */
function tighten(directory: string, log: Log | undefined): void {
  if (process.platform === "win32") return;
  const { count, refused } = tightenModes(directory, [MARKER, MARKER_DRAFT, LOCK, "records", "extents"]);
  if (count > 0)
    log?.info({ directory, count }, "other users could reach stored data: modes set to owner only");
  if (refused !== undefined)
    log?.warn(
      { path: refused },
      "other users may reach stored data: this file belongs to another user, so its mode stays as it is",
    );
}

function checkMarker(directory: string): "new" | Marker {
  const file = join(directory, MARKER);
  // Listed before the marker is looked for: a start at the same moment writes its marker first and everything
  // else after it, so what was here before a marker that is still missing is nobody's beginning.
  const names = readdirSync(directory);
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (errorCode(error) !== "ENOENT")
      throw new UnusableDirectory(`${file} cannot be read: ${(error as Error).message}`, { cause: error });
    const foreign = names.find((name) => !NOT_YET_OURS.test(name));
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
      `${directory} was written by a newer Holdfast (format ${marker.format}, this one knows ${DATA_FORMAT})`,
    );
  return marker;
}

/** Other members than these are kept as they are. */
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

/** Whole or not at all: a power cut must not leave half a marker, which would lock the owner out. */
function writeMarker(directory: string, marker: Marker): void {
  const draft = join(directory, MARKER_DRAFT);
  const file = openSync(draft, "w", OWNER_FILE_MODE);
  try {
    writeSync(file, `${JSON.stringify(marker)}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(draft, join(directory, MARKER));
  const folder = openSync(directory, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
