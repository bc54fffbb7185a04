import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { seedOfThisRun } from "../../../test/support/seed.ts";
import {
  decodeFullEas,
  decodeGetEas,
  type ExtendedAttribute,
  encodeFullEas,
  encodeGetEas,
} from "./extended-attributes.ts";
import { STATUS, StatusError } from "./status.ts";

const LIMIT = 1 << 20;
const name = fc
  .string({ minLength: 1, maxLength: 255, unit: "grapheme-ascii" })
  .map((text) => text.replace(/["*+,/:;<=>?[\\\]|]/g, "_"));
const value = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes));
const list = fc.array(fc.record({ name, value, isNeeded: fc.boolean() }, { noNullPrototype: true }), {
  minLength: 1,
  maxLength: 8,
});
const refusedAs = (status: number) => (error: unknown) => {
  assert.ok(error instanceof StatusError, String(error));
  assert.equal(error.status, status);
  return true;
};

test("lists of attributes and of names come back, each element on a boundary of four bytes", (t) => {
  fc.assert(
    fc.property(list, (eas) => {
      const { data, count } = encodeFullEas(eas, LIMIT);
      assert.equal(count, eas.length);
      assert.deepEqual(decodeFullEas(data), eas);
      for (let at = 0, next = -1; next !== 0; at += next) {
        next = data.readUInt32LE(at);
        assert.equal(next % 4, 0);
      }
      const names = eas.map((ea) => ea.name);
      assert.deepEqual(decodeGetEas(encodeGetEas(names)), names);
    }),
    { seed: seedOfThisRun(t) },
  );
});

test("the bytes are those of the documents", () => {
  const eas: ExtendedAttribute[] = [
    { name: "ab", value: Buffer.from("xyz"), isNeeded: false },
    { name: "C", value: Buffer.alloc(0), isNeeded: true },
  ];
  const bytes = [
    "10000000",
    "00",
    "02",
    "0300",
    "616200",
    "78797a",
    "0000",
    "00000000",
    "80",
    "01",
    "0000",
    "4300",
  ];
  assert.equal(encodeFullEas(eas, LIMIT).data.toString("hex"), bytes.join(""));
  assert.equal(encodeGetEas(["ab", "C"]).toString("hex"), "08000000026162000000000001" + "4300");
});

test("a page takes whole elements, as many as fit", (t) => {
  fc.assert(
    fc.property(list, fc.nat(2_000), (eas, bytesMax) => {
      const { data, count } = encodeFullEas(eas, bytesMax);
      assert.ok(data.length <= bytesMax);
      if (count === 0) assert.equal(data.length, 0);
      else assert.deepEqual(decodeFullEas(data), eas.slice(0, count));
      if (count < eas.length) assert.ok(encodeFullEas(eas.slice(0, count + 1), LIMIT).data.length > bytesMax);
    }),
    { seed: seedOfThisRun(t) },
  );
});

test("a list that does not hold together is inconsistent, wherever it breaks", () => {
  const eas = ["one", "two"].map((one) => ({ name: one, value: Buffer.from("value"), isNeeded: false }));
  const { data } = encodeFullEas(eas, LIMIT);
  const second = data.readUInt32LE(0);
  const changed = (at: number, byte: number): Buffer => {
    const copy = Buffer.from(data);
    copy[at] = byte;
    return copy;
  };
  const broken = [
    Buffer.alloc(0),
    data.subarray(0, 7),
    data.subarray(0, data.length - 1),
    data.subarray(0, second),
    data.subarray(0, second + 4),
    changed(0, second + 1),
    changed(0, 8),
    changed(0, 255),
    changed(3, 255),
    changed(5, 2),
    changed(5, 200),
    changed(7, 255),
    changed(second + 6, 6),
  ];
  for (const [index, bytes] of broken.entries())
    assert.throws(() => decodeFullEas(bytes), refusedAs(STATUS.EA_LIST_INCONSISTENT), `${index}`);
  const names = encodeGetEas(["one", "two"]);
  for (const bytes of [Buffer.alloc(0), names.subarray(0, 5), names.subarray(0, names.length - 1)])
    assert.throws(() => decodeGetEas(bytes), refusedAs(STATUS.EA_LIST_INCONSISTENT));
});

test("a name has at least one character of ASCII, and none that means something in a path", () => {
  const accepted = ["a", "A B", "user.mime_type", "$KERNEL.PURGE.X", "~!@#%^&(){}'`-", "n".repeat(255)];
  const refused = ["", "a\u0001", "a\u001f", "é", ...'"*+,/:;<=>?[\\]|'].map((one) => one);
  for (const one of accepted) {
    const { data } = encodeFullEas([{ name: one, value: Buffer.of(1), isNeeded: false }], LIMIT);
    assert.equal(decodeFullEas(data)[0]!.name, one);
  }
  for (const one of refused) {
    const { data } = encodeFullEas([{ name: one, value: Buffer.of(1), isNeeded: false }], LIMIT);
    assert.throws(() => decodeFullEas(data), refusedAs(STATUS.INVALID_EA_NAME), JSON.stringify(one));
    assert.throws(() => decodeGetEas(encodeGetEas([one])), refusedAs(STATUS.INVALID_EA_NAME));
  }
  const flagged = encodeFullEas([{ name: "a", value: Buffer.of(1), isNeeded: true }], LIMIT).data;
  flagged[4] = 0x81;
  assert.throws(() => decodeFullEas(flagged), refusedAs(STATUS.INVALID_EA_NAME));
});
