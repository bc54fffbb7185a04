import assert from "node:assert/strict";
import { test } from "node:test";
import { DamagedData } from "../../src/base/faults.ts";
import { PostgresStore } from "../../src/store/postgres/postgres-store.ts";
import { tablesOf } from "../../src/store/postgres/sql.ts";
import { isIntact } from "../../src/store/records/checksum.ts";
import { freshSchema } from "../kit/postgres.ts";

const onFatal = (error: unknown): void => {
  throw error;
};

test("a damaged row is a fault that names the record; the others are served", async () => {
  const { address, drop, query, schema } = await freshSchema();
  const store = new PostgresStore({ address, owner: "test", onFatal });
  await store.write(async (write) => {
    write.put("fam\0one\0", Buffer.from("one"));
    write.put("fam\0two\0", Buffer.from("two"));
  });
  const key = "decode('66616d006f6e6500', 'hex')";
  for (let i = 0; i < 4; i++) await store.read(async (read) => read.get("fam\0one\0"));
  await query(`UPDATE ${schema}.records SET value = set_byte(value, 1, 65) WHERE key = ${key}`);
  const named = (error: unknown): boolean => error instanceof DamagedData && /fam\/one/.test(error.message);
  await assert.rejects(
    store.read(async (read) => read.get("fam\0one\0")),
    named,
  );
  await assert.rejects(
    store.read(async (read) => read.take({ from: "fam", to: "fan" }, 9)),
    named,
  );
  await assert.rejects(
    store.write(async (write) => write.get("fam\0one\0")),
    named,
  );
  assert.equal(String(await store.read(async (read) => read.get("fam\0two\0"))), "two");
  await store.close();
  await drop();
});

test("tables of version 1 get checksums at the first start", async () => {
  const { address, drop, query, schema } = await freshSchema();
  const first = new PostgresStore({ address, owner: "first", onFatal });
  await first.opened;
  await first.close();
  await query(
    `INSERT INTO ${schema}.records SELECT decode('6b' || lpad(to_hex(i), 8, '0'), 'hex'), 'value'::bytea FROM generate_series(1, 2500) AS i`,
  );
  await query(`UPDATE ${tablesOf(schema).info} SET value = '1' WHERE name = 'version'`);
  const store = new PostgresStore({ address, owner: "second", onFatal });
  const found = await store.read(async (read) => {
    let count = 0;
    for await (const { value } of read.range({ from: "k", to: "l" })) if (String(value) === "value") count++;
    return count;
  });
  assert.equal(found, 2_500);
  await store.close();
  const rows = await query(`SELECT key, value FROM ${schema}.records WHERE key >= 'k'`);
  assert.equal(rows.length, 2_500);
  for (const { key, value } of rows as { key: Buffer; value: Buffer }[])
    assert.ok(isIntact(key.latin1Slice(), value));
  await drop();
});
