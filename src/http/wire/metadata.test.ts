import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Refusal, type RefusalCode } from "../../base/refusals.ts";
import { printMetadata, printMetadataXml, readMetadata } from "./metadata.ts";

function refused(rawHeaders: readonly string[], code: RefusalCode): void {
  assert.throws(
    () => readMetadata(rawHeaders),
    (error: unknown) => error instanceof Refusal && error.code === code,
  );
}

test("names keep their case, other headers are left alone", () => {
  const read = readMetadata([
    "Host",
    "x",
    "X-Ms-Meta-FooBar",
    " value ",
    "x-ms-metadata",
    "no",
    "x-ms-meta-_1",
    "",
  ]);
  assert.deepEqual(read, { FooBar: "value", _1: "" });
  assert.deepEqual(readMetadata(["Host", "x"]), {});
});

test("each way to be wrong has its code", () => {
  refused(["x-ms-meta-", "1"], "EmptyMetadataKey");
  refused(["x-ms-meta-a-b", "1"], "InvalidMetadata");
  refused(["x-ms-meta-1a", "1"], "InvalidMetadata");
  refused(["x-ms-meta-a.b", "1"], "InvalidMetadata");
  refused(["x-ms-meta-é", "1"], "InvalidMetadata");
  refused(["x-ms-meta-a", "\x01"], "InvalidMetadata");
  refused(["x-ms-meta-a", "caf\xe9"], "InvalidMetadata");
  refused(["x-ms-meta-Foo", "1", "x-ms-meta-foo", "2"], "InvalidMetadata");
  refused(["x-ms-meta-a", "1".repeat(8 * 1_024)], "MetadataTooLarge");
  assert.equal(readMetadata(["x-ms-meta-a", "1".repeat(8 * 1_024 - 1)]).a?.length, 8 * 1_024 - 1);
});

test("names that are special to JavaScript are kept, or refused where a record would not keep them", () => {
  const read = readMetadata(["x-ms-meta-toString", "1", "x-ms-meta-constructor", "2"]);
  assert.deepEqual(Object.entries(read), [
    ["toString", "1"],
    ["constructor", "2"],
  ]);
  assert.deepEqual(printMetadata(read), { "x-ms-meta-toString": "1", "x-ms-meta-constructor": "2" });
  assert.throws(() => readMetadata(["x-ms-meta-__proto__", "1"]), /InvalidMetadata/);
});

test("a listing has them as elements", () => {
  assert.equal(printMetadataXml({ A: "1 < 2", b: "" }), "<Metadata><A>1 &lt; 2</A><b /></Metadata>");
  assert.equal(printMetadataXml({}), "<Metadata />");
});

test("what is printed reads back as it was", () => {
  const name = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,20}$/).filter((text) => text !== "__proto__");
  const value = fc.stringMatching(/^[\x21-\x7e]([\x20-\x7e]{0,30}[\x21-\x7e])?$/);
  const entries = fc.uniqueArray(fc.tuple(name, value), {
    maxLength: 10,
    selector: ([key]) => key.toLowerCase(),
  });
  fc.assert(
    fc.property(entries, (pairs) => {
      const metadata = Object.fromEntries(pairs);
      assert.deepEqual(readMetadata(Object.entries(printMetadata(metadata)).flat()), metadata);
    }),
  );
});

test("any headers give a record or a refusal", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 20 })), fc.string({ maxLength: 10 }), (headers, tail) => {
      try {
        readMetadata([...headers, `x-ms-meta-${tail}`, "v", `x-ms-meta-${tail}`]);
      } catch (error) {
        assert(error instanceof Refusal, String(error));
      }
    }),
  );
});
