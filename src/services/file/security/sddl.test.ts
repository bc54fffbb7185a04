import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { walksOver } from "../../../../test/support/linear.ts";
import { seedOfThisRun } from "../../../../test/support/seed.ts";
import { Refusal } from "../../../base/refusals.ts";
import { parseSddl, parseSid, printSddl, printSid } from "./sddl.ts";
import {
  CONTROL,
  checkEncodable,
  decodeSecurityDescriptor,
  encodeSecurityDescriptor,
  mergeSecurityParts,
  NO_SECURITY,
  SECURITY_PART,
} from "./security-descriptor.ts";

const ROOT =
  "O:SYG:SYD:(A;OICI;FA;;;BA)(A;;0x1200a9;;;BU)(A;OICIIO;0xa0000000;;;BU)(A;OICI;0x1301bf;;;AU)(A;OICIIO;GA;;;CO)";
const options = { seed: seedOfThisRun(), numRuns: 200 };

const sid = fc.record({
  authority: fc.nat(5),
  subAuthorities: fc.array(fc.nat(0xffff_ffff), { minLength: 1, maxLength: 6 }),
});
const acl = fc.record({
  aces: fc.array(
    fc.record({
      type: fc.constantFrom(0, 1, 2),
      flags: fc.nat(0x1f),
      mask: fc.nat(0xffff_ffff),
      sid,
    }),
    { maxLength: 5 },
  ),
});
const descriptor = fc
  .record({
    flags: fc.constantFrom(0, CONTROL.DACL_PROTECTED, CONTROL.DACL_AUTO_INHERITED),
    owner: fc.option(sid, { nil: undefined }),
    group: fc.option(sid, { nil: undefined }),
    dacl: fc.option(acl, { nil: undefined }),
    sacl: fc.option(acl, { nil: undefined }),
  })
  .map(({ flags, ...rest }) => ({
    ...rest,
    control:
      CONTROL.SELF_RELATIVE |
      (rest.dacl === undefined ? 0 : CONTROL.DACL_PRESENT | flags) |
      (rest.sacl === undefined ? 0 : CONTROL.SACL_PRESENT),
  }));

test("a security descriptor goes to bytes, to SDDL and back", () => {
  fc.assert(
    fc.property(descriptor, (value) => {
      const expected = structuredClone(value);
      assert.deepEqual(decodeSecurityDescriptor(encodeSecurityDescriptor(value)), expected);
      assert.deepEqual(parseSddl(printSddl(value)), expected);
    }),
    options,
  );
});

test("the descriptor of a share's root reads as it is written", () => {
  assert.equal(printSddl(parseSddl(ROOT)), ROOT);
  assert.equal(printSid(parseSid("BA")), "S-1-5-32-544");
  const protectedAcl = parseSddl("D:PAI(A;;FA;;;WD)");
  assert.equal(protectedAcl.control & CONTROL.DACL_PROTECTED, CONTROL.DACL_PROTECTED);
  assert.equal(printSddl(protectedAcl), "D:PAI(A;;FA;;;WD)");
});

test("a null SACL differs from no SACL, in text and in bytes", () => {
  const none = parseSddl(`${ROOT}S:NO_ACCESS_CONTROL`);
  assert.equal(none.control, parseSddl(ROOT).control | CONTROL.SACL_PRESENT);
  const back = decodeSecurityDescriptor(encodeSecurityDescriptor(none));
  assert.equal(printSddl(back), `${ROOT}S:NO_ACCESS_CONTROL`);
});

test("the flags of an ACL count in any order, and a null ACL keeps them", () => {
  assert.equal(printSddl(parseSddl("D:AIARP(A;;FA;;;WD)")), "D:PARAI(A;;FA;;;WD)");
  const nullAcl = parseSddl("D:PAINO_ACCESS_CONTROLS:ARNO_ACCESS_CONTROL");
  assert.equal(nullAcl.dacl, undefined);
  const back = decodeSecurityDescriptor(encodeSecurityDescriptor(nullAcl));
  assert.equal(printSddl(back), "D:PAINO_ACCESS_CONTROLS:ARNO_ACCESS_CONTROL");
});

test("an ACL that is too long for its binary form is refused", () => {
  const ace = `(A;;FA;;;S-1-5${"-1".repeat(15)})`;
  const longest = parseSddl(`D:${ace.repeat(862)}`);
  checkEncodable(longest);
  assert.deepEqual(decodeSecurityDescriptor(encodeSecurityDescriptor(longest)), longest);
  const tooLong = parseSddl(`D:${ace.repeat(863)}`);
  assert.throws(() => checkEncodable(tooLong), Refusal);
  assert.throws(() => encodeSecurityDescriptor(tooLong), Refusal);
});

test("an entry about objects of a directory service goes to bytes and back", () => {
  const text =
    "D:(OA;;FA;bf967aba-0de6-11d0-a285-00aa003049e2;;WD)(OD;CI;FR;;bf967a86-0de6-11d0-a285-00aa003049e2;SY)(OA;;FX;;;BA)";
  const bytes = encodeSecurityDescriptor(parseSddl(text));
  // Header, list head, entry head and mask, then which GUIDs follow, and the first of them.
  assert.equal(bytes.readUInt32LE(20 + 8 + 8), 1);
  assert.equal(bytes.subarray(40, 56).toString("hex"), "ba7a96bfe60dd011a28500aa003049e2");
  assert.equal(printSddl(decodeSecurityDescriptor(bytes)), text);
  assert.equal(
    printSddl(parseSddl("S:(ML;;0x1;;;HI)(SP;;0x1;;;LW)")),
    "S:(ML;;CC;;;S-1-16-12288)(SP;;CC;;;S-1-16-4096)",
  );
  const short = Buffer.from(bytes);
  short.writeUInt32LE(3, 36);
  assert.throws(() => decodeSecurityDescriptor(short), Refusal);
});

test("only the parts asked for are taken from a descriptor", () => {
  const whole = parseSddl(ROOT);
  const owner = mergeSecurityParts(NO_SECURITY, whole, SECURITY_PART.OWNER);
  assert.equal(printSddl(owner), "O:SY");
  const changed = mergeSecurityParts(whole, parseSddl("D:(A;;FR;;;WD)"), SECURITY_PART.DACL);
  assert.equal(printSddl(changed), "O:SYG:SYD:(A;;FR;;;WD)");
});

test("anything else is refused, in time that grows with its length", () => {
  for (const text of [
    "O:XX",
    "D:(A;;FA;;;WD",
    "D:(Q;;FA;;;WD)",
    "D:(A;;F;;;WD)",
    "X:BA",
    "O:S-1-5-4294967296",
    // Parts out of order, twice, or with blanks between them.
    "G:BAO:BA",
    "D:(A;;FA;;;WD)D:(A;;FA;;;BA)",
    "O:BA G:BA",
    // A class of objects in an entry that has none, and one that is no GUID.
    "D:(A;;FA;bf967aba-0de6-11d0-a285-00aa003049e2;;WD)",
    "D:(OA;;FA;bf967aba;;WD)",
    // Entries that have no form here: with conditions, of resource attributes, of accounts of a domain.
    "D:(A;;FA;;;DA)",
    'D:(XA;;FA;;;WD;(Title=="x"))',
    'S:(RA;;;;;WD;("x",TS,0,"y"))',
  ])
    assert.throws(() => parseSddl(text), Refusal, text);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 120 }), (bytes) => {
      const data = Buffer.concat([Buffer.from([1, 0, 4, 0x80]), bytes]);
      try {
        decodeSecurityDescriptor(data);
      } catch (error) {
        assert.ok(error instanceof Refusal);
      }
    }),
    options,
  );
  const long = `D:${"(A;;FA;;;WD)".repeat(1_800)}`;
  assert.ok(walksOver(long.length, () => parseSddl(long)) < 2_000);
  const hostile = `D:${"P".repeat(60_000)}X`;
  assert.ok(walksOver(hostile.length, () => assert.throws(() => parseSddl(hostile))) < 2_000);
});
