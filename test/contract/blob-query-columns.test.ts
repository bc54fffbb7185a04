import assert from "node:assert/strict";
import { test } from "node:test";
import type { BlockBlobClient, BlockBlobQueryOptions } from "@azure/storage-blob";
import { tableFromIPC } from "apache-arrow";
import { parquetWriteBuffer } from "hyparquet-writer";
import { collect } from "../../src/base/bytes.ts";
import { onEachEngine, refused } from "../kit/blob.ts";

const PARQUET = { kind: "parquet" } as const;
const JSON_LINES = { kind: "json", recordSeparator: "\n" } as const;

const arrow = (...schema: object[]) => ({ kind: "arrow", schema }) as never;

/** A Parquet file of every type that the writer has, in several row groups. */
function people(): Buffer {
  const columnData = [
    { name: "id", data: [1n, 2n, 9_007_199_254_740_993n, 4n], type: "INT64" },
    { name: "name", data: ["Ada", "Bob", null, "Dot"], type: "STRING" },
    { name: "height", data: [1.5, 2.25, null, -4], type: "DOUBLE" },
    { name: "isAdult", data: [true, false, true, null], type: "BOOLEAN" },
    { name: "born", data: [new Date(0), new Date(86_400_000), null, new Date(1e12)], type: "TIMESTAMP" },
    { name: "tags", data: [{ a: [1, 2] }, null, { a: [] }, { a: [3] }], type: "JSON" },
  ] as Parameters<typeof parquetWriteBuffer>[0]["columnData"];
  return Buffer.from(parquetWriteBuffer({ columnData, rowGroupSize: 3 }));
}

onEachEngine("query of columns", (kit) => {
  async function blobOf(data: string | Buffer): Promise<BlockBlobClient> {
    const blob = (await kit.container()).getBlockBlobClient("data");
    await blob.upload(data, Buffer.byteLength(data));
    return blob;
  }

  async function ask(
    blob: BlockBlobClient,
    sql: string,
    options: BlockBlobQueryOptions,
  ): Promise<{ readonly bytes: Buffer; readonly errors: readonly string[] }> {
    const errors: string[] = [];
    const onError = ({
      name,
      description,
      isFatal,
      position,
    }: Parameters<NonNullable<typeof options.onError>>[0]) =>
      errors.push(`${name} ${isFatal} ${position} ${description}`);
    const reply = await blob.query(sql, { onError, ...options });
    return { bytes: await collect(reply.readableStreamBody as AsyncIterable<Buffer>), errors };
  }

  test("Arrow: each declared type", async () => {
    const blob = await blobOf("7,1.5,true,text,2024-01-02T03:04:05.006Z,4.5\n,,,,,\n");
    const outputTextConfiguration = arrow(
      { type: "int64", name: "i" },
      { type: "double", name: "d" },
      { type: "bool", name: "b" },
      { type: "string", name: "s" },
      { type: "timestamp[ms]", name: "t" },
      { type: "decimal", name: "n", precision: 6, scale: 2 },
    );
    const { bytes, errors } = await ask(blob, "SELECT * FROM BlobStorage", { outputTextConfiguration });
    assert.deepEqual(errors, []);
    const table = tableFromIPC(bytes);
    assert.equal(table.numRows, 2);
    const [first, second] = table.toArray();
    assert.deepEqual([first.i, first.d, first.b, first.s], [7n, 1.5, true, "text"]);
    assert.equal(first.t, Date.UTC(2024, 0, 2, 3, 4, 5, 6));
    assert.equal(String(first.n), "450");
    assert.deepEqual(
      [second.i, second.d, second.b, second.s, second.t, second.n],
      [null, null, null, "", null, null],
    );
  });

  test("Arrow: a decimal without a point is the integer of the decimal", async () => {
    const blob = await blobOf("100,200,300,400\n300,400,500,600\n");
    const outputTextConfiguration = arrow({ type: "decimal", name: "abc", precision: 4, scale: 2 });
    const { bytes } = await ask(blob, "SELECT _2 FROM BlobStorage WHERE _1 > 250", {
      outputTextConfiguration,
    });
    const column = tableFromIPC(bytes).getChild("abc")!;
    assert.deepEqual([column.length, String(column.get(0)), column.type.scale], [1, "400", 2]);
  });

  test("Arrow: a record that does not fit the schema ends the reply, a value of another type is left out", async () => {
    const blob = await blobOf("1,2\nx,4\n3,6\n");
    const one = { outputTextConfiguration: arrow({ type: "int64", name: "a" }) };
    const unfit = await ask(blob, "SELECT * FROM BlobStorage", one);
    assert.deepEqual(unfit.errors, [
      "ClientError true 0 Number of columns in the row does not match the schema.",
    ]);
    assert.equal(tableFromIPC(unfit.bytes).numRows, 0);
    const other = await ask(blob, "SELECT _1 FROM BlobStorage", one);
    assert.deepEqual(other.errors, ["InvalidTypeConversion false 4 Invalid type conversion."]);
    assert.deepEqual([...tableFromIPC(other.bytes).getChild("a")!], [1n, 3n]);
  });

  test("Arrow: many rows are batches of one stream", async () => {
    const blob = await blobOf(Array.from({ length: 40_000 }, (_, i) => `${i},row ${i}\n`).join(""));
    const schema = [
      { type: "int64", name: "i" },
      { type: "string", name: "s" },
    ];
    const { bytes } = await ask(blob, "SELECT * FROM BlobStorage", {
      outputTextConfiguration: arrow(...schema),
    });
    const table = tableFromIPC(bytes);
    assert.equal(table.numRows, 40_000);
    assert.ok(table.batches.length > 10);
    assert.deepEqual([table.get(39_999)!.i, table.get(39_999)!.s], [39_999n, "row 39999"]);
  });

  test("Arrow: schemas that cannot be are refused", async () => {
    const blob = await blobOf("1\n");
    const schemas = [
      [],
      [{ type: "int32", name: "a" }],
      [{ type: "decimal", name: "a", precision: 39, scale: 2 }],
      [{ type: "decimal", name: "a", precision: 4, scale: 5 }],
    ];
    for (const schema of schemas) {
      const asked = ask(blob, "SELECT * FROM BlobStorage", { outputTextConfiguration: arrow(...schema) });
      await assert.rejects(asked, refused(400), JSON.stringify(schema));
    }
  });

  test("Parquet: columns, conditions and aggregates over several row groups", async () => {
    const blob = await blobOf(people());
    const rows = async (sql: string): Promise<string[]> => {
      const { bytes, errors } = await ask(blob, sql, { inputTextConfiguration: PARQUET });
      assert.deepEqual(errors, [], sql);
      return bytes.toString().split("\n").slice(0, -1);
    };
    assert.deepEqual(await rows("SELECT id, Name, _3 FROM BlobStorage WHERE id < 3"), [
      "1,Ada,1.5",
      "2,Bob,2.25",
    ]);
    assert.deepEqual(await rows("SELECT id FROM BlobStorage WHERE name IS NULL"), ["9007199254740993"]);
    assert.deepEqual(await rows("SELECT b.id FROM BlobStorage b WHERE b.isAdult = true AND b.height > 0"), [
      "1",
    ]);
    assert.deepEqual(await rows("SELECT COUNT(*), SUM(height), MAX(name) FROM BlobStorage"), ["4,-0.25,Dot"]);
    assert.deepEqual(await rows("SELECT COUNT(*) FROM BlobStorage"), ["4"]);
    assert.deepEqual(
      await rows("SELECT born FROM BlobStorage WHERE born > TO_TIMESTAMP('1970-01-01T12:00Z')"),
      ["1970-01-02T00:00:00.000Z", "2001-09-09T01:46:40.000Z"],
    );
    assert.deepEqual(await rows("SELECT id FROM BlobStorage LIMIT 2"), ["1", "2"]);
    const json = await ask(blob, "SELECT id, name, tags.a[0] AS tag FROM BlobStorage WHERE id <> 2", {
      inputTextConfiguration: PARQUET,
      outputTextConfiguration: JSON_LINES,
    });
    assert.equal(
      json.bytes.toString(),
      '{"id":1,"name":"Ada","tag":1}\n{"id":"9007199254740993","name":null,"tag":null}\n{"id":4,"name":"Dot","tag":3}\n',
    );
    const columns = await ask(blob, "SELECT id, born FROM BlobStorage WHERE id > 2", {
      inputTextConfiguration: PARQUET,
      outputTextConfiguration: arrow({ type: "int64", name: "id" }, { type: "timestamp[ms]", name: "born" }),
    });
    const table = tableFromIPC(columns.bytes);
    assert.deepEqual([...table.getChild("id")!], [9_007_199_254_740_993n, 4n]);
    assert.deepEqual([...table.getChild("born")!], [null, 1e12]);
  });

  test("Parquet: a large file streams page by page, and its unread columns are not scanned", async () => {
    const count = 60_000;
    const columnData = [
      { name: "i", data: Array.from({ length: count }, (_, i) => i), type: "INT32" as const },
      { name: "s", data: Array.from({ length: count }, (_, i) => `text number ${i} ${i * 7}`) },
    ];
    const file = Buffer.from(parquetWriteBuffer({ columnData, pageSize: 32_768, rowGroupSize: count }));
    const blob = await blobOf(file);
    const scanned: number[] = [];
    const onProgress = ({ loadedBytes }: { loadedBytes: number }) => scanned.push(loadedBytes);
    const options = { inputTextConfiguration: PARQUET, onProgress };
    const { bytes, errors } = await ask(blob, `SELECT i FROM BlobStorage WHERE i % 1000 = 7`, options);
    assert.deepEqual(errors, []);
    assert.equal(bytes.toString(), Array.from({ length: 60 }, (_, i) => `${i * 1_000 + 7}\n`).join(""));
    // The last event of the client says the length of the blob.
    const most = Math.max(...scanned.filter((done) => done < file.length));
    assert.ok(most < file.length / 2, `${most} of ${file.length}`);
  });

  test("Parquet: what cannot be read is one fatal error", async () => {
    const file = people();
    const damaged = [
      Buffer.from("no parquet"),
      Buffer.alloc(0),
      Buffer.concat([file.subarray(0, 40), file.subarray(60)]),
      Buffer.concat([file.subarray(0, -8), Buffer.from("ffffff7f50415231", "hex")]),
    ];
    for (const data of damaged) {
      const { errors } = await ask(await blobOf(data), "SELECT * FROM BlobStorage", {
        inputTextConfiguration: PARQUET,
      });
      assert.equal(errors.length, 1);
      assert.match(errors[0]!, /^ParseError true 0 the Parquet file cannot be read/);
    }
    const blob = await blobOf(file);
    const asked = await ask(blob, "SELECT nothing FROM BlobStorage", { inputTextConfiguration: PARQUET });
    assert.deepEqual(asked.errors, ["InvalidInput true 0 there is no column nothing"]);
    for (const sql of ["SELECT sys.split(10485760) FROM BlobStorage", "SELECT * FROM BlobStorage.path"]) {
      await assert.rejects(ask(blob, sql, { inputTextConfiguration: PARQUET }), refused(400, "InvalidInput"));
    }
    const output = { outputTextConfiguration: PARQUET as never };
    await assert.rejects(ask(blob, "SELECT * FROM BlobStorage", output));
  });
});
