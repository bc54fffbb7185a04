import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Refusal, type RefusalCode } from "../../base/refusals.ts";
import { decodeMarker, encodeMarker, printListParams, readListParams, readTimeout } from "./list-params.ts";

const query = (values: Record<string, string>) => ({
  get: (name: string): string | undefined => values[name],
});
const rules = { include: ["metadata", "snapshots"] };
const refusal = (code: RefusalCode) => (error: unknown) => error instanceof Refusal && error.code === code;

test("nothing given means everything, in pages of 5,000", () => {
  const params = readListParams(query({}), rules);
  assert.equal(params.prefix, "");
  assert.equal(params.marker, undefined);
  assert.equal(params.maxResults, 5_000);
  assert.equal(params.delimiter, undefined);
  assert.equal(params.include.size, 0);
  assert.equal(printListParams(params), "");
});

test("what was given is echoed as it was", () => {
  const params = readListParams(
    query({ prefix: "a<", marker: "m", maxresults: "9000", delimiter: "/", include: "Metadata, ,snapshots" }),
    rules,
  );
  assert.equal(params.maxResults, 5_000);
  assert.deepEqual([...params.include], ["metadata", "snapshots"]);
  assert.equal(
    printListParams(params),
    "<Prefix>a&lt;</Prefix><Marker>m</Marker><MaxResults>9000</MaxResults><Delimiter>/</Delimiter>",
  );
  assert.equal(
    printListParams(readListParams(query({ prefix: "", marker: "" }), rules)),
    "<Prefix /><Marker />",
  );
});

test("each way to be wrong has its code", () => {
  const read = (values: Record<string, string>) => () => readListParams(query(values), rules);
  for (const maxresults of ["0", "-1"])
    assert.throws(read({ maxresults }), refusal("OutOfRangeQueryParameterValue"), maxresults);
  for (const maxresults of ["x", "1.5", "9".repeat(11), " 1"])
    assert.throws(read({ maxresults }), refusal("InvalidQueryParameterValue"), maxresults);
  assert.throws(read({ include: "metadata,foo" }), refusal("InvalidQueryParameterValue"));
});

test("a timeout is seconds, never more than the service allows", () => {
  assert.equal(readTimeout(query({})), 30_000);
  assert.equal(readTimeout(query({ timeout: "5" })), 5_000);
  assert.equal(readTimeout(query({ timeout: "0" })), 30_000);
  assert.equal(readTimeout(query({ timeout: "90" })), 30_000);
  assert.equal(readTimeout(query({ timeout: "90" }), 120), 90_000);
  assert.throws(() => readTimeout(query({ timeout: "-1" })), refusal("OutOfRangeQueryParameterValue"));
  assert.throws(() => readTimeout(query({ timeout: "soon" })), refusal("InvalidQueryParameterValue"));
});

test("a marker leads back to its position, in its own listing only", () => {
  const marker = encodeMarker("blobs:c1", ["a/b", "2021"]);
  assert.match(marker, /^[A-Za-z0-9_-]+$/);
  assert.deepEqual(decodeMarker("blobs:c1", marker), ["a/b", "2021"]);
  assert.throws(() => decodeMarker("blobs:c2", marker), refusal("OutOfRangeInput"));
  const damaged = marker.slice(0, -1) + (marker.endsWith("A") ? "B" : "A");
  for (const bad of ["", "abc", damaged, `${marker}!`, "A".repeat(20_000)])
    assert.throws(() => decodeMarker("blobs:c1", bad), refusal("OutOfRangeInput"), bad.slice(0, 20));
});

test("any position survives, any text is refused or read", () => {
  const text = fc.string({ unit: "binary" }).filter((value) => value.isWellFormed());
  fc.assert(
    fc.property(text, fc.array(text, { maxLength: 3 }), (scope, position) => {
      assert.deepEqual(decodeMarker(scope, encodeMarker(scope, position)), position);
    }),
  );
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^AQ[A-Za-z0-9_-]{0,30}$/)), (marker) => {
      assert.throws(() => decodeMarker("s", marker), Refusal);
    }),
  );
});
