import { KIB } from "../base/limits.js";
/** Files that live as long as the process: for `--inMemory` and for tests. */
export class MemoryDevice {
    place = "memory";
    #files = new Map();
    async create(name) {
        if (this.#files.has(name))
            throw systemError("EEXIST", name);
        const file = new MemoryFile();
        this.#files.set(name, file);
        return file;
    }
    async open(name) {
        const file = this.#files.get(name);
        if (file === undefined)
            throw systemError("ENOENT", name);
        return file;
    }
    async list() {
        return [...this.#files].map(([name, file]) => ({ name, bytes: file.bytes }));
    }
    /** A reader that has the file keeps it, as with descriptors: the pages go when the last one lets go of it. */
    async remove(name) {
        if (!this.#files.delete(name))
            throw systemError("ENOENT", name);
    }
    async syncDirectory() { }
}
const PAGE_BYTES = 256 * KIB;
class MemoryFile {
    /** Pages, so that a file grows without being copied. */
    #pages = [];
    bytes = 0;
    async write(parts, offset) {
        let at = offset;
        for (const part of parts) {
            for (let from = 0; from < part.length;) {
                const page = this.#page(Math.floor(at / PAGE_BYTES));
                const start = at % PAGE_BYTES;
                const count = Math.min(part.length - from, PAGE_BYTES - start);
                page.set(part.subarray(from, from + count), start);
                from += count;
                at += count;
            }
        }
        this.bytes = Math.max(this.bytes, at);
    }
    async read(parts, offset) {
        let at = offset;
        for (const part of parts) {
            const end = Math.min(part.length, this.bytes - at);
            for (let to = 0; to < end;) {
                const start = at % PAGE_BYTES;
                const count = Math.min(end - to, PAGE_BYTES - start);
                part.set(this.#page(Math.floor(at / PAGE_BYTES)).subarray(start, start + count), to);
                to += count;
                at += count;
            }
            if (end < part.length)
                break;
        }
        return at - offset;
    }
    #page(index) {
        for (let next = this.#pages.length; next <= index; next++)
            this.#pages.push(Buffer.alloc(PAGE_BYTES));
        return this.#pages[index];
    }
    async sync() { }
    async size() {
        return this.bytes;
    }
    async close() { }
}
export function systemError(code, name) {
    return Object.assign(new Error(`${code}: ${name}`), { code });
}
