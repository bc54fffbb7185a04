import { compareText } from "../../base/text-order.js";
import { entityKeyPast, lowestEntityKey } from "../../store/keys/table.js";
export function isWithin(bounds, { partitionKey, rowKey }) {
    const { startPartition, startRow, endPartition, endRow } = bounds;
    if (startPartition !== undefined) {
        const order = compareText(partitionKey, startPartition);
        if (order < 0)
            return false;
        if (order === 0 && startRow !== undefined && compareText(rowKey, startRow) < 0)
            return false;
    }
    if (endPartition !== undefined) {
        const order = compareText(partitionKey, endPartition);
        if (order > 0)
            return false;
        if (order === 0 && endRow !== undefined && compareText(rowKey, endRow) > 0)
            return false;
    }
    return true;
}
/** The same as keys of the store. */
export function rangeOfBounds(table, bounds) {
    const { startPartition, startRow, endPartition, endRow } = bounds;
    return {
        from: lowestEntityKey(table, included(startPartition), included(startRow)),
        to: entityKeyPast(table, included(endPartition), included(endRow)),
    };
}
function included(text) {
    return text === undefined ? undefined : { text, isInclusive: true };
}
