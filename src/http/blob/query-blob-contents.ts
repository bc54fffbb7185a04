import { copyInto } from "../../base/bytes.ts";
import type { Instant } from "../../base/clock.ts";
import { KIB } from "../../base/limits.ts";
import { Refusal } from "../../base/refusals.ts";
import { release as releaseChunk } from "../../memory/pooled-buffer.ts";
import { getBlob, type OpenedBlob } from "../../services/blob/get-blob.ts";
import type { ArrowField, ArrowType } from "../../services/blob/query/arrow-stream.ts";
import type { TextForm } from "../../services/blob/query/results.ts";
import { type InputForm, type OutputForm, runQuery } from "../../services/blob/query/run-query.ts";
import { SQL_LIMITS, SqlError, type SqlQuery } from "../../services/blob/query/sql.ts";
import { parseSql } from "../../services/blob/query/sql-parser.ts";
import type { SliceRange } from "../../services/payload/payloads.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { printQueryReply } from "../wire/query-avro.ts";
import { parseXml, type XmlElement } from "../wire/xml.ts";
import { requiredChild } from "../wire/xml-values.ts";
import { readRead, streamOf } from "./get-blob.ts";
import { blobHeaders } from "./replies.ts";
import type { BlobServices } from "./services.ts";

/** An expression has up to 256 KiB, and XML escapes make it longer. */
export const BODY_BYTES_MAX = 1_024 * KIB;

/** POST ?comp=query */
export async function handleQueryBlobContents(
  request: HttpRequest,
  { blobs }: BlobServices,
): Promise<HttpReply> {
  const read = readRead(request);
  const root = parseXml(await request.body.read(BODY_BYTES_MAX));
  if (root.name !== "QueryRequest") throw new Refusal("InvalidXmlDocument");
  const query = sqlOf(root, blobs.clock.now());
  const input = inputOf(root.child("InputSerialization"));
  const output = outputOf(root.child("OutputSerialization"));
  const opened = await getBlob(blobs, { ...read, rangeOf: (length) => ({ from: 0, length }) });
  const { record, payload } = opened;
  let reader: { release(): void } | undefined;
  const release = (): void => {
    payload?.close();
    reader?.release();
  };
  try {
    if (record.kind !== "block") throw new Refusal("InvalidBlobType");
    if (input.kind === "parquet") reader = blobs.parquetReaders.acquire();
    const file = {
      length: record.length,
      stream: () => streamOf(opened),
      read: (from: number, length: number) => readBytes(opened, { from, length }),
    };
    const events = guarded(() => runQuery({ query, input, output, file, scheduler: blobs.scheduler }));
    return {
      status: 200,
      headers: { ...blobHeaders(opened), "x-ms-tag-count": undefined, "Content-Type": "avro/binary" },
      body: printQueryReply(events, { totalBytes: record.length, sync: blobs.random.bytes(16) }),
      release,
    };
  } catch (error) {
    release();
    throw error;
  }
}

async function readBytes(opened: OpenedBlob, range: SliceRange): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(range.length);
  let at = 0;
  for await (const chunk of streamOf({ ...opened, range })) {
    copyInto(bytes, chunk, at);
    at += chunk.length;
    releaseChunk(chunk);
  }
  return bytes;
}

function sqlOf(root: XmlElement, now: Instant): SqlQuery {
  if (requiredChild(root, "QueryType").text !== "SQL") throw invalid("Only SQL is understood.");
  return guarded(() => parseSql(requiredChild(root, "Expression").text, now));
}

function guarded<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof SqlError) throw invalid(error.message);
    throw error;
  }
}

function invalid(reason: string): Refusal {
  return new Refusal("InvalidInput", { elements: { Reason: reason } });
}

const PLAIN_CSV: TextForm = {
  kind: "csv",
  columnSeparator: ",",
  recordSeparator: "\n",
  quote: '"',
  escapeMark: "",
  hasHeaders: false,
};

function inputOf(serialization: XmlElement | undefined): InputForm {
  if (serialization === undefined) return PLAIN_CSV;
  const format = requiredChild(serialization, "Format");
  const type = typeOf(format);
  return type === "parquet" ? { kind: "parquet" } : textFormOf(format, type);
}

/** Delimited text unless the client declares it, whatever the input is. */
function outputOf(serialization: XmlElement | undefined): OutputForm {
  if (serialization === undefined) return PLAIN_CSV;
  const format = requiredChild(serialization, "Format");
  const type = typeOf(format);
  return type === "arrow" ? arrowFormOf(format) : textFormOf(format, type);
}

function typeOf(format: XmlElement): string {
  return requiredChild(format, "Type").text.toLowerCase();
}

function textFormOf(format: XmlElement, type: string): TextForm {
  if (type === "json") {
    const recordSeparator = format.child("JsonTextConfiguration")?.textOf("RecordSeparator");
    return { kind: "json", recordSeparator: recordSeparator || "\n" };
  }
  if (type !== "delimited") throw invalid(`The format ${type} is not supported here.`);
  const options = format.child("DelimitedTextConfiguration");
  const form: TextForm = {
    kind: "csv",
    columnSeparator: options?.textOf("ColumnSeparator") || ",",
    recordSeparator: options?.textOf("RecordSeparator") || "\n",
    quote: options?.textOf("FieldQuote") || '"',
    escapeMark: options?.textOf("EscapeChar") ?? "",
    hasHeaders:
      (options?.textOf("HasHeaders") ?? options?.textOf("HeadersPresent"))?.toLowerCase() === "true",
  };
  const isSound = form.quote.length === 1 && form.escapeMark.length <= 1 && form.recordSeparator.length <= 2;
  if (!isSound || form.columnSeparator.length !== 1) throw invalid("Separators are single characters.");
  return form;
}

const ARROW_TYPES: readonly ArrowType[] = ["int64", "bool", "timestamp[ms]", "string", "double", "decimal"];
const DECIMAL_DIGITS_MAX = 38;

function arrowFormOf(format: XmlElement): OutputForm {
  const fields = requiredChild(requiredChild(format, "ArrowConfiguration"), "Schema").all("Field");
  if (fields.length === 0 || fields.length > SQL_LIMITS.columnsMax)
    throw invalid("The schema has no columns, or too many.");
  return { kind: "arrow", schema: fields.map(arrowFieldOf) };
}

function arrowFieldOf(field: XmlElement, index: number): ArrowField {
  const declared = requiredChild(field, "Type").text;
  const type = ARROW_TYPES.find((supported) => supported === declared);
  if (type === undefined) throw invalid(`The Arrow type ${declared} is not supported.`);
  const name = field.textOf("Name") ?? `_${index + 1}`;
  if (type !== "decimal") return { name, type };
  const [precision, scale] = [Number(field.textOf("Precision")), Number(field.textOf("Scale"))];
  const isSound = Number.isInteger(precision) && precision >= 1 && precision <= DECIMAL_DIGITS_MAX;
  if (!isSound || !Number.isInteger(scale) || scale < 0 || scale > precision) {
    throw invalid("A decimal has a precision of 1 to 38 digits and a scale within it.");
  }
  return { name, type, precision, scale };
}
