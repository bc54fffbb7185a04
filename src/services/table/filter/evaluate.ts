import type { EdmValue } from "../../../base/edm.ts";
import { compareText } from "../../text-order.ts";
import type { ComparisonOperator, Filter } from "./filter.ts";

/** The value of a property, undefined where the entity has none of that name. */
export type Lookup = (property: string) => EdmValue | undefined;

/**
 * Whether an entity meets a filter. A comparison with a property that is absent, or of a type that does not
 * compare with the literal's, is false whatever the operator; `not` turns that around. Numbers compare by
 * value whatever their types, as OData promotes them. Texts compare by code point, which is the order of the
 * keys.
 */
export function meets(filter: Filter, lookup: Lookup): boolean {
  switch (filter.kind) {
    case "and":
      for (const operand of filter.operands) if (!meets(operand, lookup)) return false;
      return true;
    case "or":
      for (const operand of filter.operands) if (meets(operand, lookup)) return true;
      return false;
    case "not":
      return !meets(filter.operand, lookup);
    case "comparison": {
      const value = lookup(filter.property);
      return value !== undefined && holds(value, filter.operator, filter.literal);
    }
    case "property": {
      const value = lookup(filter.property);
      return value?.type === "Boolean" && value.value;
    }
    case "constant":
      return filter.value;
  }
}

function holds(value: EdmValue, operator: ComparisonOperator, literal: EdmValue): boolean {
  if (isNumber(value)) return isNumber(literal) && ordered(value.value, operator, literal.value);
  if (value.type !== literal.type) return false;
  switch (value.type) {
    case "String":
      if (operator === "eq") return value.value === literal.value;
      return ordered(compareText(value.value, literal.value as string), operator, 0);
    case "Binary":
      return ordered(Buffer.compare(value.value, literal.value as Buffer), operator, 0);
    case "Boolean":
      return ordered(Number(value.value), operator, Number(literal.value));
    case "DateTime":
      return ordered(value.value, operator, literal.value as bigint);
    case "Guid":
      return ordered(compareText(value.value, literal.value as string), operator, 0);
  }
}

type NumberValue = Extract<EdmValue, { type: "Int32" | "Int64" | "Double" }>;

function isNumber(value: EdmValue): value is NumberValue {
  return value.type === "Int32" || value.type === "Int64" || value.type === "Double";
}

/** JavaScript compares bigint with number by their exact values; `==` does it for equality. */
function ordered(a: number | bigint, operator: ComparisonOperator, b: number | bigint): boolean {
  switch (operator) {
    case "eq":
      // biome-ignore lint/suspicious/noDoubleEquals: 1n and 1 are the same number of different types.
      return a == b;
    case "ne":
      // biome-ignore lint/suspicious/noDoubleEquals: as above.
      return a != b;
    case "gt":
      return a > b;
    case "ge":
      return a >= b;
    case "lt":
      return a < b;
    case "le":
      return a <= b;
  }
}
