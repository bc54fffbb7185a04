import { assert } from "../../base/assert.js";
import { StorageFault } from "../../base/faults.js";
import { LIMITS } from "../../base/limits.js";
import { FILE_HEADER_BYTES, fileNameOf } from "../../extents/format.js";
import { extentKey, wornExtentKey } from "../../store/keys/payload.js";
import { extentRecord } from "../../store/records/payload.js";
const EMPTY = Buffer.alloc(0);
/** Changes of live bytes within one call: each extent record is read once and written once. */
export class ExtentLedger {
    #owner;
    #shape;
    #changes = new Map();
    constructor(owner, shape) {
        this.#owner = owner;
        this.#shape = shape;
    }
    add(extent, bytes) {
        this.#changes.set(extent, (this.#changes.get(extent) ?? 0) + bytes);
    }
    async apply(write) {
        const extents = [...this.#changes.keys()];
        const records = await write.getMany(extents.map(extentKey));
        for (const [i, extent] of extents.entries()) {
            const change = this.#changes.get(extent);
            if (change !== 0)
                this.#applyOne(write, extent, records[i], change);
        }
    }
    #applyOne(write, extent, stored, change) {
        const record = stored && extentRecord.unpack(stored);
        // Bytes are only ever added to an extent we have open. If it was taken from us (this process stood still and
        // was held for dead), it may be on its way to removal: the new reference must not be made.
        if (change > 0 && (record?.state !== "open" || record.owner !== this.#owner)) {
            throw new StorageFault(`extent ${fileNameOf(extent)} is no longer ours to write`);
        }
        assert(record !== undefined, `extent ${extent} has live bytes and no record`);
        const liveBytes = record.liveBytes + change;
        assert(liveBytes >= 0, `extent ${extent} would have ${liveBytes} live bytes`);
        putExtent(write, extent, { before: record, after: { ...record, liveBytes } }, this.#shape);
    }
}
/** Writes an extent record, and the note for the reclaimer when the extent has just become worth a look. */
export function putExtent(write, extent, { before, after }, shape) {
    write.put(extentKey(extent), extentRecord.pack(after));
    if (isWorn(after, shape) && !isWorn(before, shape))
        write.put(wornExtentKey(extent), EMPTY);
}
function isWorn(record, shape) {
    return record.state === "sealed" && (isMostlyDead(record) || isSmall(record, shape));
}
export function isMostlyDead({ bytes, liveBytes }) {
    return liveBytes === 0 || liveBytes < (bytes - FILE_HEADER_BYTES) * LIMITS.liveShareMin;
}
export function isSmall({ bytes }, shape) {
    return bytes < shape.extentBytesMax * LIMITS.smallExtentShare;
}
