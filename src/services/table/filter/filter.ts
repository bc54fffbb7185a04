import type { EdmValue } from "../../../base/edm.ts";

/**
 * A parsed filter as a tree. A comparison has the property on its left; `and` and `or` hold any
 * number of operands, so that a long chain is wide and not deep.
 */
export type ComparisonOperator = "eq" | "ne" | "gt" | "ge" | "lt" | "le";

export type Filter =
  | { readonly kind: "and" | "or"; readonly operands: readonly Filter[] }
  | { readonly kind: "not"; readonly operand: Filter }
  | {
      readonly kind: "comparison";
      readonly property: string;
      readonly operator: ComparisonOperator;
      readonly literal: EdmValue;
    }
  /** A Boolean property standing for itself. */
  | { readonly kind: "property"; readonly property: string }
  | { readonly kind: "constant"; readonly value: boolean };
