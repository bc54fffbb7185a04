import assert from "node:assert/strict";
import { test } from "node:test";
import { parseFilter } from "../../../http/wire/odata/filter-parser.ts";
import { entityKey } from "../../../store/keys/table.ts";
import type { Range, Store } from "../../../store/kv.ts";
import { MemoryStore } from "../../../store/memory/memory-store.ts";
import { ItemPage } from "../../page.ts";
import { createTable } from "../create-table.ts";
import { entityGroupTransaction } from "../entity-group-transaction.ts";
import type { Entity } from "../query-entities.ts";
import { queryEntities } from "../query-entities.ts";
import { keyRangesOf } from "./key-ranges.ts";

const key = (partitionKey: string, rowKey: string): string => entityKey(1n, { partitionKey, rowKey });
const ranges = (filter: string): Range[] => keyRangesOf(1n, parseFilter(filter));
const holds = (filter: string, partition: string, row: string): boolean =>
  ranges(filter).some(({ from, to }) => from <= key(partition, row) && key(partition, row) < to);

test("a filter that fixes both keys is the range of one entity", () => {
  const [range, ...rest] = ranges("PartitionKey eq 'p' and RowKey eq 'r'");
  assert.deepEqual(rest, []);
  assert.deepEqual(range, { from: key("p", "r"), to: `${key("p", "r")}\0` });
});

test("bounds are taken as they are said: included or not", () => {
  const filter = "PartitionKey eq 'p' and RowKey gt 'b' and RowKey le 'd'";
  const inside = ["b", "c", "d", "d0"].map((row) => holds(filter, "p", row));
  assert.deepEqual(inside, [false, true, true, false]);
  assert.equal(holds("PartitionKey gt 'p'", "p", "zzz"), false);
  assert.equal(holds("PartitionKey lt 'p'", "p", ""), false);
  assert.equal(holds("PartitionKey le 'p'", "p", "zzz"), true);
});

test("or gives ranges apart from one another, overlapping ones are joined", () => {
  assert.equal(ranges("PartitionKey eq 'a' or PartitionKey eq 'z'").length, 2);
  assert.equal(holds("PartitionKey eq 'a' or PartitionKey eq 'z'", "m", "1"), false);
  assert.equal(ranges("PartitionKey ge 'a' or PartitionKey ge 'b'").length, 1);
  assert.equal(ranges("PartitionKey eq 'p' and (RowKey eq 'a' or RowKey eq 'b' or RowKey eq 'a')").length, 2);
});

test("not turns bounds around, and through and/or", () => {
  assert.equal(holds("not (PartitionKey lt 'b')", "a", "1"), false);
  assert.equal(holds("not (PartitionKey lt 'b' or PartitionKey gt 'd')", "e", "1"), false);
  assert.equal(holds("not (PartitionKey ne 'b')", "c", "1"), false);
  assert.equal(holds("not (PartitionKey ne 'b')", "b", "1"), true);
});

test("a contradiction is no range at all, and a property says nothing about keys", () => {
  assert.deepEqual(ranges("PartitionKey eq 'a' and PartitionKey eq 'b'"), []);
  assert.deepEqual(ranges("PartitionKey eq 5"), []);
  assert.deepEqual(ranges("false"), []);
  assert.equal(ranges("x eq 1").length, 1);
  assert.equal(ranges("x eq 1 or PartitionKey eq 'a'").length, 1);
  assert.equal(ranges("x eq 1 and PartitionKey eq 'a'")[0]!.from, ranges("PartitionKey eq 'a'")[0]!.from);
});

test("past the limit one range goes around all", () => {
  const many = Array.from({ length: 40 }, (_, i) => `PartitionKey eq 'p${i}'`).join(" or ");
  assert.equal(ranges(many).length, 1);
  assert.equal(holds(many, "p39", "x"), true);
  assert.equal(holds(many, "q", "x"), false);
});

test("a query with bounds on its keys reads those entities and no others", async () => {
  let read = 0;
  const store = counting(new MemoryStore(), () => read++);
  const tables = { store };
  const ref = { account: "a", table: "counted" };
  await createTable(tables, ref);
  for (const partitionKey of ["a", "b", "c"]) {
    await entityGroupTransaction(
      tables,
      ref,
      Array.from({ length: 100 }, (_, i) => ({
        kind: "insert" as const,
        partitionKey,
        rowKey: String(i).padStart(3, "0"),
        properties: [],
      })),
    );
  }
  const cost = async (text: string): Promise<[found: number, read: number]> => {
    read = 0;
    const newPage = () => new ItemPage<Entity>(1_000);
    const { page } = await queryEntities(tables, ref, { newPage, filter: parseFilter(text) });
    return [page.items.length, read];
  };
  assert.deepEqual(await cost("PartitionKey eq 'b' and RowKey eq '050'"), [1, 1]);
  assert.deepEqual(await cost("PartitionKey eq 'b' and RowKey ge '090'"), [10, 10]);
  assert.deepEqual(await cost("PartitionKey eq 'a' or PartitionKey eq 'c'"), [200, 200]);
  assert.deepEqual(await cost("PartitionKey eq 'b' and x eq 1"), [0, 100]);
  assert.deepEqual(await cost("PartitionKey gt 'b' and PartitionKey lt 'd' and RowKey lt '005'"), [5, 100]);
});

/** Counts the entries that ranges and pages hand out. */
function counting(store: Store, count: () => void): Store {
  const read: Store["read"] = (fn) =>
    store.read((inner) =>
      fn({
        get: (key) => inner.get(key),
        getMany: (keys) => inner.getMany(keys),
        async take(range, most) {
          const entries = await inner.take(range, most);
          for (const _ of entries) count();
          return entries;
        },
        now: () => inner.now(),
        view: (decide) => inner.view(decide),
        async *range(range) {
          for await (const entry of inner.range(range)) {
            count();
            yield entry;
          }
        },
      }),
    );
  return {
    ...store,
    read,
    write: (fn) => store.write(fn),
    update: (decide) => store.update(decide),
    stats: () => store.stats(),
    close: () => store.close(),
  };
}
