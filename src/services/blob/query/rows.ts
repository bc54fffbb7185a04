import { StringDecoder } from "node:string_decoder";
import { release } from "../../../memory/pooled-buffer.ts";
import { type CsvForm, CsvReader } from "./csv.ts";
import type { Row } from "./evaluate.ts";
import { isAbsent, JsonReader, type JsonRecord, stepInto, walkPath } from "./json-records.ts";
import type { Effort, PathStep, SqlQuery, Value } from "./sql.ts";
import { RecordError, SQL_LIMITS, SqlError } from "./sql.ts";

/** A record with all its columns, for `SELECT *`. */
export interface WholeRow extends Row {
  /** Its bytes in the blob, including skipped ones before it. */
  readonly bytes: number;
  /** The offset where they begin. */
  readonly start: number;
  readonly names: readonly string[];
  readonly values: readonly Value[];
  readonly json: Value;
}

/** The records of a blob. */
export interface RowSource {
  /** The bytes of the blob that have been read. */
  readonly scanned: number;
  /** The offset of the record in which the format is violated. */
  readonly position: number;
  batches(): AsyncIterable<Iterable<WholeRow>>;
}

interface TextReader {
  readonly position: number;
  push(text: string): Iterable<WholeRow>;
  end(): Iterable<WholeRow>;
}

/** Delimited text or JSON, with one record in memory at a time. */
export class TextRows implements RowSource {
  readonly #source: AsyncIterable<Buffer>;
  readonly #reader: TextReader;
  #scanned = 0;

  constructor(source: AsyncIterable<Buffer>, reader: TextReader) {
    this.#source = source;
    this.#reader = reader;
  }

  get scanned(): number {
    return this.#scanned;
  }

  get position(): number {
    return this.#reader.position;
  }

  async *batches(): AsyncGenerator<Iterable<WholeRow>> {
    const decoder = new StringDecoder("utf8");
    for await (const chunk of this.#source) {
      // Small enough that parsing one does not delay other requests.
      try {
        for (let from = 0; from < chunk.length; from += SQL_LIMITS.chunkBytes) {
          const part = chunk.subarray(from, from + SQL_LIMITS.chunkBytes);
          this.#scanned += part.length;
          yield this.#reader.push(decoder.write(part));
        }
      } finally {
        release(chunk);
      }
    }
    yield this.#reader.push(decoder.end());
    yield this.#reader.end();
  }
}

export class CsvRows implements TextReader {
  readonly #reader: CsvReader;
  readonly #alias: string | undefined;
  #names: readonly string[] | undefined;
  #needsNames: boolean;
  #headBytes = 0;
  #start = 0;
  readonly #effort: Effort;

  constructor(form: CsvForm, { alias, from }: SqlQuery, effort: Effort) {
    this.#effort = effort;
    if (from.some((step) => step !== "[*]")) throw new SqlError("delimited text has no paths");
    this.#reader = new CsvReader(form);
    this.#needsNames = form.hasHeaders;
    this.#alias = alias;
  }

  get position(): number {
    return this.#start;
  }

  *push(text: string): Generator<WholeRow> {
    for (const fields of this.#reader.push(text)) yield* this.#row(fields);
  }

  *end(): Generator<WholeRow> {
    for (const fields of this.#reader.end()) yield* this.#row(fields);
  }

  *#row(fields: readonly string[]): Generator<WholeRow> {
    const recordBytes = this.#reader.takeBytes();
    const start = this.#start;
    this.#start += recordBytes;
    if (this.#needsNames) {
      this.#names = fields;
      this.#needsNames = false;
      this.#headBytes = recordBytes;
      return;
    }
    const bytes = this.#headBytes + recordBytes;
    this.#headBytes = 0;
    const names = this.#names ?? fields.map((_, i) => `_${i + 1}`);
    yield tableRow({ names, values: fields, bytes, start, alias: this.#alias, effort: this.#effort });
  }
}

export class JsonRows implements TextReader {
  readonly #reader: JsonReader;
  readonly #query: SqlQuery;
  readonly #effort: Effort;

  constructor(separator: string, query: SqlQuery, effort: Effort) {
    this.#reader = new JsonReader(separator);
    this.#query = query;
    this.#effort = effort;
  }

  get position(): number {
    return this.#reader.position;
  }

  *push(text: string): Generator<WholeRow> {
    for (const record of this.#reader.push(text)) yield* this.#rows(record);
  }

  *end(): Generator<WholeRow> {
    for (const record of this.#reader.end()) yield* this.#rows(record);
  }

  *#rows({ value, start, bytes }: JsonRecord): Generator<WholeRow> {
    const { from, alias } = this.#query;
    for (const json of walkPath(value, from)) {
      const isObject = json !== null && typeof json === "object" && !Array.isArray(json);
      // Azure prints a record that is a single number as one without columns.
      const isEmpty = from.length === 0 && (json === null || typeof json !== "object");
      yield {
        effort: this.#effort,
        names: isObject ? Object.keys(json) : isEmpty ? [] : ["_1"],
        values: isObject ? (Object.values(json) as Value[]) : isEmpty ? [] : [json],
        json,
        bytes,
        start,
        column: (path) => withoutAlias(path, alias).reduce<Value>(stepInto, json),
        isMissing: (path) => isAbsent(json, withoutAlias(path, alias)),
      };
    }
  }
}

interface Table {
  readonly names: readonly string[];
  readonly values: readonly Value[];
  readonly bytes: number;
  readonly start: number;
  readonly alias: string | undefined;
  readonly effort: Effort;
}

/** A record of columns that have names or places. */
export function tableRow({ names, values, bytes, start, alias, effort }: Table): WholeRow {
  const column = (path: readonly PathStep[]): Value | undefined => {
    const [name, ...below] = withoutAlias(path, alias);
    const at = columnAt(names, name);
    if (at === undefined || (below.length > 0 && typeof values[at] === "string"))
      throw new SqlError(`there is no column ${path.join(".")}`);
    return below.reduce<Value>(stepInto, values[at] as Value);
  };
  return {
    effort,
    names,
    values,
    bytes,
    start,
    get json() {
      return Object.fromEntries(values.map((value, i) => [names[i] ?? `_${i + 1}`, value]));
    },
    column: (path) => {
      const found = column(path);
      if (found === undefined) throw new RecordError("InvalidColumnOrdinal");
      return found;
    },
    isMissing: (path) => column(path) === undefined,
  };
}

/** A column named by its ordinal is named by its ordinal in the reply. */
export const ORDINAL = /^_[1-9]\d{0,4}$/;

/** By ordinal, by exact name, or else regardless of case. The record may be too short to have the column. */
function columnAt(names: readonly string[], name: PathStep | undefined): number | undefined {
  if (typeof name !== "string") return undefined;
  const exact = names.indexOf(name);
  if (exact >= 0) return exact;
  if (ORDINAL.test(name)) return Number(name.slice(1)) - 1;
  const lower = name.toLowerCase();
  const similar = names.findIndex((column) => column.toLowerCase() === lower);
  return similar >= 0 ? similar : undefined;
}

function withoutAlias(path: readonly PathStep[], alias: string | undefined): readonly PathStep[] {
  const isAliased = alias !== undefined && path.length > 1 && path[0] === alias;
  return isAliased ? path.slice(1) : path;
}
