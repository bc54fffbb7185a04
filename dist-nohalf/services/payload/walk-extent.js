import { placeOfSliceKey, slicesOfExtent } from "../../store/keys/payload.js";
import { sliceRecord } from "../../store/records/payload.js";
/** The referenced slices whose bytes lie in this extent, in the order of the file. */
export async function* walkExtent(read, extent) {
    for await (const { key, value } of read.range(slicesOfExtent(extent))) {
        const record = sliceRecord.unpack(value);
        const place = placeOfSliceKey(key);
        const slice = { ...place, length: record.length };
        if ("home" in record)
            yield { home: record.home, slice };
        // A home whose slice has moved away has no bytes here.
        else if (record.at === undefined)
            yield { home: place, slice };
    }
}
