import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { EdmValue, Property } from "../../base/edm.ts";
import { findProperty, packEntity, revisionOfEntity, unpackEntity } from "./entity.ts";

const value: fc.Arbitrary<EdmValue> = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 50 }).map((value): EdmValue => ({ type: "String", value })),
  fc.integer().map((value): EdmValue => ({ type: "Int32", value })),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((value): EdmValue => ({ type: "Int64", value })),
  fc.double().map((value): EdmValue => ({ type: "Double", value })),
  fc.boolean().map((value): EdmValue => ({ type: "Boolean", value })),
  fc
    .bigInt({ min: 0n, max: 3_155_378_975_999_999_999n })
    .map((value): EdmValue => ({ type: "DateTime", value })),
  fc.uuid().map((value): EdmValue => ({ type: "Guid", value })),
  fc.uint8Array({ maxLength: 50 }).map((value): EdmValue => ({ type: "Binary", value: Buffer.from(value) })),
);

const properties: fc.Arbitrary<Property[]> = fc
  .uniqueArray(fc.tuple(fc.string({ unit: "grapheme", maxLength: 20 }), value), {
    selector: ([name]) => name,
  })
  .map((pairs) => pairs.map(([name, value]): Property => ({ name, ...value })));

test("an entity comes out of its bytes as it went in, whole and property by property", () => {
  fc.assert(
    fc.property(properties, fc.bigInt({ min: 0n, max: 2n ** 63n }), (properties, revision) => {
      // A copy: the next one is written over it.
      const bytes = Buffer.from(packEntity(revision, { properties }));
      assert.equal(revisionOfEntity(bytes), revision);
      assert.deepEqual(unpackEntity(bytes), { revision, properties, isPlain: false });
      for (const { name, ...value } of properties) {
        const found = findProperty(bytes, Buffer.from(name));
        assert.deepEqual({ type: found?.type, value: found?.value }, value);
      }
      assert.equal(findProperty(bytes, Buffer.from("no such name, which is longer than any")), undefined);
    }),
  );
});

test("an entity whose names and texts are plain says so, and holds the same as one that does not", () => {
  const plain = fc.string({ unit: fc.constantFrom(..."aZ_09 .'/\x7f"), maxLength: 40 });
  const texts = fc.uniqueArray(fc.tuple(plain, fc.oneof(plain, value)), { selector: ([name]) => name });
  fc.assert(
    fc.property(texts, fc.bigInt({ min: 0n, max: 2n ** 63n }), (pairs, revision) => {
      const properties = pairs
        .map(
          ([name, value]): Property =>
            typeof value === "string" ? { name, type: "String", value } : { name, ...value },
        )
        .filter(({ type, value }) => type !== "String" || /^[\x20-\x7f]*$/.test(value));
      const bytes = Buffer.from(packEntity(revision, { properties, isPlain: true }));
      assert.equal(revisionOfEntity(bytes), revision);
      assert.deepEqual(unpackEntity(bytes), { revision, properties, isPlain: true });
      for (const { name, ...value } of properties) {
        const found = findProperty(bytes, Buffer.from(name));
        assert.deepEqual({ type: found?.type, value: found?.value }, value);
      }
      // They differ only in the version.
      assert.equal(bytes[0], 2);
      const unmarked = Buffer.from(packEntity(revision, { properties }));
      assert.equal(unmarked[0], 1);
      assert.deepEqual(unmarked.subarray(1), bytes.subarray(1));
    }),
  );
});

test("an entity of version 1, as builds before wrote it, is read", () => {
  const bytes = Buffer.from("0100000000000000070002" + "010001610000000362c3a9" + "0600016e", "hex");
  assert.deepEqual(unpackEntity(bytes), {
    revision: 7n,
    properties: [
      { name: "a", type: "String", value: "b\u00e9" },
      { name: "n", type: "Boolean", value: true },
    ],
    isPlain: false,
  });
});

test("a text of the largest size fits, whatever its characters take", () => {
  const text = "€".repeat(32_768);
  const bytes = packEntity(1n, { properties: [{ name: "a".repeat(255), type: "String", value: text }] });
  assert.equal(unpackEntity(Buffer.from(bytes)).properties[0]!.value, text);
});

test("a version or a type that this build does not know is damage, not a guess", () => {
  const bytes = Buffer.from(packEntity(1n, { properties: [{ name: "a", type: "Boolean", value: true }] }));
  const newer = Buffer.from(bytes);
  newer[0] = 3;
  assert.throws(() => unpackEntity(newer), /version 3/);
  const strange = Buffer.from(bytes);
  strange[11] = 99;
  assert.throws(() => unpackEntity(strange), /type 99/);
  assert.throws(() => findProperty(strange, Buffer.from("b")), /type 99/);
});
