import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Refusal, type RefusalCode } from "../../base/refusals.ts";
import { parseRange, printContentRange, rangeDigestOf, requireRange, resolveRange } from "./range.ts";

const refusal = (code: RefusalCode) => (error: unknown) => error instanceof Refusal && error.code === code;

test("a range has a first byte and perhaps a last", () => {
  assert.deepEqual(parseRange({ range: "bytes=0-9" }), { from: 0, to: 9 });
  assert.deepEqual(parseRange({ range: "bytes=5-" }), { from: 5, to: undefined });
  assert.deepEqual(parseRange({ range: "bytes=0-0" }), { from: 0, to: 0 });
  assert.equal(parseRange({}), undefined);
});

test("x-ms-range wins over Range", () => {
  assert.deepEqual(parseRange({ range: "bytes=0-9", "x-ms-range": "bytes=1-2" }), { from: 1, to: 2 });
});

test("what is not one range of bytes is ignored", () => {
  for (const range of [
    "",
    "bytes",
    "bytes=",
    "bytes=-5",
    "bytes=1-2,4-5",
    "items=0-1",
    "bytes=5-3",
    "bytes=a-b",
    "bytes=1 - 2",
    "bytes=-",
    `bytes=0-${"9".repeat(21)}`,
  ])
    assert.equal(parseRange({ range }), undefined, range);
});

test("a range ends with the resource, and beyond it there is nothing", () => {
  assert.deepEqual(resolveRange({ from: 2, to: undefined }, 10), { from: 2, to: 9, length: 8 });
  assert.deepEqual(resolveRange({ from: 2, to: 100 }, 10), { from: 2, to: 9, length: 8 });
  assert.deepEqual(resolveRange(parseRange({ range: "bytes=2-18446744073709551615" })!, 10), {
    from: 2,
    to: 9,
    length: 8,
  });
  for (const [from, size] of [
    [10, 10],
    [0, 0],
    [11, 10],
  ] as const)
    assert.throws(
      () => resolveRange({ from, to: undefined }, size),
      (error: unknown) =>
        refusal("InvalidRange")(error) &&
        (error as Refusal).detail.headers?.["Content-Range"] === `bytes */${size}`,
    );
  assert.equal(printContentRange({ from: 2, to: 9, length: 8 }, 10), "bytes 2-9/10");
});

test("a write names both ends", () => {
  assert.deepEqual(requireRange({ "x-ms-range": "bytes=512-1023" }), { from: 512, to: 1023, length: 512 });
  assert.deepEqual(requireRange({ range: "bytes=0-511" }), { from: 0, to: 511, length: 512 });
  assert.throws(() => requireRange({}), refusal("MissingRequiredHeader"));
  for (const range of ["bytes=0-", "bytes=1-0", "x", `bytes=0-${"9".repeat(20)}`])
    assert.throws(() => requireRange({ range }), refusal("InvalidHeaderValue"), range);
});

test("a digest is given only of a range, and only of a small one", () => {
  const extent = { from: 0, to: 9, length: 10 };
  const [md5, crc64] = ["x-ms-range-get-content-md5", "x-ms-range-get-content-crc64"];
  assert.equal(rangeDigestOf({}, extent), undefined);
  assert.equal(rangeDigestOf({ [md5!]: "false" }, undefined), undefined);
  assert.equal(rangeDigestOf({ [md5!]: "true" }, extent), "md5");
  assert.equal(rangeDigestOf({ [crc64!]: "True" }, extent), "crc64");
  assert.throws(() => rangeDigestOf({ [md5!]: "true" }, undefined), refusal("InvalidHeaderValue"));
  assert.throws(() => rangeDigestOf({ [md5!]: "yes" }, extent), refusal("InvalidHeaderValue"));
  assert.throws(
    () => rangeDigestOf({ [md5!]: "true", [crc64!]: "true" }, extent),
    refusal("BothCrc64AndMd5RangeHeaderPresent"),
  );
  assert.throws(
    () => rangeDigestOf({ [crc64!]: "true" }, { from: 0, to: 4 << 20, length: (4 << 20) + 1 }),
    refusal("OutOfRangeInput"),
  );
});

test("a resolved range is never empty and never outside", () => {
  fc.assert(
    fc.property(fc.nat(50), fc.option(fc.nat(50), { nil: undefined }), fc.nat(50), (from, to, size) => {
      fc.pre(to === undefined || to >= from);
      const read = parseRange({ range: `bytes=${from}-${to ?? ""}` });
      assert.deepEqual(read, { from, to });
      if (from >= size) return assert.throws(() => resolveRange(read!, size), refusal("InvalidRange"));
      const extent = resolveRange(read!, size);
      assert(extent.length >= 1 && extent.to < size && extent.to - extent.from + 1 === extent.length);
    }),
  );
});
