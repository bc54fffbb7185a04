import fc from "fast-check";
import type { EdmValue } from "../../src/base/edm.ts";

/**
 * Filters made at random, printed as a client would write them, and read by the plainest interpreter there
 * can be: it looks at values one type at a time and shares nothing with the server.
 */
export type Expression =
  | { readonly op: "and" | "or"; readonly left: Expression; readonly right: Expression }
  | { readonly op: "not"; readonly inner: Expression }
  | { readonly op: "flag"; readonly name: string }
  | {
      readonly op: "eq" | "ne" | "gt" | "ge" | "lt" | "le";
      readonly name: string;
      readonly literal: EdmValue;
      readonly isMirrored: boolean;
    };

export type PlainEntity = Readonly<Record<string, EdmValue>>;

const TEXTS = ["", "a", "ab", "b", "it's", "Z", "é", "\uff01", "😀", "true"];
const text = fc.constantFrom(...TEXTS).map((value): EdmValue => ({ type: "String", value }));
const small = fc.integer({ min: -2, max: 2 });

const value: fc.Arbitrary<EdmValue> = fc.oneof(
  text,
  small.map((value): EdmValue => ({ type: "Int32", value })),
  fc
    .constantFrom(-2n, 0n, 1n, 2n, 9_007_199_254_740_993n, -(2n ** 63n), 2n ** 63n - 1n)
    .map((value): EdmValue => ({ type: "Int64", value })),
  fc
    .constantFrom(-2, -0.5, 0, 1, 1.5, 9_007_199_254_740_992, 9.223372036854776e18, 1e300)
    .map((value): EdmValue => ({ type: "Double", value })),
  fc.boolean().map((value): EdmValue => ({ type: "Boolean", value })),
  fc
    .constantFrom(504_911_232_000_000_000n, 637_134_336_000_000_001n, 637_134_336_000_000_002n)
    .map((value): EdmValue => ({ type: "DateTime", value })),
  fc
    .constantFrom("00000000-0000-0000-0000-000000000000", "a455c695-df98-5678-aaaa-81d3367e5a34")
    .map((value): EdmValue => ({ type: "Guid", value })),
  fc
    .constantFrom("", "00", "61", "6162", "ff")
    .map((hex): EdmValue => ({ type: "Binary", value: Buffer.from(hex, "hex") })),
);

/** What an entity may hold and a filter cannot write down. */
const onlyStored: fc.Arbitrary<EdmValue> = fc
  .constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY)
  .map((value): EdmValue => ({ type: "Double", value }));

const NAMES = ["x", "y", "é"];

export const plainEntity: fc.Arbitrary<PlainEntity> = fc.record(
  {
    PartitionKey: text,
    RowKey: text,
    x: fc.oneof({ weight: 9, arbitrary: value }, { weight: 1, arbitrary: onlyStored }),
    y: value,
    é: value,
  },
  { requiredKeys: ["PartitionKey", "RowKey"] },
) as fc.Arbitrary<PlainEntity>;

const comparison: fc.Arbitrary<Expression> = fc.oneof(
  fc.record({
    op: fc.constantFrom("eq", "ne", "gt", "ge", "lt", "le"),
    name: fc.constantFrom("PartitionKey", "RowKey"),
    literal: fc.oneof({ weight: 9, arbitrary: text }, { weight: 1, arbitrary: value }),
    isMirrored: fc.boolean(),
  }),
  fc.record({
    op: fc.constantFrom("eq", "ne", "gt", "ge", "lt", "le"),
    name: fc.constantFrom(...NAMES, "absent"),
    literal: value,
    isMirrored: fc.boolean(),
  }),
) as fc.Arbitrary<Expression>;

export const expression: fc.Arbitrary<Expression> = fc.letrec<{ node: Expression }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    { weight: 4, arbitrary: comparison },
    {
      weight: 1,
      arbitrary: fc.record({ op: fc.constant("flag" as const), name: fc.constantFrom(...NAMES) }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        op: fc.constantFrom("and" as const, "or" as const),
        left: tie("node"),
        right: tie("node"),
      }),
    },
    { weight: 2, arbitrary: fc.record({ op: fc.constant("not" as const), inner: tie("node") }) },
  ),
})).node;

/** Parentheses everywhere: what stands where is said, not left to precedence. */
export function printExpression(node: Expression): string {
  switch (node.op) {
    case "and":
    case "or":
      return `(${printExpression(node.left)} ${node.op} ${printExpression(node.right)})`;
    case "not":
      return `not (${printExpression(node.inner)})`;
    case "flag":
      return node.name;
    default: {
      const literal = printLiteral(node.literal);
      if (!node.isMirrored) return `${node.name} ${node.op} ${literal}`;
      const mirrored = { eq: "eq", ne: "ne", gt: "lt", ge: "le", lt: "gt", le: "ge" }[node.op];
      return `${literal} ${mirrored} ${node.name}`;
    }
  }
}

function printLiteral({ type, value }: EdmValue): string {
  switch (type) {
    case "String":
      return `'${value.split("'").join("''")}'`;
    case "Int32":
    case "Boolean":
      return String(value);
    case "Int64":
      return `${value}L`;
    case "Double":
      return Number.isInteger(value) && Math.abs(value) < 1e15 ? `${value}.0` : String(value);
    case "DateTime": {
      // 1601 and two neighbours in 2020, written by hand.
      const fraction = String(value % 10_000_000n).padStart(7, "0");
      return value < 600_000_000_000_000_000n
        ? "datetime'1601-01-01T00:00:00Z'"
        : `datetime'2020-01-01T00:00:00.${fraction}Z'`;
    }
    case "Guid":
      return `guid'${value.toUpperCase()}'`;
    case "Binary":
      return `X'${value.toString("hex")}'`;
  }
}

export function isMet(node: Expression, entity: PlainEntity): boolean {
  switch (node.op) {
    case "and":
      return isMet(node.left, entity) && isMet(node.right, entity);
    case "or":
      return isMet(node.left, entity) || isMet(node.right, entity);
    case "not":
      return !isMet(node.inner, entity);
    case "flag": {
      const found = entity[node.name];
      return found?.type === "Boolean" && found.value === true;
    }
    default: {
      const found = entity[node.name];
      const order = found === undefined ? undefined : orderOf(found, node.literal);
      if (order === undefined) return false;
      if (Number.isNaN(order)) return node.op === "ne";
      const answers = {
        eq: order === 0,
        ne: order !== 0,
        gt: order > 0,
        ge: order >= 0,
        lt: order < 0,
        le: order <= 0,
      };
      return answers[node.op];
    }
  }
}

/**
 * Negative, zero or positive; NaN when neither comes first nor are they equal; undefined when they do not
 * compare.
 */
function orderOf(a: EdmValue, b: EdmValue): number | undefined {
  const numbers = ["Int32", "Int64", "Double"];
  if (numbers.includes(a.type) && numbers.includes(b.type)) {
    return orderOfNumbers(a.value as number | bigint, b.value as number | bigint);
  }
  if (a.type !== b.type) return undefined;
  if (a.type === "Binary" || a.type === "String" || a.type === "Guid") {
    return Buffer.compare(Buffer.from(a.value as string), Buffer.from(b.value as string));
  }
  return a.value === b.value ? 0 : a.value < b.value ? -1 : 1;
}

/** Whole parts as bigints first, then what is behind the point. */
function orderOfNumbers(a: number | bigint, b: number | bigint): number {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number.NaN;
  if (a === Number.POSITIVE_INFINITY) return b === Number.POSITIVE_INFINITY ? 0 : 1;
  if (a === Number.NEGATIVE_INFINITY) return b === Number.NEGATIVE_INFINITY ? 0 : -1;
  if (b === Number.POSITIVE_INFINITY) return -1;
  if (b === Number.NEGATIVE_INFINITY) return 1;
  const whole = (n: number | bigint): bigint => (typeof n === "bigint" ? n : BigInt(Math.floor(n)));
  const rest = (n: number | bigint): number => (typeof n === "bigint" ? 0 : n - Math.floor(n));
  if (whole(a) !== whole(b)) return whole(a) < whole(b) ? -1 : 1;
  return rest(a) - rest(b);
}
