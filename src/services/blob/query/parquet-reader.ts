import type { ColumnMetaData, DecodedArray, SchemaTree } from "hyparquet";
import { parquetMetadata, parquetSchema } from "hyparquet";
import { assembleNested } from "hyparquet/src/assemble.js";
import { parquetHeader, readPage } from "hyparquet/src/column.js";
import { convert, DEFAULT_PARSERS } from "hyparquet/src/convert.js";
import { getTreePath, isFlatColumn } from "hyparquet/src/schema.js";
import { compressors } from "hyparquet-compressors";
import { PARQUET_LIMITS, SQL_LIMITS, type Value } from "./sql.ts";

/** A file that is read page by page: memory has one page of each column, however long a row group is. */
export interface ParquetSource {
  readonly length: number;
  read(from: number, length: number): Promise<Uint8Array>;
}

export interface ParquetBatch {
  readonly names: readonly string[];
  readonly rows: readonly (readonly Value[])[];
}

/** `isNeeded` selects columns by their names. */
export async function* readParquet(
  file: ParquetSource,
  isNeeded: (name: string) => boolean,
): AsyncGenerator<ParquetBatch> {
  const metadata = parquetMetadata(await readFooter(file), { geoparquet: false });
  if (metadata.schema.length > SQL_LIMITS.columnsMax) throw new Error("the file has too many columns");
  const tree = parquetSchema(metadata);
  const needed = tree.children.filter(({ element }) => isNeeded(element.name));
  // Without a named column, as in COUNT(*), any column has the number of rows.
  const columns = needed.length > 0 ? needed : tree.children.slice(0, 1);
  const names = columns.map(({ element }) => element.name);
  for (const group of metadata.row_groups) {
    const chunks = group.columns.map(({ meta_data: meta, file_path: path }) => {
      if (meta === undefined || path) throw new Error("a column is in another file");
      return meta;
    });
    const readers = columns.map((column) => new ColumnReader(file, column, chunks, tree));
    let left = Number(group.num_rows);
    while (left > 0) {
      const rows = await readRows(readers, left);
      left -= rows.length;
      yield { names, rows };
    }
  }
}

const TRAILER_BYTES = 8;

/** The metadata, their length, and "PAR1" at the end of the file. */
async function readFooter(file: ParquetSource): Promise<Uint8Array> {
  if (file.length < TRAILER_BYTES) throw new Error("the file is too short");
  const trailer = await file.read(file.length - TRAILER_BYTES, TRAILER_BYTES);
  const length = new DataView(trailer.buffer, trailer.byteOffset).getUint32(0, true) + TRAILER_BYTES;
  if (length > file.length || length > PARQUET_LIMITS.metadataBytesMax) {
    throw new Error("the metadata are too long");
  }
  return file.read(file.length - length, length);
}

async function readRows(readers: readonly ColumnReader[], rowsMax: number): Promise<Value[][]> {
  const counts: number[] = [];
  for (const reader of readers) counts.push(await reader.load());
  const count = Math.min(rowsMax, PARQUET_LIMITS.batchRowsMax, ...counts);
  const columns = readers.map((reader) => reader.peek(count));
  const rows: Value[][] = [];
  let batchChars = 0;
  while (rows.length < count && batchChars < PARQUET_LIMITS.batchCharsMax) {
    const size = { chars: 0 };
    rows.push(columns.map((values, i) => plainValue(values[rows.length], readers[i]!.decimals, size)));
    if (size.chars > SQL_LIMITS.recordCharsMax) throw new Error("a record is too long");
    batchChars += size.chars;
  }
  for (const reader of readers) reader.skip(rows.length);
  return rows;
}

/** A column of records, which has several columns of the file when it is nested. */
class ColumnReader {
  /** The digits after the point, where the type has them. */
  readonly decimals: number | undefined;
  readonly #tree: SchemaTree;
  readonly #leaves: readonly LeafReader[];

  constructor(file: ParquetSource, column: SchemaTree, chunks: readonly ColumnMetaData[], root: SchemaTree) {
    const { converted_type: type, scale } = column.element;
    this.decimals = type === "DECIMAL" ? (scale ?? 0) : undefined;
    this.#tree = column;
    this.#leaves = chunks
      .filter(({ path_in_schema: path }) => path[0] === column.element.name)
      .map((meta) => new LeafReader(file, meta, getTreePath(root, meta.path_in_schema)));
    if (this.#leaves.length === 0) throw new Error(`the column ${column.element.name} has no data`);
  }

  /** The number of rows that can be read now, at least one. */
  async load(): Promise<number> {
    let count = Number.POSITIVE_INFINITY;
    for (const leaf of this.#leaves) {
      while (leaf.available === 0 && (await leaf.loadPage()));
      count = Math.min(count, leaf.available);
    }
    if (count === 0) throw new Error("a column has fewer values than rows");
    return count;
  }

  peek(count: number): ArrayLike<unknown> {
    const { children, path } = this.#tree;
    if (children.length === 0) return this.#leaves[0]!.peek(count);
    const values = new Map<string, DecodedArray>();
    for (const leaf of this.#leaves) values.set(leaf.path, structuredClone(leaf.peek(count)) as DecodedArray);
    assembleNested(values, this.#tree, DEFAULT_PARSERS);
    return values.get(path.join("."))!;
  }

  skip(count: number): void {
    for (const leaf of this.#leaves) leaf.skip(count);
  }
}

/** The pages of one column in one row group. */
class LeafReader {
  readonly path: string;
  readonly #file: ParquetSource;
  readonly #decoder: Parameters<typeof readPage>[2];
  readonly #isFlat: boolean;
  readonly #end: number;
  #at: number;
  #window: Uint8Array = new Uint8Array(0);
  #windowAt = 0;
  #dictionary: DecodedArray | undefined;
  #values: DecodedArray = [];
  #next = 0;

  constructor(file: ParquetSource, meta: ColumnMetaData, schemaPath: SchemaTree[]) {
    this.#file = file;
    this.path = meta.path_in_schema.join(".");
    const { element } = schemaPath.at(-1)!;
    this.#decoder = {
      ...meta,
      element,
      schemaPath,
      pathInSchema: meta.path_in_schema,
      compressors,
      parsers: DEFAULT_PARSERS,
    };
    this.#isFlat = isFlatColumn(schemaPath);
    this.#at = Number(meta.dictionary_page_offset || meta.data_page_offset);
    this.#end = this.#at + Number(meta.total_compressed_size);
    if (!(this.#at >= 0 && this.#end <= file.length)) throw new Error("a column is outside of the file");
  }

  /** The last row of a nested column may continue on the next page. */
  get available(): number {
    const isWhole = this.#isFlat || this.#at >= this.#end;
    return Math.max(0, this.#values.length - this.#next - (isWhole ? 0 : 1));
  }

  peek(count: number): unknown[] {
    return Array.from(this.#values.slice(this.#next, this.#next + count) as ArrayLike<unknown>);
  }

  skip(count: number): void {
    this.#next += count;
  }

  /** Bytes at the current place. More are read at once, because pages and their headers are short. */
  async #read(length: number): Promise<Uint8Array> {
    let from = this.#at - this.#windowAt;
    if (from + length > this.#window.length) {
      const readAhead = Math.min(this.#end - this.#at, PARQUET_LIMITS.readAheadBytes);
      this.#window = await this.#file.read(this.#at, Math.max(length, readAhead));
      this.#windowAt = this.#at;
      from = 0;
    }
    return this.#window.subarray(from, from + length);
  }

  /** False when there is no further page. */
  async loadPage(): Promise<boolean> {
    if (this.#at >= this.#end) return false;
    const head = await this.#read(Math.min(this.#end - this.#at, PARQUET_LIMITS.pageHeaderBytesMax));
    const reader = { view: viewOf(head), offset: 0 };
    const header = parquetHeader(reader);
    this.#at += reader.offset;
    const { compressed_page_size: bytes, uncompressed_page_size: plainBytes, type } = header;
    const data = header.data_page_header ?? header.data_page_header_v2 ?? header.dictionary_page_header;
    const count = data?.num_values ?? 0;
    const isBounded = (value: number, most: number): boolean => value >= 0 && value <= most;
    const areBounded =
      isBounded(bytes, Math.min(this.#end - this.#at, PARQUET_LIMITS.pageBytesMax)) &&
      isBounded(plainBytes, PARQUET_LIMITS.pageBytesMax) &&
      isBounded(count, PARQUET_LIMITS.pageValuesMax);
    if (!areBounded) throw new Error("a page is beyond the limits");
    const page = { view: viewOf(await this.#read(bytes)), offset: 0 };
    this.#at += bytes;
    if (type === "INDEX_PAGE" || count === 0) return true;
    const rest = this.#isFlat ? undefined : this.peek(this.#values.length);
    const { data: values = [] } = readPage(page, header, this.#decoder, this.#dictionary, rest, 0);
    if (type === "DICTIONARY_PAGE") this.#dictionary = convert(values, this.#decoder);
    else {
      this.#values = values;
      this.#next = 0;
    }
    return true;
  }
}

function viewOf(bytes: Uint8Array): DataView<ArrayBuffer> {
  return new DataView(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength);
}

/** A value as queries know it. Integers beyond 2^53 are texts, which keep all digits; bytes are Base64. */
function plainValue(value: unknown, decimals: number | undefined, size: { chars: number }): Value {
  size.chars += typeof value === "string" ? value.length : 8;
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      return decimals === undefined ? value : Number(value.toFixed(decimals));
    case "bigint": {
      const number = Number(value);
      return Number.isSafeInteger(number) ? number : String(value);
    }
  }
  if (value === null || value === undefined) return null;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value;
  if (value instanceof Uint8Array) return plainValue(Buffer.from(value).toString("base64"), undefined, size);
  if (Array.isArray(value)) return value.map((item) => plainValue(item, undefined, size));
  const entries = Object.entries(value as object).map(([name, item]) => {
    size.chars += name.length;
    return [name, plainValue(item, undefined, size)];
  });
  return Object.fromEntries(entries);
}
