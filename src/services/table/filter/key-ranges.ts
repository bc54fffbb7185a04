import { entityKeyAfter, type KeyBound, lowestEntityKey } from "../../../store/keys/table.ts";
import type { Range } from "../../../store/kv.ts";
import { compareText } from "../../text-order.ts";
import { TABLE_LIMITS } from "../limits.ts";
import type { ComparisonOperator, Filter } from "./filter.ts";

/**
 * Where in a table the entities of a filter can be: everything the filter says about PartitionKey and RowKey,
 * as ranges of the store's keys. The ranges may hold entities that do not meet the filter, never the other
 * way round.
 *
 * A box bounds both keys. `and` intersects boxes, `or` collects them, `not` turns comparisons around, and
 * what says nothing about keys is one box without bounds. Past a number of boxes, one box around all of them.
 */
interface Interval {
  readonly low?: KeyBound | undefined;
  readonly high?: KeyBound | undefined;
}

interface Box {
  readonly partition: Interval;
  readonly row: Interval;
}

const EVERYTHING: Interval = {};
const ANYWHERE: readonly Box[] = [{ partition: EVERYTHING, row: EVERYTHING }];
const NOWHERE: readonly Box[] = [];

/** Ascending and apart from one another. */
export function keyRangesOf(table: bigint, filter: Filter | undefined): Range[] {
  const boxes = filter === undefined ? ANYWHERE : boxesOf(filter, false);
  const ranges = boxes.map(({ partition, row }) => ({
    from: lowestEntityKey(table, partition.low, row.low),
    to: entityKeyAfter(table, partition.high, row.high),
  }));
  return joined(ranges.filter(({ from, to }) => from < to));
}

/** Overlapping ranges become one: an entity is met once. */
function joined(ranges: Range[]): Range[] {
  ranges.sort((a, b) => (a.from < b.from ? -1 : a.from > b.from ? 1 : 0));
  const apart: Range[] = [];
  for (const range of ranges) {
    const last = apart.at(-1);
    if (last === undefined || range.from > last.to) apart.push(range);
    else if (range.to > last.to) apart[apart.length - 1] = { from: last.from, to: range.to };
  }
  return apart;
}

function boxesOf(filter: Filter, isNegated: boolean): readonly Box[] {
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

const OPPOSITE: Readonly<Record<ComparisonOperator, ComparisonOperator>> = {
  eq: "ne",
  ne: "eq",
  gt: "le",
  ge: "lt",
  lt: "ge",
  le: "gt",
};

function boxesOfComparison(
  { property, operator, literal }: Extract<Filter, { kind: "comparison" }>,
  isNegated: boolean,
): readonly Box[] {
  if (property !== "PartitionKey" && property !== "RowKey") return ANYWHERE;
  // Keys are texts: a comparison with anything else is false for every entity.
  if (literal.type !== "String") return isNegated ? ANYWHERE : NOWHERE;
  const interval = intervalOf(isNegated ? OPPOSITE[operator] : operator, literal.value);
  if (interval === undefined) return NOWHERE;
  if (interval === EVERYTHING) return ANYWHERE;
  return property === "PartitionKey"
    ? [{ partition: interval, row: EVERYTHING }]
    : [{ partition: EVERYTHING, row: interval }];
}

function intervalOf(operator: ComparisonOperator, text: string): Interval | undefined {
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

function intersect(left: readonly Box[], right: readonly Box[]): readonly Box[] {
  if (left === ANYWHERE) return right;
  if (right === ANYWHERE) return left;
  const found: Box[] = [];
  for (const a of left) {
    for (const b of right) {
      const box = {
        partition: overlap(a.partition, b.partition),
        row: overlap(a.row, b.row),
      };
      if (!isEmpty(box.partition) && !isEmpty(box.row)) found.push(box);
    }
  }
  return atMost(found);
}

function overlap(a: Interval, b: Interval): Interval {
  return { low: laterLow(a.low, b.low, 1), high: laterHigh(a.high, b.high, 1) };
}

function atMost(boxes: readonly Box[]): readonly Box[] {
  if (boxes.length <= TABLE_LIMITS.filterRangesMax) return boxes;
  return [
    {
      partition: boxes.map(({ partition }) => partition).reduce(around),
      row: boxes.map(({ row }) => row).reduce(around),
    },
  ];
}

function around(a: Interval, b: Interval): Interval {
  return {
    low: a.low === undefined || b.low === undefined ? undefined : laterLow(a.low, b.low, -1),
    high: a.high === undefined || b.high === undefined ? undefined : laterHigh(a.high, b.high, -1),
  };
}

/** The narrower lower bound of two, or with sign -1 the wider; a missing one bounds nothing. */
function laterLow(a: KeyBound | undefined, b: KeyBound | undefined, sign: 1 | -1): KeyBound | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const order = sign * (compareText(a.text, b.text) || Number(b.isInclusive) - Number(a.isInclusive));
  return order >= 0 ? a : b;
}

function laterHigh(a: KeyBound | undefined, b: KeyBound | undefined, sign: 1 | -1): KeyBound | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const order = sign * (compareText(a.text, b.text) || Number(a.isInclusive) - Number(b.isInclusive));
  return order <= 0 ? a : b;
}

function isEmpty({ low, high }: Interval): boolean {
  if (low === undefined || high === undefined) return false;
  const order = compareText(low.text, high.text);
  return order > 0 || (order === 0 && !(low.isInclusive && high.isInclusive));
}
