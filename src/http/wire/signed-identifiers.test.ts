import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Refusal, type RefusalCode } from "../../base/refusals.ts";
import { parseSignedIdentifiers, printSignedIdentifiers } from "./signed-identifiers.ts";

const parse = (text: string) => parseSignedIdentifiers(Buffer.from(text), /^[a-z]*$/);
const list = (content: string): string => `<SignedIdentifiers>${content}</SignedIdentifiers>`;
const identifier = (id: string, policy = ""): string =>
  `<SignedIdentifier><Id>${id}</Id>${policy}</SignedIdentifier>`;

function refused(text: string, code: RefusalCode): void {
  assert.throws(
    () => parse(text),
    (error: unknown) => error instanceof Refusal && error.code === code,
  );
}

test("a full policy, a partial one and an empty one", () => {
  const policies = parse(
    list(
      identifier(
        "full",
        "<AccessPolicy><Start>2021-06-08T02:10:09Z</Start><Expiry>2021-06-09</Expiry><Permission>rwd</Permission></AccessPolicy>",
      ) +
        identifier(
          "part",
          "<AccessPolicy><Start/><Expiry>2021-06-09T00:00:00.1234567Z</Expiry></AccessPolicy>",
        ) +
        identifier("none", "<AccessPolicy/>") +
        identifier("bare"),
    ),
  );
  assert.deepEqual(policies, [
    { id: "full", start: Date.UTC(2021, 5, 8, 2, 10, 9), expiry: Date.UTC(2021, 5, 9), permissions: "rwd" },
    {
      id: "part",
      start: undefined,
      expiry: Date.UTC(2021, 5, 9, 0, 0, 0, 123),
      permissions: undefined,
      expiryTicks: 4_567,
    },
    { id: "none", start: undefined, expiry: undefined, permissions: undefined },
    { id: "bare", start: undefined, expiry: undefined, permissions: undefined },
  ]);
});

test("times are printed with seven digits, an empty policy as its id", () => {
  const printed = printSignedIdentifiers([
    { id: "a&b", start: Date.UTC(2021, 5, 8, 2, 10, 9), expiry: undefined, permissions: "r" },
    { id: "none", start: undefined, expiry: undefined, permissions: undefined },
  ]);
  assert.equal(
    printed,
    '\ufeff<?xml version="1.0" encoding="utf-8"?><SignedIdentifiers>' +
      "<SignedIdentifier><Id>a&amp;b</Id><AccessPolicy><Start>2021-06-08T02:10:09.0000000Z</Start><Permission>r</Permission></AccessPolicy></SignedIdentifier>" +
      "<SignedIdentifier><Id>none</Id></SignedIdentifier></SignedIdentifiers>",
  );
});

test("what a client says beyond the millisecond comes back: .NET compares it", () => {
  const times = "<Start>2021-06-08T02:10:09.0000001Z</Start><Expiry>2021-06-09T00:00:00.1234567Z</Expiry>";
  const printed = printSignedIdentifiers(
    parse(list(identifier("a", `<AccessPolicy>${times}</AccessPolicy>`))),
  );
  assert.ok(printed.includes(times), printed);
});

test("an empty body or an empty list clears the policies", () => {
  assert.deepEqual(parse(""), []);
  assert.deepEqual(parse("<SignedIdentifiers/>"), []);
});

test("each way to be wrong has its code", () => {
  refused("<Other/>", "InvalidXmlDocument");
  refused("not xml", "InvalidXmlDocument");
  refused(list("123456".replace(/./g, (id) => identifier(id))), "InvalidXmlDocument");
  refused(list(identifier("a") + identifier("a")), "InvalidXmlDocument");
  refused(list("<SignedIdentifier/>"), "MissingRequiredXmlNode");
  refused(list(identifier("")), "InvalidXmlNodeValue");
  refused(list(identifier("x".repeat(65))), "InvalidXmlDocument");
  refused(list("<Other/>"), "UnsupportedXmlNode");
  refused(list(identifier("a", "<AccessPolicy><Start>soon</Start></AccessPolicy>")), "InvalidXmlNodeValue");
  refused(
    list(identifier("a", "<AccessPolicy><Permission>r w</Permission></AccessPolicy>")),
    "InvalidXmlDocument",
  );
  refused(list(identifier("a", "<AccessPolicy><Until/></AccessPolicy>")), "UnsupportedXmlNode");
});

test("an invalid document names the place and the reason, as Azure does", () => {
  const place = (document: string): object => {
    try {
      parse(document);
    } catch (error) {
      return (error as Refusal).detail.elements!;
    }
    assert.fail("accepted");
  };
  const long = `\n${list(identifier("x".repeat(65)))}`;
  assert.deepEqual(place(long), {
    LineNumber: "2",
    LinePosition: String(long.indexOf("SignedIdentifiers>", 3)),
    Reason: "Signed identifier ID cannot be empty or over 64 characters in length",
  });
  const next = list(identifier("x".repeat(65)) + identifier("a"));
  const second = next.lastIndexOf("<SignedIdentifier>") + 2;
  assert.deepEqual((place(next) as { LinePosition: string }).LinePosition, String(second));
  assert.deepEqual(place(list("123456".replace(/./g, (id) => identifier(id)))), {
    LineNumber: "0",
    LinePosition: "0",
    Reason: "",
  });
});

test("permissions that the service does not have make the document invalid", () => {
  const withLetters = (letters: string) => () =>
    parseSignedIdentifiers(
      Buffer.from(list(identifier("a", `<AccessPolicy><Permission>${letters}</Permission></AccessPolicy>`))),
      /^[raup]{1,4}$/,
    );
  for (const letters of ["raup", "p", "ar", ""])
    assert.equal(withLetters(letters)()[0]!.permissions, letters || undefined);
  for (const letters of ["rwd", "raupp", "r w", "R"])
    assert.throws(withLetters(letters), (error) => (error as Refusal).code === "InvalidXmlDocument", letters);
});

test("what is printed reads back as it was", () => {
  const instant = fc.option(fc.integer({ min: 0, max: Date.UTC(9999, 0, 1) }), { nil: undefined });
  const policy = fc.record(
    {
      id: fc.stringMatching(/^[A-Za-z0-9<>&"'=+/ ]{1,64}$/),
      start: instant,
      expiry: instant,
      permissions: fc.option(fc.stringMatching(/^[a-z]{1,10}$/), { nil: undefined }),
    },
    { noNullPrototype: true },
  );
  fc.assert(
    fc.property(fc.uniqueArray(policy, { maxLength: 5, selector: ({ id }) => id }), (policies) => {
      assert.deepEqual(parse(printSignedIdentifiers(policies)), policies);
    }),
  );
});
