import { StringDecoder } from "node:string_decoder";
import { monotonic } from "../../../base/clock.ts";
import type { CooperativeScheduler } from "../../../base/yield-to-event-loop.ts";
import { type CsvForm, CsvReader, printCsv } from "./csv.ts";
import { Accumulator, evaluate, type Row, truth } from "./evaluate.ts";
import { isAbsent, JsonReader, stepInto, walkPath } from "./json-records.ts";
import {
  Effort,
  FormError,
  type PathStep,
  RecordError,
  SQL_LIMITS,
  type SqlColumn,
  SqlError,
  type SqlQuery,
  type Value,
} from "./sql.ts";
import { textOf } from "./sql-functions.ts";

export type Form =
  | ({ readonly kind: "csv" } & CsvForm)
  | { readonly kind: "json"; readonly recordSeparator: string };

export type QueryEvent =
  | { readonly kind: "data"; readonly bytes: Buffer }
  | { readonly kind: "progress"; readonly scanned: number }
  | QueryError
  | { readonly kind: "end" };

/** A fatal error ends the reply; any other left out one record. */
export interface QueryError {
  readonly kind: "error";
  readonly isFatal: boolean;
  readonly name: string;
  readonly description: string;
  /** The offset in the blob. */
  readonly position: number;
}

export interface QueryRun {
  readonly query: SqlQuery;
  readonly input: Form;
  readonly output: Form;
  readonly source: AsyncIterable<Buffer>;
  /** Shared by all long work of the service, so that many queries delay other requests no more than one. */
  readonly scheduler: CooperativeScheduler;
}

/** The buffered output that makes a data record of the reply. */
const FLUSH_CHARS = 64 * 1_024;
const PROGRESS_BYTES = 4 * 1_024 * 1_024;

/**
 * Runs a query over a blob while it streams, with one record in memory at a time. An error in the data ends
 * the reply with its description and position, because part of the reply may have been sent.
 */
export function runQuery(run: QueryRun): AsyncIterable<QueryEvent> {
  const { query, input } = run;
  // A query that does not fit the format is refused before the reply begins.
  if (query.splitBytes !== undefined && input.kind !== "csv") {
    throw new SqlError("sys.split is for delimited text");
  }
  const effort = new Effort();
  const reader = input.kind === "csv" ? new CsvRows(input, query, effort) : new JsonRows(query, effort);
  return eventsOf(run, reader, effort);
}

async function* eventsOf(
  { query, output, source, scheduler }: QueryRun,
  reader: CsvRows | JsonRows,
  effort: Effort,
): AsyncGenerator<QueryEvent> {
  const results = new Results(query, output, effort);
  let sliceBegan = monotonic();
  const isLong = (): boolean => monotonic() - sliceBegan > SQL_LIMITS.sliceMillis;
  let reportedAt = sliceBegan;
  /** True when it is time for output, which fails and ends the query when the client has disconnected. */
  const yieldToOthers = async (): Promise<boolean> => {
    await scheduler.yieldToEventLoop();
    sliceBegan = monotonic();
    if (sliceBegan - reportedAt < SQL_LIMITS.silenceMillis) return false;
    reportedAt = sliceBegan;
    return true;
  };
  const decoder = new StringDecoder("utf8");
  let scanned = 0;
  let reported = 0;
  try {
    for await (const chunk of smallChunks(source)) {
      scanned += chunk.length;
      for (const row of reader.push(decoder.write(chunk))) {
        const error = errorOf(results, row);
        if (error !== undefined) yield error;
        if (results.isFull) break;
        if (results.waiting >= FLUSH_CHARS) yield { kind: "data", bytes: results.flush() };
        if (isLong() && (await yieldToOthers())) yield { kind: "progress", scanned };
      }
      if (results.isFull) break;
      if (isLong() && (await yieldToOthers())) yield { kind: "progress", scanned };
      if (scanned - reported >= PROGRESS_BYTES) {
        reported = scanned;
        yield { kind: "progress", scanned };
      }
    }
    if (!results.isFull) {
      for (const row of lastRows(reader, decoder.end())) {
        const error = errorOf(results, row);
        if (error !== undefined) yield error;
      }
    }
    results.finish();
  } catch (error) {
    if (!(error instanceof SqlError)) throw error;
    if (results.waiting > 0) yield { kind: "data", bytes: results.flush() };
    const name = error instanceof FormError ? "ParseError" : "InvalidInput";
    yield { kind: "error", isFatal: true, name, description: error.message, position: scanned };
    yield { kind: "end" };
    return;
  }
  if (results.waiting > 0) yield { kind: "data", bytes: results.flush() };
  yield { kind: "progress", scanned };
  yield { kind: "end" };
}

function* lastRows(reader: CsvRows | JsonRows, text: string): Generator<WholeRow> {
  yield* reader.push(text);
  yield* reader.end();
}

/** Adds a record to the results; the error of one that had to be left out. */
function errorOf(results: Results, row: WholeRow): QueryError | undefined {
  try {
    results.add(row);
    return undefined;
  } catch (error) {
    if (!(error instanceof RecordError)) throw error;
    const { code: name, message: description } = error;
    return { kind: "error", isFatal: false, name, description, position: row.start };
  }
}

/** Small enough that parsing one does not delay other requests. */
async function* smallChunks(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of source) {
    for (let from = 0; from < chunk.length; from += SQL_LIMITS.chunkBytes)
      yield chunk.subarray(from, from + SQL_LIMITS.chunkBytes);
  }
}

/** A record with all its columns, for `SELECT *`. */
interface WholeRow extends Row {
  /** Its bytes in the blob, including skipped ones before it; counted for delimited text only. */
  readonly bytes: number;
  /** The offset where they begin. */
  readonly start: number;
  readonly names: readonly string[];
  readonly values: readonly Value[];
  readonly json: Value;
}

class CsvRows {
  readonly #reader: CsvReader;
  readonly #alias: string | undefined;
  #names: readonly string[] | undefined;
  #needsNames: boolean;
  #start = 0;
  readonly #effort: Effort;

  constructor(form: CsvForm, { alias, from }: SqlQuery, effort: Effort) {
    this.#effort = effort;
    if (from.some((step) => step !== "[*]")) throw new SqlError("delimited text has no paths");
    this.#reader = new CsvReader(form);
    this.#needsNames = form.hasHeaders;
    this.#alias = alias;
  }

  *push(text: string): Generator<WholeRow> {
    for (const fields of this.#reader.push(text)) yield* this.#row(fields);
  }

  *end(): Generator<WholeRow> {
    for (const fields of this.#reader.end()) yield* this.#row(fields);
  }

  *#row(fields: readonly string[]): Generator<WholeRow> {
    if (this.#needsNames) {
      this.#names = fields;
      this.#needsNames = false;
      return;
    }
    const bytes = this.#reader.takeBytes();
    const start = this.#start;
    this.#start += bytes;
    const names = this.#names ?? fields.map((_, i) => `_${i + 1}`);
    yield {
      effort: this.#effort,
      names,
      values: fields,
      bytes,
      start,
      get json() {
        return Object.fromEntries(fields.map((field, i) => [names[i] ?? `_${i + 1}`, field]));
      },
      column: (path) => {
        const found = this.#field(fields, withoutAlias(path, this.#alias));
        if (found === undefined) throw new RecordError("InvalidColumnOrdinal");
        return found;
      },
      isMissing: (path) => (this.#field(fields, withoutAlias(path, this.#alias)) ?? null) === null,
    };
  }

  /** Undefined when the record has no field at this ordinal. */
  #field(fields: readonly string[], path: readonly PathStep[]): Value | undefined {
    const [name] = path;
    if (path.length === 1 && typeof name === "string") {
      if (ORDINAL.test(name)) return fields[Number(name.slice(1)) - 1];
      const exact = this.#names?.indexOf(name) ?? -1;
      if (exact >= 0) return fields[exact] ?? null;
      const lower = name.toLowerCase();
      const similar = this.#names?.findIndex((column) => column.toLowerCase() === lower) ?? -1;
      if (similar >= 0) return fields[similar] ?? null;
    }
    throw new SqlError(`there is no column ${path.join(".")}`);
  }
}

class JsonRows {
  readonly #reader = new JsonReader();
  readonly #query: SqlQuery;
  readonly #effort: Effort;

  constructor(query: SqlQuery, effort: Effort) {
    this.#query = query;
    this.#effort = effort;
  }

  *push(text: string): Generator<WholeRow> {
    for (const record of this.#reader.push(text)) yield* this.#rows(record);
  }

  end(): readonly WholeRow[] {
    this.#reader.end();
    return [];
  }

  *#rows(record: Value): Generator<WholeRow> {
    const { from, alias } = this.#query;
    for (const json of walkPath(record, from)) {
      const isObject = json !== null && typeof json === "object" && !Array.isArray(json);
      yield {
        effort: this.#effort,
        names: isObject ? Object.keys(json) : ["_1"],
        values: isObject ? (Object.values(json) as Value[]) : [json],
        json,
        bytes: 0,
        start: 0,
        column: (path) => withoutAlias(path, alias).reduce<Value>(stepInto, json),
        isMissing: (path) => isAbsent(json, withoutAlias(path, alias)),
      };
    }
  }
}

function withoutAlias(path: readonly PathStep[], alias: string | undefined): readonly PathStep[] {
  const isAliased = alias !== undefined && path.length > 1 && path[0] === alias;
  return isAliased ? path.slice(1) : path;
}

/** The printed results of the query. */
class Results {
  readonly #query: SqlQuery;
  readonly #form: Form;
  readonly #totals: readonly Accumulator[] | undefined;
  readonly #effort: Effort;
  #text = "";
  #count = 0;
  /** Bytes of records since the last batch of sys.split. */
  #batch = 0;

  constructor(query: SqlQuery, form: Form, effort: Effort) {
    this.#query = query;
    this.#effort = effort;
    this.#form = form;
    const expressions = (query.columns ?? []).map(({ expression }) => expression);
    const totals = expressions.flatMap((expression) =>
      expression.kind === "aggregate" ? [new Accumulator(expression.name, expression.of)] : [],
    );
    this.#totals = totals.length === 0 ? undefined : totals;
  }

  get waiting(): number {
    return this.#text.length;
  }

  get isFull(): boolean {
    return this.#totals === undefined && this.#query.limit !== undefined && this.#count >= this.#query.limit;
  }

  add(row: WholeRow): void {
    const { where, columns, splitBytes } = this.#query;
    if (splitBytes !== undefined) {
      this.#batch += row.bytes;
      if (this.#batch >= splitBytes) this.#endBatch();
      return;
    }
    if (this.isFull) return;
    this.#effort.renew();
    if (where !== undefined && truth(evaluate(where, row)) !== true) return;
    if (this.#totals !== undefined) for (const total of this.#totals) total.add(row);
    else if (columns === undefined) this.#print(row.names, row.values, row.json);
    else
      this.#print(
        columns.map(nameOf),
        columns.map(({ expression }) => evaluate(expression, row)),
      );
  }

  #endBatch(): void {
    if (this.#batch > 0) this.#print(["_1"], [this.#batch]);
    this.#batch = 0;
  }

  finish(): void {
    const { columns = [], limit } = this.#query;
    this.#endBatch();
    if (this.#totals === undefined || limit === 0) return;
    this.#print(
      columns.map(nameOf),
      this.#totals.map((total) => total.result()),
    );
  }

  #print(names: readonly string[], values: readonly Value[], whole?: Value): void {
    const form = this.#form;
    // A query may name a column a thousand times, so the output is bounded before it is built.
    if (whole === undefined) for (const value of values) this.#effort.spend(printedChars(value));
    if (form.kind === "csv") {
      if (form.hasHeaders && this.#count === 0) this.#text += printCsv(names, form);
      this.#text += printCsv(values.map(textOf), form);
    } else {
      const json = whole ?? Object.fromEntries(values.map((value, i) => [names[i] ?? `_${i + 1}`, value]));
      this.#text += JSON.stringify(json) + form.recordSeparator;
    }
    this.#count++;
  }

  flush(): Buffer {
    const bytes = Buffer.from(this.#text);
    this.#text = "";
    return bytes;
  }
}

function printedChars(value: Value): number {
  if (typeof value === "string") return value.length;
  return value !== null && typeof value === "object" ? JSON.stringify(value).length : 1;
}

/** A column named by its ordinal is named by its ordinal in the reply. */
const ORDINAL = /^_[1-9]\d{0,4}$/;

function nameOf({ name, expression }: SqlColumn, index: number): string {
  if (name !== undefined) return name;
  const last = expression.kind === "column" ? expression.path.at(-1) : undefined;
  return typeof last === "string" && !ORDINAL.test(last) ? last : `_${index + 1}`;
}
