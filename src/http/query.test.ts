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
  const chunk = fc.oneof(
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
    fc.property(fc.array(chunk, { maxLength: 8 }), (chunks) => {
      const text = chunks.join("");
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

test("a repeated name is reported, however it is spelled", () => {
  const repeated: readonly (readonly [string, readonly string[]])[] = [
    ["sig=a&sig=a", ["sig"]],
    ["sig=a&SIG=b", ["sig"]],
    ["sig=a&%73%69g=b", ["sig"]],
    ["comp=list&restype=container&Comp", ["comp"]],
    ["comp&comp=acl", ["comp"]],
    ["sv=1&sv=1&versionid=a&versionid=b", ["sv", "versionid"]],
    ["sv=1&sv=2&sv=3", ["sv", "sv"]],
    ["srq=a&deletetype=a&srq=b&deletetype=b", ["srq", "deletetype"]],
  ];
  const many = Array.from({ length: 40 }, (_, index) => `m${index}=1`).join("&");
  for (const [text, names] of repeated) {
    assert.deepEqual(readQuery(text).repeated, names, text);
    assert.deepEqual(readQuery(`${many}&${text}`).repeated, names, text);
  }
  const names = [
    ..."sv ss srt sr sp st se sip spr ses si sig tn sdd spk srk epk erk rscc rscd rsce rscl".split(" "),
  ];
  names.push(..."rsct skoid sktid skt ske sks skv skdutid saoid suoid sduoid scid srh srq comp".split(" "));
  names.push(
    ..."restype api-version snapshot versionid sharesnapshot prevsnapshot copyid blockid".split(" "),
  );
  for (const name of names) assert.deepEqual(readQuery(`${name}=a&x=1&${name}=b`).repeated, [name]);
  const once = names.map((name) => `${name}=a`).join("&");
  for (const text of [
    "",
    "a=1&a=2",
    "include=metadata&include=tags",
    "comp=list&comps=list&xcomp=list",
    once,
    `${many}&${many}`,
  ])
    assert.equal(readQuery(text).repeated, undefined, text);
});
