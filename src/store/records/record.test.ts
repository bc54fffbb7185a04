import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { seedOfThisRun } from "../../../test/support/seed.ts";
import { DamagedData } from "../../base/faults.ts";
import { recordType } from "./record.ts";

const plain = recordType<Record<string, unknown>>("plain", 1);

test("a record comes back as it was packed", () => {
  const value = {
    text: "a\0\u20ac\u{1f600}",
    none: null,
    yes: true,
    small: 7,
    negative: -7,
    fraction: 1.5,
    large: 2 ** 53 - 1,
    revision: 638_712_345_678_901_234n,
    first: 0n,
    highest: 2n ** 63n - 1n,
    bytes: Buffer.from([0, 1, 254, 255]),
    empty: Buffer.alloc(0),
    list: [1, "two", [3n, null], {}],
    nested: { deeper: { still: [Buffer.from("x")] } },
  };
  assert.deepEqual(plain.unpack(plain.pack(value)), value);
});

test("a field without a value comes back undefined, and is not taken for null", () => {
  const back = plain.unpack(plain.pack({ gone: undefined, none: null }));
  assert.equal(back.gone, undefined);
  assert.equal(back.none, null);
});

test("records of any shape come back", (t) => {
  const leaf = fc.oneof(
    fc.string(),
    fc.integer(),
    // The codec writes whole numbers as integers, so -0 loses its sign: what must keep it is not a plain
    // number.
    fc.double({ noNaN: true }).map((value) => value + 0),
    fc.boolean(),
    fc.constant(null),
    fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }),
    fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  );
  // A key "__proto__" is no field of ours: clients' names are values in a list, never keys of a record.
  const name = fc.string().filter((text) => text !== "__proto__");
  const value = fc.dictionary(
    name,
    fc.oneof(leaf, fc.array(leaf), fc.dictionary(name, leaf, { noNullPrototype: true })),
    {
      noNullPrototype: true,
    },
  );
  fc.assert(
    fc.property(value, (record) => {
      assert.deepEqual(plain.unpack(plain.pack(record)), record);
    }),
    { numRuns: 1_000, seed: seedOfThisRun(t) },
  );
});

test("the bytes of a packed record belong to it alone", () => {
  const first = plain.pack({ a: "first" });
  const second = plain.pack({ a: "second, and longer than the first" });
  assert.deepEqual(plain.unpack(first), { a: "first" });
  first.fill(0);
  assert.deepEqual(plain.unpack(second), { a: "second, and longer than the first" });
});

test("each older version is brought forward, step by step", () => {
  const first = recordType<{ size: number }>("sized", 1);
  const third = recordType<{ bytes: number; isSealed: boolean }>("sized", 3, {
    1: (old: { size: number }) => ({ bytes: old.size }),
    2: (old: { bytes: number }) => ({ ...old, isSealed: old.bytes > 10 }),
  });
  assert.deepEqual(third.unpack(first.pack({ size: 12 })), { bytes: 12, isSealed: true });
  const second = recordType<{ bytes: number }>("sized", 2);
  assert.deepEqual(third.unpack(second.pack({ bytes: 3 })), { bytes: 3, isSealed: false });
});

test("a newer version than we know is refused, and so is one without a way forward", () => {
  const newer = recordType<{ a: number }>("sized", 2).pack({ a: 1 });
  assert.throws(() => recordType("sized", 1).unpack(newer), DamagedData);
  assert.throws(() => recordType("sized", 3).unpack(newer), /no upgrade of sized from version 2/);
});

test("bytes that are no record are refused as damaged", () => {
  const whole = plain.pack({ text: "something", list: [1, 2, 3] });
  for (const bytes of [Buffer.alloc(0), Buffer.of(0), Buffer.of(1), whole.subarray(0, whole.length - 1)]) {
    assert.throws(() => plain.unpack(bytes), DamagedData);
  }
  assert.throws(() => plain.unpack(Buffer.concat([whole, Buffer.of(1)])), DamagedData, "something follows");
});
