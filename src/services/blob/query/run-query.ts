import { monotonic } from "../../../base/clock.ts";
import type { CooperativeScheduler } from "../../../base/yield-to-event-loop.ts";
import { type ArrowForm, ArrowPrinter } from "./arrow-output.ts";
import { ParquetRows, type QueryFile } from "./parquet-rows.ts";
import { type ResultPrinter, Results, type TextForm, TextPrinter } from "./results.ts";
import { CsvRows, JsonRows, type RowSource, TextRows, type WholeRow } from "./rows.ts";
import { Effort, FormError, RecordError, SchemaError, SQL_LIMITS, SqlError, type SqlQuery } from "./sql.ts";

export type InputForm = TextForm | { readonly kind: "parquet" };
export type OutputForm = TextForm | ArrowForm;

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
  /** The offset in the blob where the record begins. */
  readonly position: number;
}

export interface QueryRun {
  readonly query: SqlQuery;
  readonly input: InputForm;
  readonly output: OutputForm;
  readonly file: QueryFile;
  /** Shared by all long work of the service, so that many queries delay other requests no more than one. */
  readonly scheduler: CooperativeScheduler;
}

/** The buffered output that makes a data record of the reply. */
const FLUSH_CHARS = 64 * 1_024;
const PROGRESS_BYTES = 4 * 1_024 * 1_024;

/**
 * Runs a query over a blob while it streams. An error in the data ends the reply with its description and
 * position, because part of the reply may have been sent. As Azure does it, the errors of single records come
 * after the data that was found before the next data record, and the number of scanned bytes before the end.
 */
export function runQuery(run: QueryRun): AsyncIterable<QueryEvent> {
  const { query, input, file } = run;
  // A query that does not fit the format is refused before the reply begins.
  if (query.splitBytes !== undefined && input.kind !== "csv") {
    throw new SqlError("sys.split is for delimited text");
  }
  const effort = new Effort();
  const rows = (): RowSource => {
    if (input.kind === "parquet") return new ParquetRows(file, query, effort);
    const reader =
      input.kind === "csv"
        ? new CsvRows(input, query, effort)
        : new JsonRows(input.recordSeparator, query, effort);
    return new TextRows(file.stream(), reader);
  };
  return eventsOf(run, rows(), effort);
}

async function* eventsOf(
  { query, output, scheduler }: QueryRun,
  source: RowSource,
  effort: Effort,
): AsyncGenerator<QueryEvent> {
  const printer = await printerOf(output);
  const results = new Results(query, printer, effort);
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
  let errors: QueryError[] = [];
  function* flushed(): Generator<QueryEvent> {
    yield { kind: "data", bytes: printer.flush() };
    yield* errors;
    errors = [];
  }
  const progress = (): QueryEvent => ({ kind: "progress", scanned: source.scanned });
  let reported = 0;
  let position = 0;
  // The schema of Arrow is a data record of its own.
  if (output.kind === "arrow") yield* flushed();
  try {
    for await (const rows of source.batches()) {
      for (const row of rows) {
        position = row.start;
        const error = errorOf(results, row);
        if (error !== undefined) errors.push(error);
        if (results.isFull) break;
        if (printer.waiting >= FLUSH_CHARS || errors.length >= SQL_LIMITS.errorsWaitingMax) yield* flushed();
        if (isLong() && (await yieldToOthers())) yield progress();
      }
      if (results.isFull) break;
      if (isLong() && (await yieldToOthers())) yield progress();
      if (source.scanned - reported >= PROGRESS_BYTES) {
        reported = source.scanned;
        yield progress();
      }
    }
    results.finish();
  } catch (error) {
    if (!(error instanceof SqlError)) throw error;
    if (error instanceof FormError) position = source.position;
    yield* flushed();
    const { message: description } = error;
    yield { kind: "error", isFatal: true, name: nameOf(error), description, position };
    yield progress();
    yield { kind: "end" };
    return;
  }
  if (printer.waiting > 0 || errors.length > 0) yield* flushed();
  yield progress();
  yield { kind: "end" };
}

async function printerOf(output: OutputForm): Promise<ResultPrinter> {
  if (output.kind !== "arrow") return new TextPrinter(output);
  return ArrowPrinter.open(output);
}

function nameOf(error: SqlError): string {
  if (error instanceof SchemaError) return "ClientError";
  return error instanceof FormError ? "ParseError" : "InvalidInput";
}

/** Adds a record to the results; the error of one that had to be left out. */
function errorOf(results: Results, row: WholeRow): QueryError | undefined {
  try {
    results.add(row);
    return undefined;
  } catch (error) {
    if (!(error instanceof RecordError)) throw error;
    const { code: name, description } = error;
    return { kind: "error", isFatal: false, name, description, position: row.start };
  }
}
