import assert from "node:assert/strict";
import { test } from "node:test";
import type { BlockBlobClient } from "@azure/storage-blob";
import { collect } from "../../src/base/bytes.ts";
import { onEachEngine, refused } from "../kit/blob.ts";

const CSV = {
  kind: "csv",
  columnSeparator: ",",
  recordSeparator: "\n",
  fieldQuote: '"',
  escapeCharacter: "",
} as const;
const HEADED = { ...CSV, hasHeaders: true };
const JSON_LINES = { kind: "json", recordSeparator: "\n" } as const;

const PEOPLE =
  'name,age,city,note\nAda,36,London,"first, and ""best"""\nBob,7,Paris,\nCid,41,Rome,x\nDot,36,,"two\nlines"\n';

type Errors = { name: string; description: string; isFatal: boolean; position: number }[];

onEachEngine("query", (kit) => {
  async function blobOf(text: string): Promise<BlockBlobClient> {
    const blob = (await kit.container()).getBlockBlobClient("data");
    await blob.upload(text, Buffer.byteLength(text));
    return blob;
  }

  async function ask(blob: BlockBlobClient, sql: string, options: object = {}): Promise<string> {
    const errors: Errors = [];
    const reply = await blob.query(sql, {
      inputTextConfiguration: HEADED,
      outputTextConfiguration: CSV,
      onError: (error) => errors.push(error),
      ...options,
    });
    const text = (await collect(reply.readableStreamBody as AsyncIterable<Buffer>)).toString();
    assert.deepEqual(errors, []);
    return text;
  }

  test("selects columns and rows of delimited text", async () => {
    const blob = await blobOf(PEOPLE);
    const rows = async (sql: string): Promise<string[]> => (await ask(blob, sql)).split("\n").slice(0, -1);
    assert.equal(await ask(blob, "SELECT * FROM BlobStorage"), PEOPLE.slice(PEOPLE.indexOf("\n") + 1));
    assert.deepEqual(await rows("SELECT name, _2 FROM BlobStorage WHERE age > 10 LIMIT 2"), [
      "Ada,36",
      "Cid,41",
    ]);
    assert.deepEqual(await rows("SELECT name FROM BlobStorage WHERE city = 'Paris' OR age = 41"), [
      "Bob",
      "Cid",
    ]);
    assert.deepEqual(await rows("SELECT name FROM BlobStorage WHERE NOT (age BETWEEN 30 AND 40)"), [
      "Bob",
      "Cid",
    ]);
    assert.deepEqual(await rows("SELECT name FROM BlobStorage WHERE name IN ('Ada', 'Dot') AND age = 36"), [
      "Ada",
      "Dot",
    ]);
    assert.deepEqual(await rows("SELECT name FROM BlobStorage WHERE name LIKE '_o%'"), ["Bob", "Dot"]);
    assert.deepEqual(await rows("SELECT name FROM BlobStorage WHERE city NOT LIKE '%o%' AND name <> 'Dot'"), [
      "Bob",
    ]);
    assert.deepEqual(await rows("SELECT age * 2 + 1 AS x FROM BlobStorage WHERE name = 'Bob'"), ["15"]);
    assert.deepEqual(await rows("SELECT b.name FROM BlobStorage b WHERE b.age < 10"), ["Bob"]);
    assert.deepEqual(await rows(`SELECT "name" FROM BlobStorage WHERE _3 = 'Rome';`), ["Cid"]);
    assert.deepEqual(await rows("SELECT name FROM BlobStorage WHERE nullif(city, '') IS NULL"), ["Dot"]);
  });

  test("functions, casts and cases", async () => {
    const blob = await blobOf("k,v\n ab ,12.7\nCD,true\n");
    const rows = async (sql: string): Promise<string[]> => (await ask(blob, sql)).split("\n").slice(0, -1);
    assert.deepEqual(await rows("SELECT upper(trim(k)), char_length(k) FROM BlobStorage LIMIT 1"), ["AB,4"]);
    assert.deepEqual(await rows("SELECT lower(k) || '!' FROM BlobStorage WHERE k = 'CD'"), ["cd!"]);
    assert.deepEqual(await rows("SELECT substring(k, 1, 2), substring(k FROM 3) FROM BlobStorage LIMIT 1"), [
      "ab,b ",
    ]);
    assert.deepEqual(await rows("SELECT substring('123456789', 1, 5) FROM BlobStorage LIMIT 1"), ["23456"]);
    assert.deepEqual(await rows("SELECT cast(v AS int), cast(v AS float) FROM BlobStorage LIMIT 1"), [
      "12,12.7",
    ]);
    assert.deepEqual(await rows("SELECT k FROM BlobStorage WHERE cast(v AS bool)"), ["CD"]);
    assert.deepEqual(await rows("SELECT CASE WHEN k = 'CD' THEN 'yes' ELSE 'no' END FROM BlobStorage"), [
      "no",
      "yes",
    ]);
    assert.deepEqual(await rows("SELECT coalesce(nullif(k, 'CD'), 'none') FROM BlobStorage"), [
      " ab ",
      "none",
    ]);
    assert.deepEqual(await rows("SELECT trim(LEADING 'C' FROM k) FROM BlobStorage WHERE k = 'CD'"), ["D"]);
    assert.deepEqual(
      await rows(
        "SELECT k FROM BlobStorage WHERE cast('2026-01-02' AS timestamp) > cast('2026-01-01' AS timestamp) LIMIT 1",
      ),
      [" ab "],
    );
  });

  test("times: their parts, sums and differences", async () => {
    const blob = await blobOf("t,n\n2024-02-29T10:20:30.456Z,1\n");
    const one = async (expression: string): Promise<string> =>
      (await ask(blob, `SELECT ${expression} FROM BlobStorage`)).slice(0, -1);
    const cases: Record<string, string> = {
      "date_add('minute', 1, CAST('2017-01-02T03:04:05.006Z' AS TIMESTAMP))": "2017-01-02T03:05:05.006Z",
      "DATE_ADD(year, 1, t)": "2025-02-28T10:20:30.456Z",
      "date_add(month, -3, t)": "2023-11-29T10:20:30.456Z",
      "date_add(day, n, t)": "2024-03-01T10:20:30.456Z",
      "CAST(t AS TIMESTAMP) + 1": "2024-03-01T10:20:30.456Z",
      "CAST(t AS TIMESTAMP) - 1.0": "2024-02-28T10:20:30.456Z",
      "DATE_DIFF('hour','2018-11-09T00:00+05:30','2018-11-09T01:00:23-08:00')": "14",
      "date_diff(month, '2010-01-31', '2010-02-28')": "1",
      "date_diff(month, '2010-01-15', '2010-02-14')": "0",
      "date_diff(year, '2020-06-01', '2010-07-01')": "-9",
      "date_diff(day, '2010-01-01T23:00', '2010-01-02T01:00')": "0",
      "EXTRACT(YEAR FROM '2010-01-01T')": "2010",
      "extract(second FROM t) + extract(minute FROM t)": "50",
      "extract(timezone_hour FROM '2018-11-09T00:00-08:30')": "-8",
      "extract(timezone_minute FROM '2018-11-09T00:00+05:30')": "30",
      "TO_STRING(CAST('1969-07-20T20:18Z' AS TIMESTAMP), 'MMMM d, y')": '"July 20, 1969"',
      "to_string(t, 'yy-MM-dd hh:mm:ss a SSS MMM H XXX xxx')": "24-02-29 10:20:30 AM 456 Feb 10 Z +00:00",
      "TO_TIMESTAMP('2007T')": "2007-01-01T00:00:00.000Z",
      "to_timestamp('2024-02-30')": "",
      "to_timestamp('yesterday')": "",
      "CASE WHEN utcnow() > t AND utcnow() < date_add(year, 100, t) THEN 'now' ELSE 'then' END": "now",
    };
    for (const [expression, expected] of Object.entries(cases)) {
      assert.equal(await one(expression), expected, expression);
    }
    for (const wrong of ["date_add(century, 1, t)", "extract(YEAR t)", "date_diff(day, t)", "utcnow(1)"]) {
      await assert.rejects(one(wrong), refused(400, "InvalidInput"), wrong);
    }
  });

  test("sys.split reports the sizes of batches that end with a record", async () => {
    const line = `é,${"x".repeat(997)}\n`;
    const count = 22_000;
    const text = `h1,h2\n${line.repeat(count)}`;
    const blob = (await kit.container()).getBlockBlobClient("split");
    await blob.upload(text, Buffer.byteLength(text));
    const sizes = (await ask(blob, "SELECT sys.split(10485760) FROM BlobStorage"))
      .trim()
      .split("\n")
      .map(Number);
    assert.equal(
      sizes.reduce((sum, size) => sum + size, 0),
      Buffer.byteLength(text),
    );
    assert.equal(sizes.length, 3);
    for (const size of sizes.slice(0, -1)) assert.ok(size >= 10_485_760 && size < 10_485_760 + 1_001);
    assert.ok((sizes[0]! - "h1,h2\n".length) % Buffer.byteLength(line) === 0);
    await assert.rejects(ask(blob, "SELECT sys.split(1000) FROM BlobStorage"), refused(400, "InvalidInput"));
    await assert.rejects(
      ask(blob, "SELECT sys.split(10485760) FROM BlobStorage", { inputTextConfiguration: JSON_LINES }),
      refused(400, "InvalidInput"),
    );
  });

  test("what is missing is not what is null, and names of fields do not mind their case", async () => {
    const blob = await blobOf('{"Id":1,"v":null}\n{"Id":2}\n{"Id":3,"v":{"w":1}}\n');
    const json = { inputTextConfiguration: JSON_LINES, outputTextConfiguration: CSV };
    const ids = async (where: string): Promise<string> =>
      (await ask(blob, `SELECT id FROM BlobStorage WHERE ${where}`, json)).trim().replaceAll("\n", ",");
    assert.equal(await ids("v IS NULL"), "1,2");
    assert.equal(await ids("v IS MISSING"), "2");
    assert.equal(await ids("V.W IS NOT MISSING"), "3");
    assert.equal(await ask(blob, "SELECT average(ID) FROM BlobStorage", json), "2\n");
  });

  test("aggregates", async () => {
    const blob = await blobOf(PEOPLE);
    const sql =
      "SELECT count(*), sum(age), avg(age), min(age), max(name), count(nullif(city,'')) FROM BlobStorage";
    assert.equal(await ask(blob, sql), "4,120,30,36,Dot,3\n");
    assert.equal(await ask(blob, "SELECT min(cast(age AS int)) FROM BlobStorage"), "7\n");
    assert.equal(await ask(blob, "SELECT count(*), sum(age) FROM BlobStorage WHERE age > 100"), "0,\n");
  });

  test("JSON in and out, with paths, in lines or not", async () => {
    const lines = `{"id":1,"a":{"b":[10,20]},"t":"x}\\""}\n{"id":2,"a":{"b":[30]}}\n`;
    const blob = await blobOf(lines);
    const json = { inputTextConfiguration: JSON_LINES, outputTextConfiguration: JSON_LINES };
    assert.equal(
      await ask(blob, "SELECT * FROM BlobStorage WHERE id = 1", json),
      lines.slice(0, lines.indexOf("\n") + 1),
    );
    assert.equal(
      await ask(blob, "SELECT id, a.b[0] AS first FROM BlobStorage", json),
      '{"id":1,"first":10}\n{"id":2,"first":30}\n',
    );
    assert.equal(await ask(blob, "SELECT count(*) AS n FROM BlobStorage[*].a.b[*]", json), '{"n":3}\n');
    assert.equal(
      await ask(blob, "SELECT id FROM BlobStorage WHERE t IS NULL", {
        ...json,
        outputTextConfiguration: CSV,
      }),
      "2\n",
    );
    const pretty = await blobOf(JSON.stringify([{ n: 1 }, { n: 2 }], null, 2));
    assert.equal(await ask(pretty, "SELECT n FROM BlobStorage[*] WHERE n > 1", json), '{"n":2}\n');
    const csv = await blobOf("a,b\n1,x\n");
    assert.equal(
      await ask(csv, "SELECT * FROM BlobStorage", { outputTextConfiguration: JSON_LINES }),
      '{"a":"1","b":"x"}\n',
    );
  });

  test("a blob of many slices streams through, with progress reports", async () => {
    const container = await kit.container();
    const blob = container.getBlockBlobClient("large");
    const lines = Array.from({ length: 200_000 }, (_, i) => `${i},${"é".repeat(20)},${i % 7}\n`).join("");
    await blob.upload(lines, Buffer.byteLength(lines));
    const progress: number[] = [];
    const text = await ask(blob, "SELECT _1 FROM BlobStorage WHERE _3 = 3 AND _2 LIKE '%é'", {
      inputTextConfiguration: CSV,
      onProgress: ({ loadedBytes }: { loadedBytes: number }) => progress.push(loadedBytes),
    });
    const expected = Array.from({ length: 200_000 }, (_, i) => i).filter((i) => i % 7 === 3);
    assert.equal(text, `${expected.join("\n")}\n`);
    assert.equal(progress.at(-1), Buffer.byteLength(lines));
    assert.ok(progress.length > 2);
  });

  test("columns that are named by their place are named by their place in the answer", async () => {
    const blob = await blobOf("100,200,300,400\n300,400,500,600\n");
    const options = { inputTextConfiguration: CSV, outputTextConfiguration: JSON_LINES };
    const sql = "SELECT _2, _4 AS last, _3 FROM BlobStorage WHERE _1 > 250;";
    assert.equal(await ask(blob, sql, options), '{"_1":"400","last":"600","_3":"500"}\n');
  });

  test("the reply reports and omits a record without the queried column, and the query goes on", async () => {
    const blob = await blobOf("100,pizza,300\n300,400,500\n1\n400,,1\n");
    const errors: Errors = [];
    const reply = await blob.query("SELECT _1 FROM BlobStorage WHERE _2 > 250", {
      inputTextConfiguration: CSV,
      onError: (error) => errors.push(error),
    });
    const text = (await collect(reply.readableStreamBody as AsyncIterable<Buffer>)).toString();
    assert.equal(text, "300\n");
    assert.deepEqual(
      errors.map(({ name, isFatal, position }) => [name, isFatal, position]),
      [
        ["InvalidTypeConversion", false, 0],
        ["InvalidColumnOrdinal", false, 26],
      ],
    );
    assert.deepEqual(
      errors.map(({ description }) => description),
      ["Invalid type conversion.", "Column ordinal 0 does not exist in row."],
    );
  });

  test("a record too short for a named column is an error at its offset, after the data", async () => {
    const blob = await blobOf("a,b,c\r\n1,2,3\r\n4\r\n5,6,7\r\n");
    const seen: string[] = [];
    const reply = await blob.query("SELECT a, c FROM BlobStorage", {
      inputTextConfiguration: HEADED,
      onError: ({ name, description, position }) => seen.push(`${name} ${description} ${position}`),
      onProgress: ({ loadedBytes }) => seen.push(`progress ${loadedBytes}`),
    });
    assert.equal((await collect(reply.readableStreamBody as AsyncIterable<Buffer>)).toString(), "1,3\n5,7\n");
    assert.deepEqual(seen.slice(0, 2), [
      "InvalidColumnOrdinal Column ordinal 1 does not exist in row. 14",
      "progress 24",
    ]);
  });

  test("a JSON record without a selected field is printed without it", async () => {
    const blob = await blobOf('{"name": "owner", "id": 1}{"name2": "owner2"}{"name": null}');
    const json = { inputTextConfiguration: JSON_LINES, outputTextConfiguration: JSON_LINES };
    assert.equal(
      await ask(blob, "SELECT name FROM BlobStorage", json),
      '{"name":"owner"}\n{}\n{"name":null}\n',
    );
  });

  test("records of JSON are separated by the declared text", async () => {
    const blob = await blobOf('{"a":1};{"a":2};');
    const json = { kind: "json", recordSeparator: ";" } as const;
    const options = { inputTextConfiguration: json, outputTextConfiguration: json };
    assert.equal(await ask(blob, "SELECT * FROM BlobStorage", options), '{"a":1};{"a":2};');
  });

  test("the output is delimited text unless the client declares it", async () => {
    const blob = await blobOf('{"a":1,"b":"x"}\n');
    const options = { inputTextConfiguration: JSON_LINES, outputTextConfiguration: undefined };
    assert.equal(await ask(blob, "SELECT * FROM BlobStorage", options), "1,x\n");
  });

  test("malformed JSON is described by its character and the offset in the blob", async () => {
    const cases: [data: string, text: string, description: string, position: number][] = [
      ["100,200\n", "\n", "Unexpected token ',' at [byte: 3]. Expecting tokens '{', or '['.", 0],
      ["no,json\n", "", "Unexpected token 'n' at [byte: 0]. Expecting tokens '{', or '['.", 0],
      ["{name: 1}\n", "", `Unexpected token 'n' at [byte: 1]. Expecting token '"'. `, 0],
      ['{"é":1}\n{"a";1}', "1\n", "Unexpected token ';' at [byte: 13]. Expecting token ':'. ", 9],
      ['{"a":1 "b":2}', "", "Unexpected token '\"' at [byte: 7]. Expecting tokens ',', or '}'.", 0],
      ['{"a":[1,x]}', "", "Unexpected token 'x' at [byte: 8]. Expecting a value.", 0],
    ];
    for (const [data, text, description, position] of cases) {
      const errors: Errors = [];
      const reply = await (await blobOf(data)).query("SELECT * FROM BlobStorage", {
        inputTextConfiguration: JSON_LINES,
        onError: (error) => errors.push(error),
      });
      const bytes = await collect(reply.readableStreamBody as AsyncIterable<Buffer>);
      assert.equal(bytes.toString(), text, data);
      assert.deepEqual(errors, [{ isFatal: true, name: "ParseError", description, position }], data);
    }
  });

  test("an error is never the first record of an answer, which the Python SDK could not read", async () => {
    const blob = await blobOf("no,json\n");
    const seen: string[] = [];
    const reply = await blob.query("SELECT * FROM BlobStorage", {
      inputTextConfiguration: JSON_LINES,
      onError: ({ name, isFatal }) => seen.push(`${name} ${isFatal}`),
      onProgress: ({ loadedBytes }) => seen.push(`progress ${loadedBytes}`),
    });
    assert.equal((await collect(reply.readableStreamBody as AsyncIterable<Buffer>)).length, 0);
    // An empty data record precedes the error; the number of scanned bytes follows it.
    assert.deepEqual(seen.slice(0, 2), ["ParseError true", "progress 8"]);
  });

  test("the reply reports errors in the data; errors in the query prevent it", async () => {
    const blob = await blobOf('{"a":1}\n{"a":}\n');
    const errors: Errors = [];
    const reply = await blob.query("SELECT a FROM BlobStorage", {
      inputTextConfiguration: JSON_LINES,
      onError: (error) => errors.push(error),
    });
    const text = (await collect(reply.readableStreamBody as AsyncIterable<Buffer>)).toString();
    assert.equal(text, "1\n");
    assert.deepEqual(
      errors.map(({ isFatal }) => isFatal),
      [true],
    );
    const bad = [
      "",
      "SELECT",
      "SELECT * FROM other",
      "SELECT a FROM BlobStorage WHERE",
      "SELECT a, count(*) FROM BlobStorage",
      "SELECT nofn(a) FROM BlobStorage",
      "DROP TABLE x",
      "SELECT * FROM BlobStorage LIMIT 'x'",
      `SELECT ${"(".repeat(100)}1${")".repeat(100)} FROM BlobStorage`,
      `SELECT ${"1+".repeat(5_000)}1 FROM BlobStorage`,
      "SELECT 'x FROM BlobStorage",
    ];
    for (const sql of bad) await assert.rejects(blob.query(sql), refused(400), sql.slice(0, 60));
    await assert.rejects(
      blob.query("SELECT * FROM BlobStorage.path", { inputTextConfiguration: CSV }),
      refused(400, "InvalidInput"),
    );
    await assert.rejects(
      blob.query("SELECT * FROM BlobStorage", { conditions: { ifMatch: '"0x1"' } }),
      refused(412, "ConditionNotMet"),
    );
    const container = await kit.container();
    await container.getAppendBlobClient("append").create();
    await assert.rejects(
      container.getBlockBlobClient("append").query("SELECT * FROM BlobStorage"),
      refused(409, "InvalidBlobType"),
    );
    await assert.rejects(
      container.getBlockBlobClient("absent").query("SELECT * FROM BlobStorage"),
      refused(404, "BlobNotFound"),
    );
  });

  test("a query that a LIKE could make endless ends", async () => {
    const blob = await blobOf(`${"a".repeat(20_000)}b\n`);
    const started = performance.now();
    const sql = `SELECT count(*) FROM BlobStorage WHERE _1 LIKE '${"%a".repeat(200)}c'`;
    assert.equal(await ask(blob, sql, { inputTextConfiguration: CSV }), "0\n");
    assert.ok(performance.now() - started < 5_000);
  });
});
