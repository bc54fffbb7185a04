import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { Refusal } from "../base/refusals.ts";
import { decoded, readQuery } from "./query.ts";

/** What decodeURIComponent makes of it, or "refused". */
function expected(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "refused";
  }
}

function found(text: string): string {
  try {
    return decoded(text);
  } catch (error) {
    assert.ok(error instanceof Refusal);
    assert.equal(error.code, "InvalidUri");
    return "refused";
  }
}

test("percent signs are read as the language reads them, whole, broken or of several bytes", () => {
  const piece = fc.oneof(
    fc.constantFrom(
      "%",
      "%%",
      "%2B",
      "%2b",
      "%3D",
      "%0",
      "%g0",
      "%0g",
      "%7F",
      "%80",
      "%C3%A4",
      "%c3",
      "%ED%A0%80",
      "%00",
      "ä",
      "€",
    ),
    fc.string({ maxLength: 5 }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const text = pieces.join("");
      assert.equal(found(text), expected(text));
    }),
    { numRuns: 2_000 },
  );
});

test("names are read without case, values as they are, a plus as a space but in Base64", () => {
  const { pairs } = readQuery(
    "Comp=list&&prefix=a+b%2Bc&sig=x+y%3D&blockid=a+b&popreceipt=c+d&empty&se=2030%3A01",
  );
  assert.deepEqual(pairs, [
    ["comp", "list"],
    ["prefix", "a b+c"],
    ["sig", "x+y="],
    ["blockid", "a+b"],
    ["popreceipt", "c+d"],
    ["empty", ""],
    ["se", "2030:01"],
  ]);
  assert.equal(readQuery("A=1").get("a"), "1");
  assert.equal(readQuery("").has("a"), false);
});
