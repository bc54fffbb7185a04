/**
 * The SQL of Query Blob Contents, as a tree.
 *
 *   SELECT <* | expressions | aggregates> FROM BlobStorage[path] [alias] [WHERE condition] [LIMIT n]
 */
export interface SqlQuery {
    /** Undefined: everything, as it is. */
    readonly columns: readonly SqlColumn[] | undefined;
    /** Below each record of a JSON blob: BlobStorage[*].orders[*] */
    readonly from: readonly PathStep[];
    /** A name for each record, which columns may begin with. */
    readonly alias: string | undefined;
    readonly where: Expression | undefined;
    readonly limit: number | undefined;
}
export interface SqlColumn {
    readonly name: string | undefined;
    readonly expression: Expression;
}
export type PathStep = string | number | "[*]";
export type BinaryOperator = "=" | "<>" | "<" | "<=" | ">" | ">=" | "+" | "-" | "*" | "/" | "%" | "||" | "and" | "or";
export type Aggregate = "count" | "sum" | "avg" | "min" | "max";
export type SqlType = "int" | "float" | "string" | "bool" | "timestamp";
export type Expression = {
    readonly kind: "literal";
    readonly value: Value;
} | {
    readonly kind: "column";
    readonly path: readonly PathStep[];
} | {
    readonly kind: "binary";
    readonly operator: BinaryOperator;
    readonly left: Expression;
    readonly right: Expression;
} | {
    readonly kind: "not" | "negate" | "isNull";
    readonly of: Expression;
} | {
    readonly kind: "like";
    readonly of: Expression;
    readonly pattern: Expression;
    readonly escapeMark: string;
} | {
    readonly kind: "between";
    readonly of: Expression;
    readonly low: Expression;
    readonly high: Expression;
} | {
    readonly kind: "in";
    readonly of: Expression;
    readonly among: readonly Expression[];
} | {
    readonly kind: "cast";
    readonly of: Expression;
    readonly type: SqlType;
} | {
    readonly kind: "call";
    readonly name: string;
    readonly args: readonly Expression[];
} | {
    readonly kind: "case";
    readonly branches: readonly {
        readonly when: Expression;
        readonly result: Expression;
    }[];
    readonly otherwise: Expression;
} | {
    readonly kind: "aggregate";
    readonly name: Aggregate;
    readonly of: Expression | undefined;
};
/** What an expression comes to. Objects and arrays occur in JSON only. */
export type Value = string | number | boolean | null | Date | object;
/** The text of a query is wrong, or asks for what there is not. */
export declare class SqlError extends Error {
    readonly name = "SqlError";
}
export declare const SQL_LIMITS: {
    readonly expressionBytesMax: number;
    /** A row of operators becomes a tree as deep as it is long, and is walked from its root. */
    readonly tokensMax: 4000;
    readonly depthMax: 64;
    readonly recordCharsMax: number;
    readonly columnsMax: 4096;
    /** A pattern of LIKE is matched character by character, so its cost is bounded by both lengths. */
    readonly patternCharsMax: 4096;
};
