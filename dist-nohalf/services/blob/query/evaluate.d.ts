import type { Aggregate, Expression, PathStep, Value } from "./sql.ts";
/** A record as expressions see it. */
export interface Row {
    column(path: readonly PathStep[]): Value;
}
/** Three-valued, as SQL is: null is "not known", and what is not known is not taken. */
export declare function evaluate(expression: Expression, row: Row): Value;
export declare function truth(value: Value): boolean | null;
/** One aggregate over the rows that pass by. What is null does not count. */
export declare class Accumulator {
    #private;
    constructor(name: Aggregate, of: Expression | undefined);
    add(row: Row): void;
    result(): Value;
}
