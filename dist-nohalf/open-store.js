import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { UnusableDirectory } from "./base/faults.js";
import { EmbeddedStore } from "./store/embedded/embedded-store.js";
import { MemoryStore } from "./store/memory/memory-store.js";
export function openStore({ choice, owner, clock, turns, onFatal }) {
    if (choice.kind === "memory")
        return new MemoryStore({ clock, owner });
    const directory = recordsDirectory(choice.directory);
    refuseWithoutRecords(choice.directory);
    try {
        return new EmbeddedStore({ directory, owner, clock, onFatal, ...(turns === undefined ? {} : { turns }) });
    }
    catch (error) {
        if (error instanceof UnusableDirectory)
            throw error;
        throw new UnusableDirectory(`the records in ${directory} cannot be opened: ${error.message}`);
    }
}
/** Payload without its records: starting would take every extent for a stray and remove it. */
function refuseWithoutRecords(dataDirectory) {
    const records = join(recordsDirectory(dataDirectory), "records.mdb");
    if (existsSync(records) || !hasEntries(join(dataDirectory, "extents")))
        return;
    throw new UnusableDirectory(`${records} is missing, but there is payload beside it`);
}
function hasEntries(directory) {
    return existsSync(directory) && readdirSync(directory).length > 0;
}
export function recordsDirectory(dataDirectory) {
    return join(dataDirectory, "records");
}
/** What the processes of an earlier run held is gone with them. Called before the first process opens the store. */
export function forgetEphemeral(choice) {
    if (choice.kind === "memory")
        return;
    for (const name of ["ephemeral.mdb", "ephemeral.mdb-lock"]) {
        rmSync(join(recordsDirectory(choice.directory), name), { force: true });
    }
}
