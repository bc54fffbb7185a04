import type { DatePart, ExtractPart } from "./sql-dates.ts";

/**
 * The SQL of Query Blob Contents, as a tree.
 *
 *   SELECT <* | expressions | aggregates | sys.split(bytes)>
 *   FROM BlobStorage[path] [alias] [WHERE condition] [LIMIT n]
 */
export interface SqlQuery {
  /** Undefined for `*`: each record as it is. */
  readonly columns: readonly SqlColumn[] | undefined;
  /** A path below each record of a JSON blob: BlobStorage[*].orders[*] */
  readonly from: readonly PathStep[];
  /** A name for the record, with which columns may begin. */
  readonly alias: string | undefined;
  readonly where: Expression | undefined;
  readonly limit: number | undefined;
  /** sys.split returns the sizes of batches of records instead, each of at least this many bytes. */
  readonly splitBytes?: number | undefined;
}

export interface SqlColumn {
  readonly name: string | undefined;
  readonly expression: Expression;
}

export type PathStep = string | number | "[*]";

export type Comparison = "=" | "<>" | "<" | "<=" | ">" | ">=";
export type Arithmetic = "+" | "-" | "*" | "/" | "%";
export type BinaryOperator = Comparison | Arithmetic | "||" | "and" | "or";

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

/** The value of an expression. Objects and arrays occur in JSON only. */
export type Value = string | number | boolean | null | Date | object;

/** The text of a query is invalid, or names something that does not exist. */
export class SqlError extends Error {
  override readonly name = "SqlError";
}

/** The blob is not in the declared format: the rest of it cannot be read. */
export class FormError extends SqlError {}

/** A record does not fit the schema of the output, which ends the reply. */
export class SchemaError extends SqlError {}

/** One record does not fit the query. It is reported and left out, and the query continues. */
export class RecordError extends Error {
  readonly code: keyof typeof RECORD_ERRORS;
  /** The place among the selected columns. */
  column = 0;

  constructor(code: keyof typeof RECORD_ERRORS) {
    super(code);
    this.code = code;
  }

  get description(): string {
    return RECORD_ERRORS[this.code](this.column);
  }
}

/** Names and texts as Azure has them. */
const RECORD_ERRORS = {
  InvalidColumnOrdinal: (column: number) => `Column ordinal ${column} does not exist in row.`,
  InvalidTypeConversion: () => "Invalid type conversion.",
} as const;

export const SQL_LIMITS = {
  expressionBytesMax: 256 * 1_024,
  /** A chain of operators becomes a tree as deep as the chain is long, which is evaluated recursively. */
  tokensMax: 4_000,
  depthMax: 64,
  recordCharsMax: 1_024 * 1_024,
  columnsMax: 4_096,
  splitBytesMin: 10 * 1_024 * 1_024,
  /** Matching LIKE costs up to the product of both lengths. */
  patternCharsMax: 4_096,
  /** Characters that one record may make a query read or print, so that no record takes seconds. */
  recordEffortMax: 4 * 1_024 * 1_024,
  /** A query yields to other requests after this time. */
  sliceMillis: 1,
  /** The longest time without output: only output shows that the client has disconnected. */
  silenceMillis: 200,
  /** The errors of records that are held back until the data before them has been sent. */
  errorsWaitingMax: 1_000,
  /** Bytes parsed at once. */
  chunkBytes: 8 * 1_024,
} as const;

/** What a Parquet file may cost. A process of its own reads it, which the server ends beyond these limits. */
export const PARQUET_LIMITS = {
  readersMax: 4,
  metadataBytesMax: 16 * 1_024 * 1_024,
  pageHeaderBytesMax: 16 * 1_024,
  readAheadBytes: 128 * 1_024,
  /** Of a page, compressed and decompressed. */
  pageBytesMax: 64 * 1_024 * 1_024,
  pageValuesMax: 4 * 1_024 * 1_024,
  heapMegabytesMax: 256,
  residentBytesMax: 640 * 1_024 * 1_024,
  residentCheckMillis: 20,
  /** From a request to the process until its reply. */
  replyMillisMax: 15_000,
  /** One reply of the process. */
  batchRowsMax: 1_024,
  batchCharsMax: 256 * 1_024,
} as const;

/** The cost of one record, counted in characters. */
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
