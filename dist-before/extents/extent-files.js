import { DamagedData, errorCode } from "../base/faults.js";
import { checkFileHeader, extentOfFileName, extentShape, FILE_HEADER_BYTES, fileNameOf, } from "./format.js";
import { OpenFiles } from "./open-files.js";
import { loadRange, readSlice } from "./read-slice.js";
/** Reading side of the extents: verified ranges through descriptors that are shared, counted and bounded. */
export class ExtentFiles {
    device;
    shape;
    #open;
    constructor(device, options = {}) {
        this.device = device;
        this.shape = extentShape(options.shape);
        this.#open = new OpenFiles(device, this.shape, options.idleMax);
    }
    /** Descriptors open now. */
    get openCount() {
        return this.#open.count;
    }
    /**
     * Holds the files of these extents open: whatever is unlinked later, their slices can be read until `release`.
     * Rejects with `DamagedData` when one is missing or is not the file it should be.
     */
    async openForRead(extents) {
        const held = new Map();
        const release = () => {
            for (const file of held.values())
                file.release();
            held.clear();
        };
        try {
            for (const extent of extents)
                if (!held.has(extent))
                    held.set(extent, await this.#open.hold(extent));
        }
        catch (error) {
            release();
            throw error;
        }
        return { read: (slice, range) => this.#read(held.get(slice.extent), slice, range), release };
    }
    /** Data of a slice, in order, every chunk compared with its checksum first. Throws `DamagedData`. */
    read(slice, range) {
        return this.#read(undefined, slice, range);
    }
    /** A range of at most `LIMITS.extentReadBytes` in one buffer: without the steps of a stream, twice as fast. */
    async load(slice, range) {
        const held = await this.#open.hold(slice.extent);
        try {
            return await loadRange(held.file, slice, range, this.shape);
        }
        finally {
            held.release();
        }
    }
    async *#read(held, slice, range) {
        // Held once more for as long as this read lasts: the owner of `held` may let go in the middle of it.
        const own = held === undefined ? await this.#open.hold(slice.extent) : held.again();
        try {
            yield* readSlice(own.file, slice, range ?? { from: 0, length: slice.length }, this.shape);
        }
        finally {
            own.release();
        }
    }
    /** Reads all of these slices of one extent and returns the damage found, one error for each damaged slice. */
    async verify(extent, slices) {
        const damage = [];
        // A descriptor of its own: one opened long ago would not notice a file replaced since.
        const verdict = await this.check(extent);
        if (verdict.is !== "ok")
            return [new DamagedData(`extent file ${fileNameOf(extent)} is ${verdict.is}`)];
        for await (const slice of slices) {
            try {
                for await (const _ of this.read(slice))
                    ;
            }
            catch (error) {
                if (!(error instanceof DamagedData))
                    throw error;
                damage.push(error);
            }
        }
        return damage;
    }
    /** Looks at the file of an extent without trusting anything about it. */
    async check(extent) {
        let file;
        try {
            file = await this.device.open(fileNameOf(extent));
        }
        catch (error) {
            if (errorCode(error) === "ENOENT")
                return { is: "missing" };
            throw error;
        }
        try {
            const header = Buffer.alloc(FILE_HEADER_BYTES);
            const found = await file.read([header], 0);
            const verdict = checkFileHeader(header.subarray(0, found), extent, this.shape);
            return verdict === "ok" ? { is: "ok", bytes: await file.size() } : { is: verdict };
        }
        finally {
            await file.close();
        }
    }
    /** The extents that have a file, and its size. Other files in the directory are none of ours. */
    async list() {
        const found = new Map();
        for (const { name, bytes } of await this.device.list()) {
            const extent = extentOfFileName(name);
            if (extent !== undefined)
                found.set(extent, bytes);
        }
        return found;
    }
    /** The file goes away: its idle descriptor must not keep the space. */
    forget(extent) {
        this.#open.forget(extent);
    }
    close() {
        this.#open.close();
    }
}
