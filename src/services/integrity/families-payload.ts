import { extentShape, type Slice, storedBytes } from "../../extents/format.ts";
import { extentOfKey, LAST_EXTENT_KEY, type Place, placeOfSliceKey } from "../../store/keys/payload.ts";
import type { Entry } from "../../store/kv.ts";
import { extentRecord, lastExtentRecord, sliceRecord } from "../../store/records/payload.ts";
import type { Family, RelationSink } from "./relations.ts";

const shape = extentShape();

const extentName = (extent: bigint): string => `extent/${extent}`;
const sliceAccount = ({ extent, offset, length }: Slice): string => `${extent}/${offset}/${length}`;
const moveAccount = (home: Place, to: Place, length: number): string =>
  `${home.extent}/${home.offset}/${length}/${to.extent}/${to.offset}`;

/** One reference of a record to each of these slices. */
export function postSlices(to: RelationSink, slices: readonly Slice[]): void {
  for (const slice of slices) to.post("references", sliceAccount(slice), 1);
}

/** Where the bytes of the slice of this entry lie in its extent; undefined for one that moved away. */
function residentOf({ key, value }: Entry): Slice | undefined {
  const record = sliceRecord.unpack(value);
  return "refs" in record && record.at !== undefined
    ? undefined
    : { ...placeOfSliceKey(key), length: record.length };
}

export const PAYLOAD_FAMILIES: Readonly<Record<string, Family>> = {
  xn: {
    what: "last extent id",
    describe({ value }, to) {
      to.limit("extent", lastExtentRecord.unpack(value).id, (id) => ({
        key: LAST_EXTENT_KEY,
        value: lastExtentRecord.pack({ id }),
      }));
    },
  },
  xe: {
    what: "extent",
    declaresFirst: true,
    describe({ key, value }, to) {
      const extent = extentOfKey(key);
      const { liveBytes, bytes, state } = extentRecord.unpack(value);
      to.declare(extentName(extent));
      to.atMost("extent", extent);
      to.post("liveBytes", String(extent), -liveBytes);
      if (state === "sealed" && liveBytes > bytes)
        to.problem({ kind: "extent-size", message: `${liveBytes} live bytes in a file of ${bytes}` });
    },
  },
  xs: {
    what: "slice of payload",
    describe(entry, to, previous) {
      const place = placeOfSliceKey(entry.key);
      const record = sliceRecord.unpack(entry.value);
      const { length } = record;
      if ("refs" in record) {
        to.post("references", sliceAccount({ ...place, length }), -record.refs);
        if (!(record.refs > 0))
          to.problem({ kind: "slice-unreferenced", message: `a slice has ${record.refs} references` });
        if (record.at !== undefined) to.post("movedSlice", moveAccount(place, record.at, length), 1);
      } else to.post("movedSlice", moveAccount(record.home, place, length), -1);
      const slice = residentOf(entry);
      if (slice === undefined) return;
      to.need(extentName(slice.extent));
      to.post("liveBytes", String(slice.extent), storedBytes(length, shape));
      const before = previous && residentOf(previous);
      if (before?.extent === slice.extent && before.offset + storedBytes(before.length, shape) > slice.offset)
        to.problem({ kind: "slice-overlap", message: `overlaps the slice at offset ${before.offset}` });
    },
  },
  xd: {
    what: "worn extent",
    describe({ key }, to) {
      if (!to.isDeclared(extentName(extentOfKey(key))))
        to.problem({ kind: "worn-extent", message: "names an extent without a record", isUseless: true });
    },
  },
};
