import { StringDecoder } from "node:string_decoder";
import { monotonic } from "../../../base/clock.ts";
import { CooperativeScheduler } from "../../../base/yield-to-event-loop.ts";
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

/** Fatal: the answer ends here. Otherwise one record was left out. */
export interface QueryError {
  readonly kind: "error";
  readonly isFatal: boolean;
  readonly name: string;
  readonly description: string;
  /** Where in the blob. */
  readonly position: number;
}

export interface QueryRun {
  readonly query: SqlQuery;
  readonly input: Form;
  readonly output: Form;
  readonly source: AsyncIterable<Buffer>;
}

/** Output that waits until it is worth a record of the reply. */
const FLUSH_CHARS = 64 * 1_024;
const PROGRESS_BYTES = 4 * 1_024 * 1_024;

/** Shared by all queries of the process. */
const turns = new CooperativeScheduler(SQL_LIMITS.restMillis);

/**
 * Runs a query over a blob as it streams by: one record in memory at a time, whatever the blob's size. An
 * error in the data ends the answer with what is wrong and where, since by then part of it may be out.
 */
export function runQuery(run: QueryRun): AsyncIterable<QueryEvent> {
  const { query, input } = run;
  // What does not fit the form of the blob is refused at once, while there is no answer yet to break off.
  if (query.splitBytes !== undefined && input.kind !== "csv") {
    throw new SqlError("sys.split is for delimited text");
  }
  const effort = new Effort();
  const reader = input.kind === "csv" ? new CsvRows(input, query, effort) : new JsonRows(query, effort);
  return eventsOf(run, reader, effort);
}

async function* eventsOf(
  { query, output, source }: QueryRun,
  reader: CsvRows | JsonRows,
  effort: Effort,
): AsyncGenerator<QueryEvent> {
  const results = new Results(query, output, effort);
  let sliceBegan = monotonic();
  const isLong = (): boolean => monotonic() - sliceBegan > SQL_LIMITS.sliceMillis;
  let toldAt = sliceBegan;
  /**
   * True when it is time to say something: to a client that is gone nothing can be said, and the query ends.
   */
  const giveWay = async (): Promise<boolean> => {
    await turns.yieldToEventLoop();
    sliceBegan = monotonic();
    if (sliceBegan - toldAt < SQL_LIMITS.silenceMillis) return false;
    toldAt = sliceBegan;
    return true;
  };
  const decoder = new StringDecoder("utf8");
  let scanned = 0;
  let told = 0;
  try {
    for await (const piece of inParts(source)) {
      scanned += piece.length;
      for (const row of reader.push(decoder.write(piece))) {
        const wrong = addTo(results, row);
        if (wrong !== undefined) yield wrong;
        if (results.isFull) break;
        if (results.waiting >= FLUSH_CHARS) yield { kind: "data", bytes: results.take() };
        if (isLong() && (await giveWay())) yield { kind: "progress", scanned };
      }
      if (results.isFull) break;
      if (isLong() && (await giveWay())) yield { kind: "progress", scanned };
      if (scanned - told >= PROGRESS_BYTES) {
        told = scanned;
        yield { kind: "progress", scanned };
      }
    }
    if (!results.isFull) {
      for (const row of reader.push(decoder.end())) yield* errorsOf(results, row);
      for (const row of reader.end()) yield* errorsOf(results, row);
    }
    results.finish();
  } catch (error) {
    if (!(error instanceof SqlError)) throw error;
    if (results.waiting > 0) yield { kind: "data", bytes: results.take() };
    const name = error instanceof FormError ? "ParseError" : "InvalidInput";
    yield { kind: "error", isFatal: true, name, description: error.message, position: scanned };
    yield { kind: "end" };
    return;
  }
  if (results.waiting > 0) yield { kind: "data", bytes: results.take() };
  yield { kind: "progress", scanned };
  yield { kind: "end" };
}

/** What there is to tell of a record that had to be left out. */
function addTo(results: Results, row: WholeRow): QueryError | undefined {
  try {
    results.add(row);
    return undefined;
  } catch (error) {
    if (!(error instanceof RecordError)) throw error;
    const { code: name, message: description } = error;
    return { kind: "error", isFatal: false, name, description, position: row.start };
  }
}

function errorsOf(results: Results, row: WholeRow): readonly QueryError[] {
  const wrong = addTo(results, row);
  return wrong === undefined ? [] : [wrong];
}

/** Small enough that reading one takes no longer than a turn. */
async function* inParts(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const piece of source) {
    for (let from = 0; from < piece.length; from += SQL_LIMITS.pieceBytes)
      yield piece.subarray(from, from + SQL_LIMITS.pieceBytes);
  }
}

/** A record that can also be given out whole. */
interface WholeRow extends Row {
  /** How much of the blob it takes up, with what is skipped before it; counted for delimited text only. */
  readonly bytes: number;
  /** Where that begins. */
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

  /** Undefined when the record has fewer fields than the place that is asked for. */
  #field(fields: readonly string[], path: readonly PathStep[]): Value | undefined {
    const [name] = path;
    if (path.length === 1 && typeof name === "string") {
      if (PLACE.test(name)) return fields[Number(name.slice(1)) - 1];
      const exact = this.#names?.indexOf(name) ?? -1;
      if (exact >= 0) return fields[exact] ?? null;
      const lower = name.toLowerCase();
      const similar = this.#names?.findIndex((known) => known.toLowerCase() === lower) ?? -1;
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

/** What the query makes of the rows, printed. */
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
    const totals = expressions.flatMap((one) =>
      one.kind === "aggregate" ? [new Accumulator(one.name, one.of)] : [],
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
    // A column may be asked for a thousand times: what comes out is bounded before it is put together.
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

  take(): Buffer {
    const bytes = Buffer.from(this.#text);
    this.#text = "";
    return bytes;
  }
}

function printedChars(value: Value): number {
  if (typeof value === "string") return value.length;
  return value !== null && typeof value === "object" ? JSON.stringify(value).length : 1;
}

/**
 * A column named by its place has no name of its own: in the answer it is named by the place it has there.
 */
const PLACE = /^_[1-9]\d{0,4}$/;

function nameOf({ name, expression }: SqlColumn, index: number): string {
  if (name !== undefined) return name;
  const last = expression.kind === "column" ? expression.path.at(-1) : undefined;
  return typeof last === "string" && !PLACE.test(last) ? last : `_${index + 1}`;
}
