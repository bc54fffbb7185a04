import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, readFileSync, renameSync, writeSync, } from "node:fs";
import { join, resolve } from "node:path";
import { systemClock } from "./base/clock.js";
import { errorCode, UnusableDirectory } from "./base/faults.js";
import { takeDirectoryLock } from "./directory-lock.js";
export const DATA_FORMAT = 1;
const MARKER = "holdfast.json";
const MARKER_DRAFT = "holdfast.json.new";
const LOCK = "lock";
/**
 * What a directory may hold and still be taken as new: what a start leaves before its marker, what a fresh disk
 * has, and logs, because the usual command line of Azurite puts its debug log beside the data.
 */
const NOT_YET_OURS = /^(lock|holdfast\.json\.new|lost\+found|.*\.log)$/;
/** Throws `UnusableDirectory` with one line that names the directory or the file. */
export async function openDataDirectory(path, options = {}) {
    const directory = resolve(path);
    try {
        mkdirSync(directory, { recursive: true });
        checkMarker(directory);
        mkdirSync(join(directory, LOCK), { recursive: true });
    }
    catch (error) {
        if (error instanceof UnusableDirectory)
            throw error;
        throw new UnusableDirectory(`${directory} cannot be used: ${error.message}`, { cause: error });
    }
    const lock = await takeDirectoryLock(directory, join(directory, LOCK), options.clock ?? systemClock);
    try {
        // Looked at again under the lock: another process may have made the directory its own in between.
        if (checkMarker(directory) === "new")
            writeMarker(directory, options);
    }
    catch (error) {
        await lock.release();
        if (error instanceof UnusableDirectory)
            throw error;
        throw new UnusableDirectory(`${directory} cannot be written: ${error.message}`, {
            cause: error,
        });
    }
    return { lockDescriptor: lock.descriptor, release: () => lock.release() };
}
function checkMarker(directory) {
    const file = join(directory, MARKER);
    let text;
    try {
        text = readFileSync(file, "utf8");
    }
    catch (error) {
        if (errorCode(error) !== "ENOENT")
            throw new UnusableDirectory(`${file} cannot be read: ${error.message}`, { cause: error });
        const foreign = readdirSync(directory).find((name) => !NOT_YET_OURS.test(name));
        if (foreign === undefined)
            return "new";
        throw new UnusableDirectory(`${directory} is not empty (it holds ${foreign}) and has no ${MARKER}: choose an empty directory`);
    }
    const format = parseFormat(text);
    if (format === undefined)
        throw new UnusableDirectory(`${file} is damaged: expected {"format":${DATA_FORMAT},...}`);
    if (format > DATA_FORMAT)
        throw new UnusableDirectory(`${directory} was written by a newer Holdfast (format ${format}, this one knows ${DATA_FORMAT})`);
    return "ours";
}
function parseFormat(text) {
    try {
        const format = JSON.parse(text)?.format;
        return typeof format === "number" && Number.isInteger(format) && format >= 1 ? format : undefined;
    }
    catch (error) {
        if (error instanceof SyntaxError)
            return undefined;
        throw error;
    }
}
/** Whole or not at all: a power cut must not leave half a marker, which would lock the owner out. */
function writeMarker(directory, { clock = systemClock, createdBy = "holdfast" }) {
    const createdAt = new Date(clock.now()).toISOString();
    const draft = join(directory, MARKER_DRAFT);
    const file = openSync(draft, "w");
    try {
        writeSync(file, `${JSON.stringify({ format: DATA_FORMAT, createdBy, createdAt })}\n`);
        fsyncSync(file);
    }
    finally {
        closeSync(file);
    }
    renameSync(draft, join(directory, MARKER));
    const folder = openSync(directory, "r");
    try {
        fsyncSync(folder);
    }
    finally {
        closeSync(folder);
    }
}
