import assert from "node:assert/strict";
import { test } from "node:test";
import { CooperativeScheduler } from "../../../base/yield-to-event-loop.ts";
import type { QueryFile } from "./parquet-rows.ts";
import type { TextForm } from "./results.ts";
import { type QueryEvent, runQuery } from "./run-query.ts";
import { parseSql } from "./sql-parser.ts";

const scheduler = new CooperativeScheduler(1);

const CSV: TextForm = {
  kind: "csv",
  columnSeparator: ",",
  recordSeparator: "\n",
  quote: '"',
  escapeMark: "",
  hasHeaders: false,
};
const JSON_LINES: TextForm = { kind: "json", recordSeparator: "\n" };

/** A blob that is only streamed. */
function fileOf(stream: () => AsyncIterable<Buffer>): QueryFile {
  return { length: 0, stream, read: () => Promise.reject(new Error("not read in places")) };
}

async function ask(sql: string, data: string, form = CSV): Promise<QueryEvent[]> {
  async function* stream(): AsyncGenerator<Buffer> {
    yield Buffer.from(data);
  }
  const events: QueryEvent[] = [];
  const run = runQuery({
    query: parseSql(sql, 0),
    input: form,
    output: form,
    file: fileOf(stream),
    scheduler,
  });
  for await (const event of run) events.push(event);
  return events;
}

const errorsOf = (events: readonly QueryEvent[]): string[] =>
  events.flatMap((event) => (event.kind === "error" ? [event.description] : []));

test("queries that compute for long let others go first, however many there are", async () => {
  const terms = Array.from({ length: 200 }, (_, i) => `_1 = 'no${i}'`).join(" OR ");
  let ticks = 0;
  let isOver = false;
  const look = (): void => {
    ticks++;
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  const query = `SELECT * FROM BlobStorage WHERE ${terms}`;
  await Promise.all([1, 2, 3].map(() => ask(query, "1,2\n".repeat(3_000))));
  isOver = true;
  // Three together make 1.8 million comparisons, which take far longer than one slice.
  assert.ok(ticks > 20, `${ticks} ticks`);
});

test("a long query that finds nothing says so now and then, and ends when the client has disconnected", async () => {
  const terms = Array.from({ length: 500 }, (_, i) => `_1 = 'no${i}'`).join(" OR ");
  let isEnded = false;
  async function* source(): AsyncGenerator<Buffer> {
    try {
      for (;;) yield Buffer.from("1,2\n".repeat(1_000));
    } finally {
      isEnded = true;
    }
  }
  const query = parseSql(`SELECT * FROM BlobStorage WHERE ${terms}`, 0);
  for await (const event of runQuery({ query, input: CSV, output: CSV, file: fileOf(source), scheduler })) {
    assert.equal(event.kind, "progress");
    break;
  }
  assert.ok(isEnded);
});

test("a pattern that makes one long record cost more than it may ends the answer with an error", async () => {
  const pattern = `%${"a".repeat(3_000)}b`;
  const events = await ask(
    `SELECT COUNT(*) FROM BlobStorage WHERE _1 LIKE '${pattern}'`,
    "a".repeat(900_000),
  );
  assert.deepEqual(errorsOf(events), ["the query takes too long for one record"]);
  const short = await ask("SELECT COUNT(*) FROM BlobStorage WHERE _1 LIKE '%a%b%'", "xaxbx\nxbxax\n");
  assert.deepEqual(errorsOf(short), []);
});

test("a record cannot be asked for a thousand times over", async () => {
  const columns = Array(1_000).fill("_1").join(",");
  assert.deepEqual(errorsOf(await ask(`SELECT ${columns} FROM BlobStorage`, "x".repeat(500_000))), [
    "the query takes too long for one record",
  ]);
  const parts = Array(800).fill("a.b").join(",");
  const record = JSON.stringify({ a: { b: [Array(50_000).fill(1)] } });
  assert.deepEqual(errorsOf(await ask(`SELECT ${parts} FROM BlobStorage[*]`, record, JSON_LINES)), [
    "the query takes too long for one record",
  ]);
  const whole = await ask("SELECT * FROM BlobStorage", `${"x".repeat(900_000)}\n`);
  assert.deepEqual(errorsOf(whole), []);
});

test("names of the language's own objects are no types", () => {
  for (const name of ["constructor", "toString", "__proto__"])
    assert.throws(
      () => parseSql(`SELECT CAST(_1 AS ${name}) FROM BlobStorage`, 0),
      /there is no such type|name/,
    );
});
