import fs from "node:fs";
import { dirname, join, resolve } from "node:path";
import { bytesIn, partsAfter } from "./device.js";
/** A directory of the file system. */
export class DiskDevice {
    place;
    constructor(directory) {
        this.place = directory;
    }
    /** Makes the directory when it is not there yet, and makes sure that a crash does not take it away again. */
    static at(directory) {
        const whole = resolve(directory);
        const firstMade = fs.mkdirSync(whole, { recursive: true });
        if (firstMade !== undefined) {
            for (let made = whole; made.length >= firstMade.length; made = dirname(made))
                syncDirectory(dirname(made));
        }
        return new DiskDevice(directory);
    }
    async create(name) {
        return new DiskFile(await openFile(join(this.place, name), "wx+"));
    }
    async open(name) {
        return new DiskFile(await openFile(join(this.place, name), "r"));
    }
    async list() {
        const entries = [];
        for await (const entry of await fs.promises.opendir(this.place)) {
            if (!entry.isFile())
                continue;
            // Another process may remove a file while we walk the directory.
            const stat = await fs.promises
                .stat(join(this.place, entry.name))
                .catch((error) => {
                if (error.code === "ENOENT")
                    return undefined;
                throw error;
            });
            if (stat !== undefined)
                entries.push({ name: entry.name, bytes: stat.size });
        }
        return entries;
    }
    remove(name) {
        return fs.promises.unlink(join(this.place, name));
    }
    async syncDirectory() {
        if (!CAN_SYNC_DIRECTORIES)
            return;
        const directory = await fs.promises.open(this.place, "r");
        try {
            await directory.sync();
        }
        finally {
            await directory.close();
        }
    }
}
/** Windows cannot open a directory for this; NTFS journals names by itself. */
const CAN_SYNC_DIRECTORIES = process.platform !== "win32";
function syncDirectory(path) {
    if (!CAN_SYNC_DIRECTORIES)
        return;
    const descriptor = fs.openSync(path, "r");
    try {
        fs.fsyncSync(descriptor);
    }
    finally {
        fs.closeSync(descriptor);
    }
}
function openFile(path, flags) {
    return new Promise((resolve, reject) => {
        fs.open(path, flags, 0o600, (error, descriptor) => (error ? reject(error) : resolve(descriptor)));
    });
}
/** Plain descriptors and callbacks: `FileHandle` costs twice as much for each call. */
class DiskFile {
    #descriptor;
    constructor(descriptor) {
        this.#descriptor = descriptor;
    }
    async write(parts, offset) {
        const total = bytesIn(parts);
        let done = 0;
        let rest = parts;
        while (done < total) {
            const written = await this.#writeSome(rest, offset + done);
            if (written === 0)
                throw Object.assign(new Error("a write took no byte"), { code: "EIO" });
            done += written;
            if (done < total)
                rest = partsAfter(rest, written);
        }
    }
    async read(parts, offset) {
        const total = bytesIn(parts);
        let done = 0;
        let rest = parts;
        while (done < total) {
            const count = await this.#readSome(rest, offset + done);
            if (count === 0)
                break;
            done += count;
            if (done < total)
                rest = partsAfter(rest, count);
        }
        return done;
    }
    #writeSome(parts, offset) {
        return new Promise((resolve, reject) => {
            fs.writev(this.#descriptor, parts, offset, (error, count) => (error ? reject(error) : resolve(count)));
        });
    }
    #readSome(parts, offset) {
        return new Promise((resolve, reject) => {
            fs.readv(this.#descriptor, parts, offset, (error, count) => (error ? reject(error) : resolve(count)));
        });
    }
    sync() {
        return new Promise((resolve, reject) => {
            fs.fdatasync(this.#descriptor, (error) => (error ? reject(error) : resolve()));
        });
    }
    size() {
        return new Promise((resolve, reject) => {
            fs.fstat(this.#descriptor, (error, stat) => (error ? reject(error) : resolve(stat.size)));
        });
    }
    close() {
        return new Promise((resolve, reject) => {
            fs.close(this.#descriptor, (error) => (error ? reject(error) : resolve()));
        });
    }
}
