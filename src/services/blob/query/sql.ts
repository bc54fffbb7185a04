import type { DatePart, ExtractPart } from "./sql-dates.ts";

/**
 * The SQL of Query Blob Contents, as a tree.
 *
 *   SELECT <* | expressions | aggregates | sys.split(bytes)>
 *   FROM BlobStorage[path] [alias] [WHERE condition] [LIMIT n]
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
  /** sys.split: not records are wanted but the sizes of batches, each of this many bytes or little more. */
  readonly splitBytes?: number | undefined;
}

export interface SqlColumn {
  readonly name: string | undefined;
  readonly expression: Expression;
}

export type PathStep = string | number | "[*]";

export type BinaryOperator =
  | "="
  | "<>"
  | "<"
  | "<="
  | ">"
  | ">="
  | "+"
  | "-"
  | "*"
  | "/"
  | "%"
  | "||"
  | "and"
  | "or";

export type Aggregate = "count" | "sum" | "avg" | "min" | "max";

export type SqlType = "int" | "float" | "string" | "bool" | "timestamp";

export type Expression =
  | { readonly kind: "literal"; readonly value: Value }
  | { readonly kind: "column"; readonly path: readonly PathStep[] }
  | {
      readonly kind: "binary";
      readonly operator: BinaryOperator;
      readonly left: Expression;
      readonly right: Expression;
    }
  | { readonly kind: "not" | "negate" | "isNull"; readonly of: Expression }
  | { readonly kind: "isMissing"; readonly path: readonly PathStep[] }
  | { readonly kind: "dateAdd"; readonly part: DatePart; readonly count: Expression; readonly to: Expression }
  | { readonly kind: "dateDiff"; readonly part: DatePart; readonly from: Expression; readonly to: Expression }
  | { readonly kind: "extract"; readonly part: ExtractPart; readonly of: Expression }
  | {
      readonly kind: "like";
      readonly of: Expression;
      readonly pattern: Expression;
      readonly escapeMark: string;
    }
  | {
      readonly kind: "between";
      readonly of: Expression;
      readonly low: Expression;
      readonly high: Expression;
    }
  | { readonly kind: "in"; readonly of: Expression; readonly among: readonly Expression[] }
  | { readonly kind: "cast"; readonly of: Expression; readonly type: SqlType }
  | { readonly kind: "call"; readonly name: string; readonly args: readonly Expression[] }
  | {
      readonly kind: "case";
      readonly branches: readonly { readonly when: Expression; readonly result: Expression }[];
      readonly otherwise: Expression;
    }
  | { readonly kind: "aggregate"; readonly name: Aggregate; readonly of: Expression | undefined };

/** What an expression comes to. Objects and arrays occur in JSON only. */
export type Value = string | number | boolean | null | Date | object;

/** The text of a query is wrong, or asks for what there is not. */
export class SqlError extends Error {
  override readonly name = "SqlError";
}

/** The blob is not in the form it was said to be in: nothing after this can be read. */
export class FormError extends SqlError {}

/** One record has not what the query wants of it. It is told and left out, and the query goes on. */
export class RecordError extends Error {
  readonly code: keyof typeof RECORD_ERRORS;

  constructor(code: keyof typeof RECORD_ERRORS) {
    super(RECORD_ERRORS[code]);
    this.code = code;
  }
}

/** Names and texts as the service has them. */
const RECORD_ERRORS = {
  InvalidColumnOrdinal: "Invalid column ordinal.",
  InvalidTypeConversion: "Invalid type conversion.",
} as const;

export const SQL_LIMITS = {
  expressionBytesMax: 256 * 1_024,
  /** A row of operators becomes a tree as deep as it is long, and is walked from its root. */
  tokensMax: 4_000,
  depthMax: 64,
  recordCharsMax: 1_024 * 1_024,
  columnsMax: 4_096,
  splitBytesMin: 10 * 1_024 * 1_024,
  /** A pattern of LIKE is matched character by character, so its cost is bounded by both lengths. */
  patternCharsMax: 4_096,
  /**
   * Characters that one record may make us look at or print: a long record in a long query would take
   * seconds.
   */
  recordEffortMax: 4 * 1_024 * 1_024,
  /** A query that has computed for this long lets others go first. */
  sliceMillis: 1,
  restMillis: 1,
  /** How long a query may go on without a word, and so without noticing that its client is gone. */
  silenceMillis: 200,
  /** Text taken in at once. */
  pieceBytes: 8 * 1_024,
} as const;

/** What one record costs, counted in characters. */
export class Effort {
  #left: number = SQL_LIMITS.recordEffortMax;

  renew(): void {
    this.#left = SQL_LIMITS.recordEffortMax;
  }

  spend(characters: number): void {
    this.#left -= characters;
    if (this.#left < 0) throw new SqlError("the query takes too long for one record");
  }
}
