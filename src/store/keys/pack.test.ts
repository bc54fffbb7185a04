import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { seedOfThisRun } from "../../../test/support/seed.ts";
import { type KeyPart, KeyReader, keyAfter, packKey, packOpenText, prefixEnd, prefixRange } from "./pack.ts";

const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({
    unit: fc.constantFrom("\0", "\x01", "a", "\x7f", "\x80", "\xff", "\uffff", "\u{10000}", "\u{10ffff}"),
  }),
);
const whole = fc.oneof(
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  fc.constantFrom(0n, 255n, 256n, 2n ** 63n, 2n ** 64n - 1n),
);
const tuple = fc.tuple(text, whole, text);

/** The order a key promises: texts by their UTF-8 bytes, numbers by size, part after part. */
function compareParts(a: readonly KeyPart[], b: readonly KeyPart[]): number {
  for (const [index, left] of a.entries()) {
    const right = b[index]!;
    const order =
      typeof left === "string" && typeof right === "string"
        ? Buffer.compare(Buffer.from(left), Buffer.from(right))
        : Number(left > right) - Number(left < right);
    if (order !== 0) return order;
  }
  return 0;
}

test("keys sort like their parts", (t) => {
  fc.assert(
    fc.property(tuple, tuple, (a, b) => {
      const [left, right] = [packKey(a), packKey(b)];
      assert.equal(Number(left > right) - Number(left < right), compareParts(a, b));
    }),
    { numRuns: 5_000, seed: seedOfThisRun(t) },
  );
});

test("a key can be taken apart again", (t) => {
  fc.assert(
    fc.property(tuple, (parts) => {
      const key = packKey(parts);
      assert.match(key, /^[\0-\xff]*$/s);
      const reader = new KeyReader(key);
      assert.deepEqual([reader.text(), reader.whole(), reader.text()], parts);
      const again = new KeyReader(key);
      assert.equal(again.skipText().skipWhole().text(), parts[2]);
    }),
    { numRuns: 5_000, seed: seedOfThisRun(t) },
  );
});

test("a prefix range holds the keys that start with the prefix, and no others", (t) => {
  fc.assert(
    fc.property(text, text, tuple, (head, other, rest) => {
      const { from, to } = prefixRange(packKey([head]));
      const inside = packKey([head, ...rest]);
      assert.ok(from <= inside && inside < to);
      if (other === head) return;
      const foreign = packKey([other, ...rest]);
      assert.ok(foreign < from || foreign >= to);
    }),
    { numRuns: 5_000, seed: seedOfThisRun(t) },
  );
});

test("an open text finds the names that begin with it", (t) => {
  fc.assert(
    fc.property(text, text, (start, name) => {
      const { from, to } = prefixRange(packOpenText(["b", 1n], start));
      const key = packKey(["b", 1n, name]);
      const isBelow = Buffer.from(name).subarray(0, Buffer.byteLength(start)).equals(Buffer.from(start));
      assert.equal(from <= key && key < to, isBelow);
    }),
    { numRuns: 5_000, seed: seedOfThisRun(t) },
  );
});

test("keys are as the formats page prints them", () => {
  const hex = (key: string): string => Buffer.from(key, "latin1").toString("hex");
  assert.equal(hex(packKey(["qv", 5n, 7])), "717600" + "0000000000000005" + "0000000000000007");
  assert.equal(hex(packKey(["a\0b", ""])), "610101620000");
  assert.equal(hex(packKey(["\u20ac", "\u{1f600}"])), "e282ac00" + "f09f988000");
  assert.equal(hex(packKey([2 ** 53 - 1])), "001fffffffffffff");
  assert.equal(hex(packOpenText(["b"], "re\0")), "6200" + "72650101");
});

test("the shorter text sorts first, whatever follows it", () => {
  const sorted = [
    ["a", "z"],
    ["a\0", "a"],
    ["a\0\0", ""],
    ["a\x01", ""],
    ["aa", ""],
    ["b", ""],
  ].map(packKey);
  assert.deepEqual([...sorted].sort(), sorted);
});

test("astral characters sort after the rest, as their bytes do", () => {
  assert.ok(packKey(["\uffee"]) < packKey(["\u{10000}"]));
  assert.equal(new KeyReader(packKey(["\u{10ffff}x"])).text(), "\u{10ffff}x");
});

test("a lone surrogate is refused: two names would become one key", () => {
  for (const name of ["\ud800", "a\udfffb", "\udc00\ud800"]) {
    assert.throws(() => packKey([name]), /well-formed/);
    assert.throws(() => packOpenText(["b"], name), /well-formed/);
  }
});

test("numbers that a key cannot carry are refused", () => {
  for (const value of [-1n, 1n << 64n, -1, 1.5, Number.NaN, 2 ** 53]) assert.throws(() => packKey([value]));
});

test("a key that is cut short is a bug, not a shorter name", () => {
  assert.throws(() => new KeyReader("abc").text(), /no end/);
  assert.throws(() => new KeyReader("a\x01\x01").text(), /no end/);
  assert.throws(() => new KeyReader("1234567").whole(), /inside a number/);
});

test("the end of a prefix steps over bytes ff", () => {
  assert.equal(prefixEnd("a"), "b");
  assert.equal(prefixEnd("a\xff\xff"), "b");
  assert.equal(prefixEnd("a\xfe"), "a\xff");
  assert.throws(() => prefixEnd("\xff\xff"));
  assert.equal(keyAfter("a"), "a\0");
});
