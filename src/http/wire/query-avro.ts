import type { QueryEvent } from "../../services/blob/query/run-query.ts";

/**
 * The reply of Query Blob Contents: an Avro object container file, whose records are chunks of data,
 * progress, errors and the end. Written here because it is four record types and two number formats.
 *
 *   "Obj" 01, metadata (a map of bytes), 16 bytes of sync marker, then blocks:
 *   count of records, their bytes, the records, the sync marker
 *
 * Numbers are zigzag and of variable length; a record of a union begins with the place of its type.
 */
const NAMESPACE = "com.microsoft.azure.storage.queryBlobContents";

const SCHEMA = JSON.stringify([
  {
    type: "record",
    name: `${NAMESPACE}.resultData`,
    doc: "Holds result data in the format specified for this query (CSV, JSON, etc.).",
    fields: [{ name: "data", type: "bytes" }],
  },
  {
    type: "record",
    name: `${NAMESPACE}.error`,
    doc: "An error that occurred while processing the query.",
    fields: [
      { name: "fatal", type: "boolean", doc: "If true, this error prevents further query processing." },
      { name: "name", type: "string", doc: "The name of the error" },
      { name: "description", type: "string", doc: "A description of the error" },
      { name: "position", type: "long", doc: "The record offset in the blob at which the error occurred" },
    ],
  },
  {
    type: "record",
    name: `${NAMESPACE}.progress`,
    doc: "Information about the progress of the query",
    fields: [
      { name: "bytesScanned", type: "long", doc: "The number of bytes that have been scanned" },
      { name: "totalBytes", type: "long", doc: "The total number of bytes to be scanned in this query" },
    ],
  },
  {
    type: "record",
    name: `${NAMESPACE}.end`,
    doc: "Sent as the final message of the response, indicating that all results have been sent.",
    fields: [{ name: "totalBytes", type: "long", doc: "The total number of bytes scanned in this query" }],
  },
]);

export async function* printQueryReply(
  events: AsyncIterable<QueryEvent>,
  { totalBytes, sync }: { readonly totalBytes: number; readonly sync: Buffer },
): AsyncGenerator<Buffer> {
  yield Buffer.concat([
    Buffer.from("Obj\x01", "latin1"),
    long(1),
    text("avro.schema"),
    text(SCHEMA),
    long(0),
    sync,
  ]);
  const blockOf = (event: QueryEvent): Buffer => {
    const record = recordOf(event, totalBytes);
    return Buffer.concat([long(1), long(record.length), record, sync]);
  };
  for await (const event of events) yield blockOf(event);
}

function recordOf(event: QueryEvent, totalBytes: number): Buffer {
  switch (event.kind) {
    case "data":
      return Buffer.concat([long(0), long(event.bytes.length), event.bytes]);
    case "error":
      return Buffer.concat([
        long(1),
        Buffer.of(event.isFatal ? 1 : 0),
        text(event.name),
        text(event.description),
        long(event.position),
      ]);
    case "progress":
      return Buffer.concat([long(2), long(event.scanned), long(totalBytes)]);
    case "end":
      return Buffer.concat([long(3), long(totalBytes)]);
  }
}

/** None is negative, so zigzag doubles them. */
function long(value: number): Buffer {
  const bytes: number[] = [];
  let left = value * 2;
  while (left >= 0x80) {
    bytes.push((left % 0x80) | 0x80);
    left = Math.floor(left / 0x80);
  }
  bytes.push(left);
  return Buffer.from(bytes);
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([long(bytes.length), bytes]);
}
