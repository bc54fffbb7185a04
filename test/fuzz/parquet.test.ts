import assert from "node:assert/strict";
import { test } from "node:test";
import { parquetWriteBuffer } from "hyparquet-writer";
import { seededRandom } from "../../src/base/random.ts";
import { ParquetRows } from "../../src/services/blob/query/parquet-rows.ts";
import { Effort, FormError } from "../../src/services/blob/query/sql.ts";
import { parseSql } from "../../src/services/blob/query/sql-parser.ts";
import { seedOfThisRun } from "../support/seed.ts";
import { Mutator } from "./mutate.ts";

/** Hostile Parquet files: the process that reads one may end, the server and its memory must not notice. */
const INPUTS = 24;

async function countRows(file: Buffer): Promise<number> {
  const query = parseSql("SELECT * FROM BlobStorage", 0);
  const read = async (from: number, length: number): Promise<Buffer> => file.subarray(from, from + length);
  const stream = (): AsyncIterable<Buffer> => assert.fail("a Parquet file is read in places");
  const source = new ParquetRows({ length: file.length, stream, read }, query, new Effort());
  let count = 0;
  for await (const rows of source.batches()) for (const _ of rows) count++;
  return count;
}

async function outcomeOf(file: Buffer): Promise<"rows" | "refused"> {
  try {
    await countRows(file);
    return "rows";
  } catch (error) {
    if (!(error instanceof FormError)) throw error;
    return "refused";
  }
}

const written = (columnData: Parameters<typeof parquetWriteBuffer>[0]["columnData"]): Buffer =>
  Buffer.from(parquetWriteBuffer({ columnData, rowGroupSize: 1e9, pageSize: 1e9, codec: "UNCOMPRESSED" }));

test("any change of a Parquet file gives rows or one error", async (t) => {
  const seed = written([
    { name: "i", data: [1, 2, 3, 3, 3, null], type: "INT32" },
    { name: "s", data: ["a", "b", null, "long text", "", "z"], type: "STRING" },
    { name: "j", data: [{ a: 1 }, null, [1], "x", 2, true], type: "JSON" },
  ]);
  assert.equal(await countRows(seed), 6);
  const mutator = new Mutator(seededRandom(seedOfThisRun(t)), ["PAR1"]);
  for (let i = 0; i < INPUTS; i++) await outcomeOf(mutator.mutate(seed, [seed]));
});

test("a run of values longer than its page ends the process that reads it, not the server", async () => {
  const count = 1_100_000;
  const file = written([{ name: "n", data: Array.from({ length: count }, () => null), type: "INT32" }]);
  // The definition levels are one run of zeros: its length, doubled, as an integer of variable length.
  const run = Buffer.from([
    0x80 | ((count << 1) & 0x7f),
    0x80 | ((count >> 6) & 0x7f),
    0x80 | ((count >> 13) & 0x7f),
  ]);
  const at = file.indexOf(run);
  assert.ok(at > 0, "the file has the run");
  assert.equal(await countRows(file), count);
  Buffer.from("ffffff7f", "hex").copy(file, at);
  const before = process.memoryUsage.rss();
  assert.equal(await outcomeOf(file), "refused");
  assert.ok(process.memoryUsage.rss() - before < 200 * 1_024 * 1_024);
});
