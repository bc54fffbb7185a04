import type { SqlType, Value } from "./sql.ts";
/** What values do, as plain functions. Nothing at all (null) goes through everything. */
export declare function textOf(value: Value): string | null;
/** CSV has texts only: one that is a number is taken for it beside a number. */
export declare function numberOf(value: Value): number | null;
/** Below, at or above zero; null when the two cannot be compared. */
export declare function compareValues(left: Value, right: Value): number | null;
export declare function castTo(value: Value, type: SqlType): Value;
export declare function isFunction(name: string): boolean;
export declare function callFunction(name: string, args: readonly Value[]): Value;
/**
 * LIKE: % is any text, _ any character, [abc] one of these. Matched with one step back at most, to the last %, so
 * that no pattern takes longer than the two lengths multiplied.
 */
export declare function isLike(text: string, pattern: string, escapeMark: string): boolean;
