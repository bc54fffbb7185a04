import type { Filter } from "../../../services/table/filter/filter.ts";
/**
 * `$filter`, by recursive descent. Depth and the number of comparisons are bounded, so that a filter costs its
 * reader and its evaluator little, whoever wrote it.
 *
 *   or         = and ("or" and)*
 *   and        = unary ("and" unary)*
 *   unary      = "not" unary | "(" or ")" | comparison | property | true | false
 *   comparison = property operator literal | literal operator property
 */
export declare function parseFilter(text: string): Filter;
