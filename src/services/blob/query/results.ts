import { type CsvForm, printCsv } from "./csv.ts";
import { Accumulator, evaluate, type Row, truth } from "./evaluate.ts";
import { ORDINAL, type WholeRow } from "./rows.ts";
import { type Effort, RecordError, type SqlColumn, type SqlQuery, type Value } from "./sql.ts";
import { textOf } from "./sql-functions.ts";

/** Where results go: text, or columns. */
export interface ResultPrinter {
  /** Roughly the bytes of what `flush` returns. */
  readonly waiting: number;
  /** `row` is the record, for `SELECT *`. A value is undefined where the record has no such column. */
  print(names: readonly string[], values: readonly (Value | undefined)[], row?: WholeRow): void;
  flush(): Buffer;
}

/** The results of the query. */
export class Results {
  readonly #query: SqlQuery;
  readonly #printer: ResultPrinter;
  readonly #totals: readonly Accumulator[] | undefined;
  readonly #effort: Effort;
  readonly #names: readonly string[];
  #count = 0;
  /** Bytes of records since the last batch of sys.split. */
  #batch = 0;

  constructor(query: SqlQuery, printer: ResultPrinter, effort: Effort) {
    this.#query = query;
    this.#effort = effort;
    this.#printer = printer;
    this.#names = (query.columns ?? []).map(nameOf);
    const expressions = (query.columns ?? []).map(({ expression }) => expression);
    const totals = expressions.flatMap((expression) =>
      expression.kind === "aggregate" ? [new Accumulator(expression.name, expression.of)] : [],
    );
    this.#totals = totals.length === 0 ? undefined : totals;
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
    else if (columns === undefined) this.#print(row.names, row.values, row);
    else
      this.#print(
        this.#names,
        columns.map((column, i) => selected(column, i, row)),
      );
  }

  #endBatch(): void {
    if (this.#batch > 0) this.#print(["_1"], [this.#batch]);
    this.#batch = 0;
  }

  finish(): void {
    this.#endBatch();
    if (this.#totals === undefined || this.#query.limit === 0) return;
    this.#print(
      this.#names,
      this.#totals.map((total) => total.result()),
    );
  }

  #print(names: readonly string[], values: readonly (Value | undefined)[], row?: WholeRow): void {
    // A query may name a column a thousand times, so the output is bounded before it is built.
    if (row === undefined) for (const value of values) this.#effort.spend(printedChars(value));
    this.#printer.print(names, values, row);
    this.#count++;
  }
}

/** Undefined for a column that the record does not have. */
function selected({ expression }: SqlColumn, index: number, row: Row): Value | undefined {
  try {
    const value = evaluate(expression, row);
    const isMissing = value === null && expression.kind === "column" && row.isMissing(expression.path);
    return isMissing ? undefined : value;
  } catch (error) {
    if (error instanceof RecordError) error.column = index;
    throw error;
  }
}

export class TextPrinter implements ResultPrinter {
  readonly #form: TextForm;
  #text = "";
  #isFirst = true;

  constructor(form: TextForm) {
    this.#form = form;
  }

  get waiting(): number {
    return this.#text.length;
  }

  print(
    names: readonly string[],
    values: readonly (Value | undefined)[],
    row?: { readonly json: Value },
  ): void {
    const form = this.#form;
    if (form.kind === "csv") {
      if (form.hasHeaders && this.#isFirst) this.#text += printCsv(names, form);
      this.#isFirst = false;
      this.#text += printCsv(
        values.map((value) => textOf(value ?? null)),
        form,
      );
    } else {
      const json =
        row?.json ?? Object.fromEntries(values.map((value, i) => [names[i] ?? `_${i + 1}`, value]));
      this.#text += JSON.stringify(json) + form.recordSeparator;
    }
  }

  flush(): Buffer {
    const bytes = Buffer.from(this.#text);
    this.#text = "";
    return bytes;
  }
}

export type TextForm =
  | ({ readonly kind: "csv" } & CsvForm)
  | { readonly kind: "json"; readonly recordSeparator: string };

function printedChars(value: Value | undefined): number {
  if (typeof value === "string") return value.length;
  return value !== null && typeof value === "object" ? JSON.stringify(value).length : 1;
}

function nameOf({ name, expression }: SqlColumn, index: number): string {
  if (name !== undefined) return name;
  const last = expression.kind === "column" ? expression.path.at(-1) : undefined;
  return typeof last === "string" && !ORDINAL.test(last) ? last : `_${index + 1}`;
}
