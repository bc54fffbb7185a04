import { assert } from "../../base/assert.js";
/** Written ranges as values: how long they are, and what is left of one when a part is taken away. */
export function lengthOf(record) {
    return "inline" in record ? record.inline.length : record.length;
}
export function slicesOf(record) {
    return "inline" in record ? [] : record.slices;
}
/** `length` bytes of the record from `start` on. It names only those slices that it still needs. */
export function partOf(record, start, length) {
    assert(start >= 0 && length > 0 && start + length <= lengthOf(record), "a part lies inside its range");
    if ("inline" in record)
        return { inline: record.inline.subarray(start, start + length) };
    const from = record.skip + start;
    const to = from + length;
    const slices = [];
    let skip = 0;
    let at = 0;
    for (const slice of record.slices) {
        const end = at + slice.length;
        if (end > from && at < to) {
            if (slices.length === 0)
                skip = from - at;
            slices.push(slice);
        }
        at = end;
    }
    return { slices, skip, length };
}
/** How often each slice is named by `after`, less how often by `before`. */
export function sliceChanges(before, after) {
    const counts = new Map();
    const add = (record, by) => {
        for (const slice of slicesOf(record)) {
            const key = `${slice.extent} ${slice.offset}`;
            const known = counts.get(key);
            if (known === undefined)
                counts.set(key, { slice, count: by });
            else
                known.count += by;
        }
    };
    for (const record of before)
        add(record, -1);
    for (const record of after)
        add(record, 1);
    const shared = [];
    const dropped = [];
    for (const { slice, count } of counts.values()) {
        for (let i = 0; i < count; i++)
            shared.push(slice);
        for (let i = 0; i > count; i--)
            dropped.push(slice);
    }
    return { shared, dropped };
}
