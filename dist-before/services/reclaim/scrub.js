import { walkExtent } from "../payload/walk-extent.js";
/** Reads everything alive in an extent and returns the damage found: bits rot where nobody looks. */
export async function scrubExtent(payload, extent) {
    const { slices, unpin } = await payload.store.read(async (read) => {
        const found = [];
        for await (const { slice } of walkExtent(read, extent))
            found.push(slice);
        return { slices: found, unpin: payload.pins.pin([extent]) };
    });
    try {
        return slices.length === 0 ? [] : await payload.files.verify(extent, slices);
    }
    finally {
        unpin();
    }
}
