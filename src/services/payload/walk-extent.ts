import type { Slice } from "../../extents/format.ts";
import { type Place, placeOfSliceKey, slicesOfExtent } from "../../store/keys/payload.ts";
import type { Reader } from "../../store/kv.ts";
import { sliceRecord } from "../../store/records/payload.ts";

/** A referenced slice in the scanned extent. */
export interface Resident {
  readonly home: Place;
  readonly slice: Slice;
}

/** The referenced slices whose bytes lie in this extent, in the order of the file. */
export async function* walkExtent(read: Reader, extent: bigint): AsyncGenerator<Resident> {
  for await (const { key, value } of read.range(slicesOfExtent(extent))) {
    const record = sliceRecord.unpack(value);
    const place = placeOfSliceKey(key);
    const slice = { ...place, length: record.length };
    if ("home" in record) yield { home: record.home, slice };
    // A home whose slice has moved away has no bytes here.
    else if (record.at === undefined) yield { home: place, slice };
  }
}
