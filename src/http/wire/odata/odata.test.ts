import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Refusal } from "../../../base/refusals.ts";
import { compareText } from "../../../services/text-order.ts";
import { parseEntityAddress, printEntityAddress } from "./address.ts";
import { parseToken, printToken } from "./continuation.ts";
import { EntitiesPage, printEntity } from "./entity-printer.ts";
import { readEntity } from "./entity-reader.ts";
import { readFlatObject } from "./json-reader.ts";
import { isStorable, parseEntityEtag, parseTicks, printEntityEtag, printTicks } from "./times.ts";

const text = fc.string({ unit: "grapheme", maxLength: 30 });

test("times keep every tick from 1601 to 9999, and drop the zeros at the end", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 504_911_232_000_000_000n, max: 3_155_378_975_999_999_999n }), (ticks) => {
      const printed = printTicks(ticks);
      assert.equal(parseTicks(printed), ticks);
      assert.doesNotMatch(printed, /\.\d*0Z$|\.Z$/);
      assert.equal(parseEntityEtag(printEntityEtag(printed)), ticks);
    }),
  );
  assert.equal(printTicks(637_134_336_000_000_000n), "2020-01-01T00:00:00Z");
  assert.equal(printTicks(637_134_336_008_204_980n), "2020-01-01T00:00:00.820498Z");
  assert.equal(printEntityEtag("2020-01-01T00:00:00.5Z"), `W/"datetime'2020-01-01T00%3A00%3A00.5Z'"`);
  assert.equal(parseTicks("0001-01-01T00:00:00Z"), 0n);
  assert.equal(isStorable(parseTicks("1600-12-31T23:59:59.9999999Z")!), false);
  assert.equal(isStorable(parseTicks("1601-01-01")!), true);
  assert.equal(parseTicks("2020-01-01T00:00:00"), 637_134_336_000_000_000n);
});

test("what is finer than a tick is rounded, halves to the even tick", () => {
  const rounded = (fraction: string, zone = "Z") =>
    printTicks(parseTicks(`2026-11-16T18:27:34.${fraction}${zone}`)!).slice(19);
  for (const [fraction, expected] of [
    ["604404629", ".6044046Z"],
    ["604404679", ".6044047Z"],
    ["60440465", ".6044046Z"],
    ["60440475", ".6044048Z"],
    ["604404650000001", ".6044047Z"],
    ["60440464999", ".6044046Z"],
    ["000000000", "Z"],
  ] as const)
    assert.equal(rounded(fraction), expected, fraction);
  assert.equal(rounded("999999999"), "Z");
  assert.equal(printTicks(parseTicks("2026-11-16T18:27:59.999999999")!), "2026-11-16T18:28:00Z");
  assert.equal(
    printTicks(parseTicks("2026-11-16T18:27:34.123456789+02:00")!),
    "2026-11-16T16:27:34.1234568Z",
  );
  for (const text of [
    "2026-11-16T18:27:34.123456789x",
    "2026-11-16.123456789Z",
    ".123456789Z",
    "1.12345678.9Z",
  ])
    assert.equal(parseTicks(text), undefined, text);
});

test("an ETag is read the same whichever way: as printed, or spelled otherwise", () => {
  const moment = fc.bigInt({ min: 600_000_000_000_000_000n, max: 640_000_000_000_000_000n });
  const spoil = fc.record({
    at: fc.nat({ max: 60 }),
    sign: fc.constantFrom("", "0", "7", ".", "Z", "%", ":", "x", "-"),
  });
  fc.assert(
    fc.property(moment, fc.option(spoil), fc.nat({ max: 7 }), (ticks, change, zeros) => {
      let etag = printEntityEtag(printTicks(ticks - (ticks % 10n ** BigInt(zeros))));
      if (change !== null) etag = etag.slice(0, change.at) + change.sign + etag.slice(change.at + 1);
      // In small letters it is read by the general rule.
      assert.equal(parseEntityEtag(etag), parseEntityEtag(etag.replaceAll("%3A", "%3a")), etag);
    }),
    { numRuns: 3_000 },
  );
});

test("an ETag is ours, anybody's, any, or none", () => {
  assert.equal(parseEntityEtag("*"), "*");
  assert.equal(parseEntityEtag(`W/"datetime'2020-01-01T00%3a00%3a00Z'"`), 637_134_336_000_000_000n);
  assert.equal(parseEntityEtag(`W/"datetime'yesterday'"`), "unknown");
  assert.equal(parseEntityEtag('W/"0x8D"'), "unknown");
  for (const bad of ["", "abc", '"0x8D"', 'W/"a", W/"b"', 'W/"a', "W/*"])
    assert.equal(parseEntityEtag(bad), undefined, bad);
});

test("addresses and continuations carry any key", () => {
  fc.assert(
    fc.property(text, text, (partitionKey, rowKey) => {
      const printed = printEntityAddress("table", { partitionKey, rowKey });
      assert.match(printed, /^[\x21-\x7e]*$/);
      assert.deepEqual(parseEntityAddress(decodeURIComponent(printed)), {
        table: "table",
        keys: { partitionKey, rowKey },
      });
      const token = printToken(partitionKey);
      assert.match(token, /^1!\d+![A-Za-z0-9*_-]*$/);
      assert.equal(parseToken(token), partitionKey);
    }),
  );
  assert.deepEqual(parseEntityAddress("t(RowKey='r',PartitionKey='p')").keys, {
    partitionKey: "p",
    rowKey: "r",
  });
});

test("JSON is read as JSON.parse reads it, numbers by their text", () => {
  const plain = fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
  );
  fc.assert(
    fc.property(
      fc.dictionary(fc.string({ unit: "grapheme" }), plain),
      fc.constantFrom(undefined, 2, "\t"),
      (object, indent) => {
        const json = JSON.stringify(object, undefined, indent);
        const read = readFlatObject(Buffer.from(json)).members.map(({ name, value }) => [
          name,
          value.kind === "string"
            ? value.text
            : value.kind === "number"
              ? Number(value.text)
              : value.kind === "boolean"
                ? value.value
                : null,
        ]);
        assert.deepEqual(Object.fromEntries(read), JSON.parse(json));
      },
    ),
  );
});

test("a name that comes twice is refused, wherever the two stand among how many", () => {
  for (const count of [2, 3, 15, 16, 17, 18, 40]) {
    for (const [first, second] of [
      [0, 1],
      [0, count - 1],
      [count - 2, count - 1],
    ] as const) {
      const names = Array.from({ length: count }, (_, place) =>
        place === second ? `n${first}` : `n${place}`,
      );
      const json = `{${names.map((name) => `"${name}":1`).join(",")}}`;
      assert.throws(
        () => readFlatObject(Buffer.from(json)),
        (error: Refusal) => error.code === "DuplicatePropertiesSpecified",
        `${first} and ${second} of ${count}`,
      );
    }
    const alone = `{${Array.from({ length: count }, (_, place) => `"n${place}":1`).join(",")}}`;
    assert.equal(readFlatObject(Buffer.from(alone)).members.length, count);
  }
});

test("what JSON.parse refuses is refused, whatever the bytes are", () => {
  const chunks = fc.array(
    fc.constantFrom(
      "{",
      "}",
      '"a"',
      '"b"',
      ":",
      ",",
      "1",
      "-",
      "0",
      ".",
      "e",
      "true",
      "null",
      " ",
      "\\",
      '"',
      "[",
      "]",
    ),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(chunks, (parts) => {
      const json = parts.join("");
      let expected: unknown;
      try {
        expected = JSON.parse(json);
      } catch {
        expected = undefined;
      }
      let isRead = true;
      try {
        readFlatObject(Buffer.from(json));
      } catch {
        isRead = false;
      }
      // Read only what is an object in JSON too; nested values and repetitions are refused on top of that.
      if (isRead)
        assert.ok(typeof expected === "object" && expected !== null && !Array.isArray(expected), json);
    }),
    { numRuns: 2_000 },
  );
});

test("texts are ordered as their UTF-8 bytes are", () => {
  const any = fc.string({
    unit: fc.constantFrom("a", "b", "é", "\ud7ff", "\ue000", "\uff01", "😀", "\u{10ffff}"),
    maxLength: 4,
  });
  fc.assert(
    fc.property(any, any, (a, b) => {
      assert.equal(Math.sign(compareText(a, b)), Buffer.compare(Buffer.from(a), Buffer.from(b)));
    }),
  );
});

test("keys and strings of any characters come out as JSON that says the same", () => {
  const any = fc.string({ unit: "binary", maxLength: 20 });
  const context = { level: "none", base: "http://h/a", account: "a", table: "t", select: undefined } as const;
  fc.assert(
    fc.property(any, any, any, (partitionKey, rowKey, value) => {
      const properties = [{ name: "Text", type: "String", value }] as const;
      const printed = printEntity(context, { partitionKey, rowKey, properties, revision: 1n }, "time");
      const { PartitionKey, RowKey, Text } = JSON.parse(printed) as Record<string, string>;
      assert.deepEqual([PartitionKey, RowKey, Text], [partitionKey, rowKey, value]);
    }),
    { numRuns: 2_000 },
  );
});

test("an entity is printed as the text it was read from says it, plain or not", () => {
  const context = {
    level: "minimal",
    base: "http://h/a",
    account: "a",
    table: "t",
    select: undefined,
  } as const;
  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 20 }).map((text) => text.toWellFormed()),
    fc.string({ unit: fc.constantFrom("a", " ", "'", "\x7f"), maxLength: 20 }),
  );
  const asSent = { PartitionKey: text, RowKey: text, A: text, B: text };
  fc.assert(
    fc.property(fc.record(asSent), (sent) => {
      const json = JSON.stringify(sent);
      const { partitionKey = "", rowKey = "", ...contents } = readEntity(Buffer.from(json));
      assert.equal(contents.isPlain, /^[\x20-\x7f]*$/.test(json) && !json.includes("\\"));
      const printed = printEntity(context, { partitionKey, rowKey, ...contents, revision: 1n }, "time");
      const { PartitionKey, RowKey, A, B } = JSON.parse(printed) as Record<string, string>;
      assert.deepEqual({ PartitionKey, RowKey, A, B }, { ...sent });
    }),
    { numRuns: 2_000 },
  );
});

test("a page says of each entity what it says of itself, however long it becomes", () => {
  const context = { level: "none", base: "http://h/a", account: "a", table: "t", select: undefined } as const;
  const text = fc.string({ unit: "binary", minLength: 900, maxLength: 1_100 });
  fc.assert(
    fc.property(text, fc.nat(1_200), (value, count) => {
      const properties = [{ name: "Text", type: "String", value } as const];
      const entity = { partitionKey: "p\u00e9", rowKey: "r", properties, revision: 1n };
      const one = printEntity(context, entity, printTicks(1n));
      const printed = new EntitiesPage(context, 1_000);
      for (let added = 0; added < count; added++) printed.add(entity);
      const page = printed.body();
      const expected = Buffer.from(`{"value":[${new Array(count).fill(one).join(",")}]}`);
      assert.ok((typeof page === "string" ? Buffer.from(page) : Buffer.concat(page)).equals(expected));
      if (count === 1) assert.equal(typeof page, "string");
      if (count >= 100) assert.ok(Array.isArray(page) && page.length > 1);
    }),
    { numRuns: 30 },
  );
});
