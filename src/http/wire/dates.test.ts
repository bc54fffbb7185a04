import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { timestampOf } from "../../base/revision.ts";
import { parseHttpDate, parseIsoDate, parseIsoTicks, printHttpDate, printIsoDate } from "./dates.ts";

const NOVEMBER = Date.UTC(1994, 10, 6, 8, 49, 37);

test("the three forms of HTTP name the same second", () => {
  assert.equal(printHttpDate(NOVEMBER + 999), "Sun, 06 Nov 1994 08:49:37 GMT");
  assert.equal(parseHttpDate("Sun, 06 Nov 1994 08:49:37 GMT"), NOVEMBER);
  assert.equal(parseHttpDate("Sun, 6 Nov 1994 08:49:37 GMT"), NOVEMBER);
  assert.equal(parseHttpDate("Sunday, 06-Nov-94 08:49:37 GMT"), NOVEMBER);
  assert.equal(parseHttpDate("Sun Nov  6 08:49:37 1994"), NOVEMBER);
});

test("two digits of a year find their century by the weekday", () => {
  assert.equal(parseHttpDate("Thursday, 06-Nov-25 00:00:00 GMT"), Date.UTC(2025, 10, 6));
  assert.equal(parseHttpDate("Friday, 06-Nov-25 00:00:00 GMT"), Date.UTC(1925, 10, 6));
  assert.equal(parseHttpDate("Monday, 06-Nov-25 00:00:00 GMT"), undefined);
});

test("never is the last second of 9999", () => {
  assert.equal(printHttpDate(Number.POSITIVE_INFINITY), "Fri, 31 Dec 9999 23:59:59 GMT");
  assert.equal(printIsoDate(Number.MAX_SAFE_INTEGER), "9999-12-31T23:59:59.9990000Z");
});

for (const text of [
  "",
  "Mon, 06 Nov 1994 08:49:37 GMT",
  "Sun, 06 Nov 1994 08:49:37 UTC",
  "Sun, 006 Nov 1994 08:49:37 GMT",
  "Sun, 06 Nov 1994 24:00:00 GMT",
  "Thu, 30 Feb 2023 00:00:00 GMT",
  "Sun, 06 Foo 1994 08:49:37 GMT",
  "sun, 06 nov 1994 08:49:37 gmt",
  " Sun, 06 Nov 1994 08:49:37 GMT",
  "1994-11-06T08:49:37Z",
  "S".repeat(10_000),
])
  test(`HTTP has no date ${JSON.stringify(text.slice(0, 40))}`, () =>
    assert.equal(parseHttpDate(text), undefined));

test("ISO dates in all the forms a SAS may have", () => {
  assert.equal(parseIsoDate("2021-06-08"), Date.UTC(2021, 5, 8));
  assert.equal(parseIsoDate("2021-06-08T02:10Z"), Date.UTC(2021, 5, 8, 2, 10));
  assert.equal(parseIsoDate("2021-06-08T02:10:09Z"), Date.UTC(2021, 5, 8, 2, 10, 9));
  assert.equal(parseIsoDate("2021-06-08T02:10:09.1234567Z"), Date.UTC(2021, 5, 8, 2, 10, 9, 123));
  assert.equal(parseIsoDate("2021-06-08T02:10:09+02:00"), Date.UTC(2021, 5, 8, 0, 10, 9));
  assert.equal(parseIsoDate("2021-06-08T02:10:09-05:30"), Date.UTC(2021, 5, 8, 7, 40, 9));
  assert.equal(timestampOf(parseIsoTicks("2021-06-08T02:10:09.1234567Z")!), "2021-06-08T02:10:09.1234567Z");
  assert.equal(timestampOf(parseIsoTicks("1601-01-01T00:00:00.0000001Z")!), "1601-01-01T00:00:00.0000001Z");
  const nanoseconds = parseIsoTicks("2021-06-08T02:10:09.123456789Z");
  assert.equal(nanoseconds, parseIsoTicks("2021-06-08T02:10:09.1234567Z"));
  for (const text of [
    "",
    "2021",
    "2021-02-29",
    "2021-13-01",
    "2021-06-08T24:00Z",
    "2021-06-08T02:10",
    "2021-06-08T02:10:60Z",
    "2021-06-08T02:10:09.Z",
    "2021-06-08T02:10:09+25:00",
    "0000-01-01",
    "0001-01-01T00:00:00+01:00",
  ])
    assert.equal(parseIsoDate(text), undefined, text);
});

test("printed dates read back", () => {
  const instant = fc.integer({ min: Date.UTC(1601, 0, 1), max: Date.UTC(9999, 11, 31) });
  fc.assert(
    fc.property(instant, (at) => {
      assert.equal(parseHttpDate(printHttpDate(at)), Math.floor(at / 1_000) * 1_000);
      assert.equal(parseIsoDate(printIsoDate(at)), at);
    }),
  );
});

test("arbitrary text is a date or undefined", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 60 }), (text) => {
      parseHttpDate(text);
      parseIsoTicks(text);
    }),
  );
});
