import { assert } from "../base/assert.js";
import { errorCode, StorageFault } from "../base/faults.js";
import { LIMITS } from "../base/limits.js";
import { extentShape, fileNameOf, packFileHeader, storedBytes } from "./format.js";
import { GroupSync } from "./group-sync.js";
import { cutPieces } from "./pieces.js";
import { Flight, Taken } from "./taken.js";
import { WritableExtent, writeFault } from "./writable-extent.js";
/**
 * Appends payload to the open extent of this process. The order on disk, which makes a crash at any point safe:
 *
 *   1. the id and its owner are durable in the store         (a crash leaves a record without a file)
 *   2. the file, its header, its name in the directory       (a crash leaves an empty extent)
 *   3. frames, at offsets that nobody else has               (a crash leaves bytes nobody points to)
 *   4. a sync of the file, shared with everyone waiting
 *   5. the append resolves, and a service writes the record that points to the slices
 */
export class ExtentLog {
    device;
    shape;
    #options;
    #sync;
    #open;
    #opening;
    /** An id whose file could not be made yet: used for the next try, so a full disk does not use ids up. */
    #spareId;
    #leaving = new Set();
    #appends = 0;
    constructor(options) {
        this.device = options.device;
        this.shape = extentShape(options.shape);
        this.#options = options;
        this.#sync = new GroupSync(options.onSyncFailure);
    }
    /** The extent that takes appends now, how far it is filled, and whether any of them is not released yet. */
    get openExtent() {
        const open = this.#open;
        return open && { extent: open.id, bytes: open.tail, isPending: open.isPending };
    }
    /**
     * Streams a source to the disk, piece by piece; resolves when all of it is durable. The source gives its
     * buffers away. When it fails, so does the append, and what was written is dead.
     */
    append(source) {
        return this.#append(source, (bytes, taken) => this.#claim(bytes, taken));
    }
    /** The same for exactly `length` bytes that must stay one slice, as compaction needs it. */
    async appendWhole(source, length) {
        const roomBytes = storedBytes(length, this.shape);
        let room;
        let usedBytes = 0;
        const appended = await this.#append(source, async (bytes, taken) => {
            room ??= await this.#claim(roomBytes, taken);
            const spot = { extent: room.extent, offset: room.offset + usedBytes };
            usedBytes += bytes;
            if (usedBytes > roomBytes)
                throw new StorageFault(`a slice goes on after its ${length} bytes`);
            return spot;
        });
        if (appended.length === length)
            return appended;
        appended.release();
        throw new StorageFault(`a slice ended after ${appended.length} of ${length} bytes`);
    }
    async #append(source, claim) {
        // Nothing written after a failed sync can be trusted to be durable, and it is certain that this one is not.
        if (this.#sync.hasFailed)
            throw new StorageFault("the disk has failed");
        const taken = new Taken(this.shape, (extent) => this.#leaveIfDone(extent));
        const flight = new Flight();
        this.#appends++;
        try {
            for await (const piece of cutPieces(source, () => this.#pieceBytes())) {
                const spot = await claim(storedBytes(piece.length, this.shape), taken);
                taken.add(spot, piece.length);
                await flight.add(this.#write(spot, piece));
            }
            await flight.land();
            if (taken.length > 0)
                await this.#sync.sync();
        }
        catch (error) {
            await flight.settle();
            taken.release();
            throw error;
        }
        finally {
            this.#appends--;
        }
        return taken;
    }
    /** How much an append may gather: its share of the memory for all of them, in whole chunks. */
    #pieceBytes() {
        const { chunkBytes, pieceBytes } = this.shape;
        const share = LIMITS.appendMemoryBytes / (this.#appends * (LIMITS.piecesInFlightMax + 1));
        return Math.min(pieceBytes, Math.max(1, Math.floor(share / chunkBytes)) * chunkBytes);
    }
    async #write(spot, piece) {
        const bytes = await spot.extent.write(piece, spot.offset);
        this.#sync.wrote(spot.extent.file, bytes);
    }
    async #claim(bytes, taken) {
        for (;;) {
            const spot = this.#open?.claim(bytes);
            if (spot !== undefined) {
                // Held in the same step: an extent with claimed room must not be taken for finished.
                taken.hold(spot.extent);
                return spot;
            }
            this.#opening ??= this.#roll().finally(() => {
                this.#opening = undefined;
            });
            await this.#opening;
        }
    }
    /** Seals the open extent, if there is one, and opens the next. */
    async #roll() {
        this.seal();
        this.#spareId ??= await this.#options.nextExtentId();
        const id = this.#spareId;
        const file = await this.#createFile(id);
        this.#spareId = undefined;
        this.#open = new WritableExtent(id, file, this.shape);
    }
    async #createFile(id) {
        const name = fileNameOf(id);
        let file;
        try {
            file = await this.device.create(name);
            await file.write([packFileHeader(id, this.shape)], 0);
        }
        catch (error) {
            // The next try makes the file again, under the same id.
            await file?.close().catch(() => { });
            await this.device.remove(name).catch(() => { });
            throw writeFault(name, error);
        }
        // The header is synced with the first frames; nobody asks for it before.
        await this.#sync.syncWith(() => this.device.syncDirectory());
        return file;
    }
    /** No more appends go to the open extent; it is reported as sealed when its last append is released. */
    seal() {
        const extent = this.#open;
        if (extent === undefined)
            return;
        this.#open = undefined;
        extent.retire();
        this.#leaveIfDone(extent);
    }
    #leaveIfDone(extent) {
        if (extent.isRetired && this.#open === extent)
            this.#open = undefined;
        if (!extent.leave())
            return;
        const leaving = this.#leave(extent).finally(() => this.#leaving.delete(leaving));
        this.#leaving.add(leaving);
    }
    async #leave(extent) {
        // A sync in flight may be using this descriptor, and the size we report should outlive a crash.
        await this.#sync.sync();
        let bytes = extent.tail;
        try {
            // The size the file really has: room whose write failed may lie beyond its end.
            bytes = await extent.file.size();
            await extent.file.close();
        }
        catch {
            // All that matters is durable; recovery will read the size again.
            return;
        }
        this.#options.onSealed(extent.id, bytes);
    }
    /** Removes the file of an extent. Readers that hold it keep it; a file that is not there is fine. */
    async remove(extent) {
        assert(extent !== this.#open?.id, "the open extent is not removed");
        try {
            await this.device.remove(fileNameOf(extent));
        }
        catch (cause) {
            if (errorCode(cause) !== "ENOENT")
                throw new StorageFault(`cannot remove ${fileNameOf(extent)}`, { cause });
        }
    }
    /** Seals what is open and waits until everything sealed so far has been reported. */
    async close() {
        this.seal();
        await Promise.all(this.#leaving);
    }
}
