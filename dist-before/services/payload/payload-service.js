import { silentLog } from "../../base/log.js";
import { ExtentFiles } from "../../extents/extent-files.js";
import { ExtentLog } from "../../extents/extent-log.js";
import { ALL_EXTENTS, extentKey, LAST_EXTENT_KEY } from "../../store/keys/payload.js";
import { extentRecord, lastExtentRecord } from "../../store/records/payload.js";
import { isMostlyDead, isSmall, putExtent } from "./extent-ledger.js";
import { SlicedPayload } from "./open-payload.js";
import { Pins } from "./pins.js";
import { locate, References } from "./references.js";
/** Payload in extents of one directory, shared by the processes of one machine. */
export class PayloadService {
    store;
    owner;
    log;
    files;
    extents;
    references;
    pins = new Pins();
    /** Sealed by the log, not yet in the record. */
    #sealed = new Map();
    #recording = Promise.resolve();
    constructor({ store, device, onSyncFailure, log = silentLog, shape = {} }) {
        this.store = store;
        this.owner = store.ephemeral.owner;
        this.log = log;
        this.files = new ExtentFiles(device, { shape });
        this.extents = new ExtentLog({
            device,
            shape,
            nextExtentId: () => this.#nextExtentId(),
            onSealed: (extent, bytes) => {
                this.#sealed.set(extent, bytes);
                void this.recordSealed();
            },
            onSyncFailure,
        });
        this.references = new References(this.owner, this.files.shape);
    }
    append(source) {
        return this.extents.append(source);
    }
    keep(write, slices) {
        return this.references.keep(write, slices);
    }
    share(write, slices) {
        return this.references.share(write, slices);
    }
    drop(write, slices) {
        return this.references.drop(write, slices);
    }
    async open(read, slices, range) {
        const wanted = [];
        let length = 0;
        for (const slice of slices) {
            const isWanted = range === undefined || (length < range.from + range.length && length + slice.length > range.from);
            if (isWanted)
                wanted.push({ slice, start: length });
            length += slice.length;
        }
        const places = await locate(read, wanted.map(({ slice }) => slice));
        // Pinned before the snapshot ends: whoever removes a file asks for pins after the reads have ended.
        const unpin = this.pins.pin(places.map(({ extent }) => extent));
        const located = places.map((slice, i) => ({ slice, start: wanted[i].start }));
        return new SlicedPayload({ length, files: this.files, located, unpin });
    }
    async read(read, slices, range) {
        return streamAndClose(await this.open(read, slices, range), range);
    }
    /** Payload on disk, as the extent records count it. Reads all of them: for a scrape, not for a request. */
    figures() {
        return this.store.read(async (read) => {
            let liveBytes = 0;
            let bytes = 0;
            for await (const { value } of read.range(ALL_EXTENTS)) {
                const record = extentRecord.unpack(value);
                liveBytes += record.liveBytes;
                // An open extent has no size in its record yet; what lives in it is the least it can have.
                bytes += Math.max(record.bytes, record.liveBytes);
            }
            return { liveBytes, deadBytes: bytes - liveBytes };
        });
    }
    /** Puts into the records what the log has sealed. What fails now is tried again by the reclaimer's next step. */
    recordSealed() {
        this.#recording = this.#recording.then(async () => {
            const sealed = [...this.#sealed];
            if (sealed.length === 0)
                return;
            try {
                await this.store.write(async (write) => {
                    for (const [extent, bytes] of sealed)
                        await this.#sealRecord(write, extent, bytes);
                });
                for (const [extent] of sealed)
                    this.#sealed.delete(extent);
            }
            catch (err) {
                this.log.warn({ err }, "sealed extents could not be recorded yet");
            }
        });
        return this.#recording;
    }
    async #sealRecord(write, extent, bytes) {
        const stored = await write.get(extentKey(extent));
        const before = stored && extentRecord.unpack(stored);
        if (before === undefined || before.owner !== this.owner)
            return;
        putExtent(write, extent, { before, after: { ...before, state: "sealed", bytes } }, this.files.shape);
    }
    /** Seals the open extent when most of it is dead, so that an idle process does not sit on the space. */
    async sealIfMostlyDead() {
        const open = this.extents.openExtent;
        // What is pending looks dead, and is about to live.
        if (open === undefined || open.isPending || isSmall(open, this.files.shape))
            return;
        const stored = await this.store.read((read) => read.get(extentKey(open.extent)));
        const liveBytes = stored === undefined ? 0 : extentRecord.unpack(stored).liveBytes;
        const isStillOpen = this.extents.openExtent?.extent === open.extent;
        if (isStillOpen && isMostlyDead({ bytes: open.bytes, liveBytes }))
            this.extents.seal();
    }
    #nextExtentId() {
        return this.store.write(async (write) => {
            const stored = await write.get(LAST_EXTENT_KEY);
            const id = stored === undefined ? 1n : lastExtentRecord.unpack(stored).id + 1n;
            write.put(LAST_EXTENT_KEY, lastExtentRecord.pack({ id }));
            const record = { owner: this.owner, state: "open", bytes: 0, liveBytes: 0 };
            write.put(extentKey(id), extentRecord.pack(record));
            return id;
        });
    }
    /** Seals what is open. Appends must have ended; readers in flight finish on their own. */
    async close() {
        await this.extents.close();
        await this.recordSealed();
        this.files.close();
    }
}
/** A generator that was never started has no `finally` to run, so closing is tied to `return` as well. */
function streamAndClose(payload, range) {
    const inner = payload.stream(range.from, range.length)[Symbol.asyncIterator]();
    const iterator = {
        async next() {
            try {
                const step = await inner.next();
                if (step.done)
                    payload.close();
                return step;
            }
            catch (error) {
                payload.close();
                throw error;
            }
        },
        async return() {
            await inner.return?.();
            payload.close();
            return { done: true, value: undefined };
        },
    };
    return { [Symbol.asyncIterator]: () => iterator };
}
