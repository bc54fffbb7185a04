import type { Instant } from "../../base/clock.ts";
import { KIB } from "../../base/limits.ts";
import { Refusal } from "../../base/refusals.ts";
import { getBlob } from "../../services/blob/get-blob.ts";
import { type Form, runQuery } from "../../services/blob/query/run-query.ts";
import { SqlError, type SqlQuery } from "../../services/blob/query/sql.ts";
import { parseSql } from "../../services/blob/query/sql-parser.ts";
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
  const input = formOf(root.child("InputSerialization")) ?? PLAIN_CSV;
  const output = formOf(root.child("OutputSerialization")) ?? input;
  const opened = await getBlob(blobs, { ...read, rangeOf: (length) => ({ from: 0, length }) });
  const { record, payload } = opened;
  if (record.kind !== "block") {
    payload?.close();
    throw new Refusal("InvalidBlobType");
  }
  const source = streamOf(opened);
  const events = guarded(() => runQuery({ query, input, output, source, scheduler: blobs.scheduler }));
  return {
    status: 200,
    headers: { ...blobHeaders(opened), "Content-Type": "avro/binary" },
    body: printQueryReply(events, { totalBytes: record.length, sync: blobs.random.bytes(16) }),
    release: () => payload?.close(),
  };
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

const PLAIN_CSV: Form = {
  kind: "csv",
  columnSeparator: ",",
  recordSeparator: "\n",
  quote: '"',
  escapeMark: "",
  hasHeaders: false,
};

/** Delimited text or JSON; other formats of the protocol are refused. */
function formOf(serialization: XmlElement | undefined): Form | undefined {
  if (serialization === undefined) return undefined;
  const format = requiredChild(serialization, "Format");
  const type = requiredChild(format, "Type").text.toLowerCase();
  if (type === "json") {
    const recordSeparator = format.child("JsonTextConfiguration")?.textOf("RecordSeparator");
    return { kind: "json", recordSeparator: recordSeparator || "\n" };
  }
  if (type !== "delimited") throw invalid(`The format ${type} is not supported.`);
  const options = format.child("DelimitedTextConfiguration");
  const form: Form = {
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
