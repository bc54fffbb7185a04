import { TABLE_LIMITS } from "../../../base/limits-table.js";
import { compareText } from "../../../base/text-order.js";
import { entityKeyPast, lowestEntityKey } from "../../../store/keys/table.js";
const EVERYTHING = {};
const ANYWHERE = [{ partition: EVERYTHING, row: EVERYTHING }];
const NOWHERE = [];
/** Ascending and apart from one another. */
export function keyRangesOf(table, filter) {
    const boxes = filter === undefined ? ANYWHERE : boxesOf(filter, false);
    const ranges = boxes.map(({ partition, row }) => ({
        from: lowestEntityKey(table, partition.low, row.low),
        to: entityKeyPast(table, partition.high, row.high),
    }));
    return joined(ranges.filter(({ from, to }) => from < to));
}
/** Overlapping ranges become one: an entity is met once. */
function joined(ranges) {
    ranges.sort((a, b) => (a.from < b.from ? -1 : a.from > b.from ? 1 : 0));
    const apart = [];
    for (const range of ranges) {
        const last = apart.at(-1);
        if (last === undefined || range.from > last.to)
            apart.push(range);
        else if (range.to > last.to)
            apart[apart.length - 1] = { from: last.from, to: range.to };
    }
    return apart;
}
function boxesOf(filter, isNegated) {
    switch (filter.kind) {
        case "and":
        case "or": {
            const isUnion = (filter.kind === "or") !== isNegated;
            const parts = filter.operands.map((operand) => boxesOf(operand, isNegated));
            return isUnion ? atMost(parts.flat()) : parts.reduce(intersect);
        }
        case "not":
            return boxesOf(filter.operand, !isNegated);
        case "comparison":
            return boxesOfComparison(filter, isNegated);
        case "property":
            return ANYWHERE;
        case "constant":
            return filter.value === isNegated ? NOWHERE : ANYWHERE;
    }
}
const OPPOSITE = {
    eq: "ne",
    ne: "eq",
    gt: "le",
    ge: "lt",
    lt: "ge",
    le: "gt",
};
function boxesOfComparison({ property, operator, literal }, isNegated) {
    if (property !== "PartitionKey" && property !== "RowKey")
        return ANYWHERE;
    // Keys are texts: a comparison with anything else is false for every entity.
    if (literal.type !== "String")
        return isNegated ? ANYWHERE : NOWHERE;
    const interval = intervalOf(isNegated ? OPPOSITE[operator] : operator, literal.value);
    if (interval === undefined)
        return NOWHERE;
    if (interval === EVERYTHING)
        return ANYWHERE;
    return property === "PartitionKey"
        ? [{ partition: interval, row: EVERYTHING }]
        : [{ partition: EVERYTHING, row: interval }];
}
function intervalOf(operator, text) {
    // No key is that long, nor half a character: nothing equals it, and for the rest the filter itself decides.
    if (text.length > TABLE_LIMITS.keyCharsMax || !text.isWellFormed()) {
        return operator === "eq" ? undefined : EVERYTHING;
    }
    const included = { text, isInclusive: true };
    const excluded = { text, isInclusive: false };
    switch (operator) {
        case "eq":
            return { low: included, high: included };
        case "ne":
            return EVERYTHING;
        case "gt":
            return { low: excluded };
        case "ge":
            return { low: included };
        case "lt":
            return { high: excluded };
        case "le":
            return { high: included };
    }
}
function intersect(left, right) {
    if (left === ANYWHERE)
        return right;
    if (right === ANYWHERE)
        return left;
    const found = [];
    for (const a of left) {
        for (const b of right) {
            const box = {
                partition: overlap(a.partition, b.partition),
                row: overlap(a.row, b.row),
            };
            if (!isEmpty(box.partition) && !isEmpty(box.row))
                found.push(box);
        }
    }
    return atMost(found);
}
function overlap(a, b) {
    return { low: laterLow(a.low, b.low, 1), high: laterHigh(a.high, b.high, 1) };
}
function atMost(boxes) {
    if (boxes.length <= TABLE_LIMITS.filterRangesMax)
        return boxes;
    return [
        {
            partition: boxes.map(({ partition }) => partition).reduce(around),
            row: boxes.map(({ row }) => row).reduce(around),
        },
    ];
}
function around(a, b) {
    return {
        low: a.low === undefined || b.low === undefined ? undefined : laterLow(a.low, b.low, -1),
        high: a.high === undefined || b.high === undefined ? undefined : laterHigh(a.high, b.high, -1),
    };
}
/** The narrower lower bound of two, or with sign -1 the wider; a missing one bounds nothing. */
function laterLow(a, b, sign) {
    if (a === undefined || b === undefined)
        return a ?? b;
    const order = sign * (compareText(a.text, b.text) || Number(b.isInclusive) - Number(a.isInclusive));
    return order >= 0 ? a : b;
}
function laterHigh(a, b, sign) {
    if (a === undefined || b === undefined)
        return a ?? b;
    const order = sign * (compareText(a.text, b.text) || Number(a.isInclusive) - Number(b.isInclusive));
    return order <= 0 ? a : b;
}
function isEmpty({ low, high }) {
    if (low === undefined || high === undefined)
        return false;
    const order = compareText(low.text, high.text);
    return order > 0 || (order === 0 && !(low.isInclusive && high.isInclusive));
}
