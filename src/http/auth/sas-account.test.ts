import assert from "node:assert/strict";
import { test } from "node:test";
import {
  authenticate,
  contextOf,
  hmac,
  KEY_TWO,
  NAME,
  outcome,
  queryOf,
  refusal,
  requestOf,
} from "../../../test/support/auth.ts";
import { ManualClock } from "../../base/clock.ts";

const OLD = {
  sv: "2019-12-12",
  ss: "bq",
  srt: "co",
  sp: "rwl",
  st: "2025-12-31",
  se: "2026-01-02T00:00:00Z",
  sip: "10.0.0.1-10.0.0.9",
  spr: "https",
};
type Fields = Readonly<Record<string, string | undefined>>;

/** Written from the reference: the account first, a line feed last. */
function textOf(fields: Fields): string {
  const names = ["sp", "ss", "srt", "st", "se", "sip", "spr", "sv"];
  if ((fields.sv ?? "") >= "2020-12-06") names.push("ses");
  return `${[NAME, ...names.map((name) => fields[name] ?? "")].join("\n")}\n`;
}

function attempt(
  fields: Fields,
  options: { signature?: string; key?: string; isSecure?: boolean; from?: string } = {},
) {
  const sig = options.signature ?? hmac(textOf(fields), options.key);
  const request = requestOf({
    url: `/devstoreaccount1/c/b?${queryOf({ ...fields, sig })}`,
    isSecure: options.isSecure ?? true,
    remoteAddress: options.from ?? "10.0.0.5",
  });
  return authenticate(request, contextOf());
}

test("an account SAS says which services, types and permissions it grants", async () => {
  assert.deepEqual(await attempt(OLD), {
    kind: "accountSas",
    account: NAME,
    version: "2019-12-12",
    services: "bq",
    resourceTypes: "co",
    permissions: "rwl",
    encryptionScope: undefined,
  });
  assert.equal((await attempt(OLD, { key: KEY_TWO })).kind, "accountSas");
});

test("since 2020-12-06 the encryption scope is signed, present or not", async () => {
  const fields = { ...OLD, sv: "2020-12-06", ses: "scope1" };
  const caller = await attempt(fields);
  assert.ok(caller.kind === "accountSas" && caller.encryptionScope === "scope1");
  assert.equal((await attempt({ ...OLD, sv: "2099-01-01" })).kind, "accountSas");
  const withoutLine = hmac(textOf({ ...OLD, sv: "2019-12-12" }).replace("2019-12-12", "2020-12-06"));
  assert.equal(await outcome(() => attempt(fields, { signature: withoutLine })), "AuthenticationFailed");
});

test("start, expiry and their absence", async () => {
  for (const [change, expected] of [
    [{ st: undefined }, "accepted"],
    [{ st: "2026-01-01T00:00Z" }, "accepted"],
    [{ st: "2026-01-01T00:00:00.0000000Z" }, "accepted"],
    [{ st: "2026-01-01T00:00:01Z" }, "AuthenticationFailed"],
    [{ st: "01/01/2026" }, "AuthenticationFailed"],
    [{ se: undefined }, "AuthenticationFailed"],
    [{ se: "2026-01-01" }, "AuthenticationFailed"],
    [{ se: "2026-01-01T00:00:00.0010000Z" }, "accepted"],
    [{ se: "2026-02-30T00:00:00Z" }, "AuthenticationFailed"],
    [{ se: "tomorrow" }, "AuthenticationFailed"],
  ] as const) {
    assert.equal(await outcome(() => attempt({ ...OLD, ...change })), expected, JSON.stringify(change));
  }
  const old = { ...OLD, st: "2025-12-01T00:00:00Z", se: "2025-12-31T23:59:59Z" };
  await assert.rejects(
    attempt(old),
    refusal(
      "AuthenticationFailed",
      /^Signature not valid in the specified time frame: Start \[Mon, 01 Dec 2025 .*\] - Expiry \[Wed, 31 Dec 2025 23:59:59 GMT\] - Current \[Thu, 01 Jan 2026/,
    ),
  );
  // Without a start, the signature is valid from now on.
  await assert.rejects(
    attempt({ ...old, st: undefined }),
    refusal(
      "AuthenticationFailed",
      /^Signed expiry time \[Wed, 31 Dec 2025 23:59:59 GMT\] must be after signed start time \[Thu, 01 Jan 2026/,
    ),
  );
});

test("fields that are malformed or missing are refused though they are signed", async () => {
  for (const change of [
    { ss: "" },
    { ss: "bx" },
    { srt: "z" },
    { srt: undefined },
    { sp: undefined },
    { sp: "r\nw" },
    { sv: "2014-02-14" },
    { sv: "newest" },
    { sv: undefined },
    { spr: "http" },
    { spr: "ftp" },
    { sip: "10.0.0" },
    { sip: "10.0.0.9-10.0.0.1" },
    { sip: "10.0.0.256" },
    { sip: "010.0.0.5" },
    { sip: "::1" },
  ]) {
    assert.equal(
      await outcome(() => attempt({ ...OLD, ...change })),
      "AuthenticationFailed",
      JSON.stringify(change),
    );
  }
});

test("the source address must lie in sip, both ends included, also seen through a dual-stack socket", async () => {
  for (const [from, expected] of [
    ["10.0.0.1", "accepted"],
    ["10.0.0.9", "accepted"],
    ["::ffff:10.0.0.9", "accepted"],
    ["::FFFF:10.0.0.1", "accepted"],
    ["10.0.0.0", "AuthorizationSourceIPMismatch"],
    ["10.0.0.10", "AuthorizationSourceIPMismatch"],
    ["::ffff:10.0.0.10", "AuthorizationSourceIPMismatch"],
    ["::1", "AuthorizationSourceIPMismatch"],
    ["", "AuthorizationSourceIPMismatch"],
  ] as const) {
    assert.equal(await outcome(() => attempt(OLD, { from })), expected, from);
  }
  assert.equal(await outcome(() => attempt({ ...OLD, sip: "10.0.0.5" })), "accepted");
  assert.equal(await outcome(() => attempt({ ...OLD, sip: "10.0.0.6" })), "AuthorizationSourceIPMismatch");
});

test("spr=https keeps plain HTTP out; both, or none, let it in", async () => {
  assert.equal(await outcome(() => attempt(OLD, { isSecure: false })), "AuthorizationProtocolMismatch");
  for (const spr of ["https,http", "http,https"])
    assert.equal(await outcome(() => attempt({ ...OLD, spr }, { isSecure: false })), "accepted");
  assert.equal(await outcome(() => attempt({ ...OLD, spr: undefined }, { isSecure: false })), "accepted");
});

test("a restriction that this version does not sign is refused, unless loose", async () => {
  const fields = { ...OLD, ses: "scope1" };
  await assert.rejects(attempt(fields), refusal("AuthenticationFailed", /ses is not part of the signature/));
  const url = `/devstoreaccount1/c/b?${queryOf({ ...fields, sip: undefined, spr: undefined, sig: hmac(textOf({ ...fields, sip: undefined, spr: undefined })) })}`;
  const caller = await authenticate(requestOf({ url }), contextOf({ isLoose: true }));
  assert.ok(caller.kind === "accountSas" && caller.encryptionScope === undefined);
});

test("an unknown account is refused as a wrong signature is", async () => {
  const url = (name: string) => `/${name}/c/b?${queryOf({ ...OLD, sig: hmac("wrong") })}`;
  for (const name of [NAME, "devstoreaccount2"]) {
    await assert.rejects(
      authenticate(requestOf({ url: url(name) }), contextOf()),
      refusal(
        "AuthenticationFailed",
        new RegExp(`^Signature did not match. String to sign used was ${name}\nrwl\n`),
      ),
    );
  }
});

test("a token that was good before is judged anew each time it comes", async () => {
  const clock = new ManualClock(Date.parse("2026-01-01T00:00:00Z"));
  const context = contextOf({ clock });
  const signed = { ...OLD, sig: hmac(textOf(OLD)) };
  const send = (fields: Fields, isSecure = true, remoteAddress = "10.0.0.5") => {
    const request = requestOf({ url: `/devstoreaccount1/c/b?${queryOf(fields)}`, isSecure, remoteAddress });
    return outcome(() => authenticate(request, context));
  };
  assert.equal(await send(signed), "accepted");
  assert.equal(await send(signed), "accepted");
  for (const sig of [hmac("wrong"), "", signed.sig.slice(1), `${signed.sig}=`, signed.sig.toLowerCase()]) {
    assert.equal(await send({ ...signed, sig }), "AuthenticationFailed", sig);
  }
  assert.equal(await send({ ...signed, sp: "rwld" }), "AuthenticationFailed");
  assert.equal(await send({ ...signed, ses: "scope1" }), "AuthenticationFailed");
  assert.equal(await send(signed, false), "AuthorizationProtocolMismatch");
  assert.equal(await send(signed, true, "10.0.0.10"), "AuthorizationSourceIPMismatch");
  assert.equal(await send({ ...OLD, sig: hmac(textOf(OLD), KEY_TWO) }), "accepted");
  clock.advance(2 * 24 * 3_600_000);
  assert.equal(await send(signed), "AuthenticationFailed");
});

test("of a token that comes again and again, every changed, added, doubled or missing field is noticed", async () => {
  const clock = new ManualClock(Date.parse("2026-01-01T00:00:00Z"));
  const context = contextOf({ clock });
  const fields = { sv: "2021-06-08", ss: "bq", srt: "co", sp: "rwl", se: "2026-01-02T00:00:00Z" };
  const good = queryOf({ ...fields, sig: hmac(textOf(fields)) });
  const send = (query: string) => {
    const request = requestOf({ url: `/devstoreaccount1/c/b?${query}`, remoteAddress: "10.0.0.5" });
    return outcome(() => authenticate(request, context));
  };
  const outcomes = new Map<string, string>([
    [good, "accepted"],
    [`restype=container&${good}`, "accepted"],
    [`${good}&restype=container`, "accepted"],
    [`comp=list&${good}&restype=container`, "accepted"],
    [`comp=list&${good}&restype=container&ses=scope1`, "AuthenticationFailed"],
    [`comp=list&${good}&restype=container&sip=10.0.0.5`, "AuthenticationFailed"],
    [`comp=list&${good}&restype=container&sduoid=x`, "AuthenticationFailed"],
    [good.replace("&sig=", "&comp=list&sig="), "accepted"],
    [good.replace("&srt=co", "&srt=co&comp=list&srt=sco"), "AuthenticationFailed"],
    [`${good}&se=2027-01-02T00%3A00%3A00Z`, "AuthenticationFailed"],
    [`se=2027-01-02T00%3A00%3A00Z&${good}`, "AuthenticationFailed"],
    [`sp=rwld&${good}`, "AuthenticationFailed"],
    [`SP=rwld&${good}`, "AuthenticationFailed"],
    [`s%70=rwld&${good}`, "AuthenticationFailed"],
    [`sip=10.0.0.5&${good}`, "AuthenticationFailed"],
    [`sduoid=x&${good}`, "AuthenticationFailed"],
    [`ses=scope1&${good}`, "AuthenticationFailed"],
    [`sig=${encodeURIComponent(hmac("wrong"))}&${good}`, "AuthenticationFailed"],
    [good.replace("sp=rwl", "sp=rwld"), "AuthenticationFailed"],
    [good.replace("srt=co&", ""), "AuthenticationFailed"],
    [good.replace(/sig=.*/, `sig=${encodeURIComponent(hmac("wrong"))}`), "AuthenticationFailed"],
    [good.replace(/sig=.*/, "sig="), "AuthenticationFailed"],
  ]);
  for (let round = 0; round < 3; round++) {
    for (const [query, expected] of outcomes) {
      assert.equal(await send(good), "accepted");
      assert.equal(await send(query), expected, query);
      assert.equal(await send(query), expected, query);
    }
  }
  clock.advance(24 * 3_600_000);
  assert.equal(await send(good), "AuthenticationFailed");
});
