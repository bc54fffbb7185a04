import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import {
  ACCOUNT,
  accountWith,
  authenticate,
  contextOf,
  hmac,
  KEY,
  KEY_TWO,
  NAME,
  NOW,
  outcome,
  queryOf,
  refusal,
  requestOf,
} from "../../../test/support/auth.ts";
import { tokenOf } from "../../../test/support/tokens.ts";
import { type DelegationKeyFields, delegationKeyValue } from "./delegation-key.ts";

const RSC = "rscc rscd rsce rscl rsct";
const KEY_NAMES = "skoid sktid skt ske sks skv";
const GENERATIONS = [
  [
    "2026-04-06",
    `sp st se cr ${KEY_NAMES} saoid suoid scid skdutid sduoid sip spr sv sr snapshot ses srh srq ${RSC}`,
  ],
  [
    "2026-02-06",
    `sp st se cr ${KEY_NAMES} saoid suoid scid skdutid sduoid sip spr sv sr snapshot ses ${RSC}`,
  ],
  [
    "2025-07-05",
    `sp st se cr ${KEY_NAMES} saoid suoid scid skdutid sduoid sip spr sv sr snapshot ses ${RSC}`,
  ],
  ["2025-05-05", `sp st se cr ${KEY_NAMES} saoid suoid scid sip spr sv sr snapshot ses ${RSC}`],
  ["2020-12-06", `sp st se cr ${KEY_NAMES} saoid suoid scid sip spr sv sr snapshot ses ${RSC}`],
  ["2020-02-10", `sp st se cr ${KEY_NAMES} saoid suoid scid sip spr sv sr snapshot ${RSC}`],
  ["2018-11-09", `sp st se cr ${KEY_NAMES} sip spr sv sr snapshot ${RSC}`],
] as const;

const DELEGATION: DelegationKeyFields = {
  objectId: "oid-1",
  tenantId: "tid-1",
  start: NOW - 3_600_000,
  expiry: NOW + 3_600_000,
  service: "b",
  version: "2026-04-06",
  delegatedTenantId: undefined,
};
const KEY_FIELDS = {
  skoid: "oid-1",
  sktid: "tid-1",
  skt: "2025-12-31T23:00:00Z",
  ske: "2026-01-01T01:00:00Z",
  sks: "b",
  skv: "2026-04-06",
};
const COMMON = { sp: "rl", se: "2026-01-01T00:30:00Z", sr: "c", ...KEY_FIELDS };

type Fields = Readonly<Record<string, string | undefined>>;

interface Attempt {
  readonly fields: Fields;
  readonly signs: string;
  readonly resource?: string;
  readonly own?: Fields;
  readonly key?: string;
  readonly url?: string;
  readonly service?: "blob" | "queue" | "file" | "table";
  readonly headers?: Readonly<Record<string, string>>;
  readonly oauth?: "off" | "basic";
}

function attempt({ fields, signs, resource = `/blob/${NAME}/c`, own = {}, ...rest }: Attempt) {
  const text = signs
    .split(" ")
    .map((name) => own[name] ?? (name === "cr" ? resource : (fields[name] ?? "")))
    .join("\n");
  const sig = hmac(text, rest.key ?? delegationKeyValue(ACCOUNT, DELEGATION));
  const url = `https://127.0.0.1/${NAME}/${rest.url ?? "c/b?"}&${queryOf({ ...fields, sig })}`;
  const request = requestOf({ service: rest.service ?? "blob", url, headers: rest.headers ?? {} });
  return authenticate(request, contextOf({ oauth: rest.oauth ?? "basic" }));
}

test("a user delegation SAS of every generation", async () => {
  for (const [sv, signs] of GENERATIONS) {
    const agent = sv >= "2020-02-10" ? { saoid: "agent", scid: "correlation" } : {};
    const fields = { ...COMMON, ...agent, sv, rsct: "text/plain", spr: "https" };
    const caller = await attempt({ fields, signs });
    assert.ok(caller.kind === "serviceSas", sv);
    assert.deepEqual(
      [caller.isDelegated, caller.resource, caller.path, caller.permissions, caller.overrides],
      [true, "c", "c", "rl", { "content-type": "text/plain" }],
    );
    // The string of another generation does not pass.
    const others = GENERATIONS.filter(([, other]) => other !== signs);
    for (const [, other] of others)
      assert.equal(await outcome(() => attempt({ fields, signs: other })), "AuthenticationFailed");
  }
});

test("queues, files and tables have delegated SAS of their own since 2025-07-05", async () => {
  const plain = `sp st se cr ${KEY_NAMES} skdutid sduoid sip spr sv`;
  for (const [service, letter, url, extra, signs, resource] of [
    ["queue", "q", "q/messages?", {}, plain, "/queue/devstoreaccount1/q"],
    ["file", "f", "s/f?", { sr: "f" }, `${plain} ${RSC}`, "/file/devstoreaccount1/s/f"],
    ["table", "t", "T()?", { tn: "T" }, `${plain} spk srk epk erk`, "/table/devstoreaccount1/t"],
  ] as const) {
    const key = delegationKeyValue(ACCOUNT, { ...DELEGATION, service: letter });
    const fields = { ...COMMON, sr: undefined, sks: letter, sv: "2026-04-06", ...extra };
    const good = { fields, signs, resource, key, url, service };
    assert.equal(await outcome(() => attempt(good)), "accepted", service);
    const old = { ...good, fields: { ...fields, sv: "2025-05-05" } };
    assert.equal(await outcome(() => attempt(old)), "AuthenticationFailed", service);
    const foreign = {
      ...good,
      fields: { ...fields, sks: "b" },
      key: delegationKeyValue(ACCOUNT, DELEGATION),
    };
    assert.equal(await outcome(() => attempt(foreign)), "AuthenticationFailed", service);
  }
});

test("the delegation key depends on each of its fields, and the account key itself does not sign", async () => {
  const [sv, signs] = GENERATIONS[0];
  const fields = { ...COMMON, sv };
  assert.equal(await outcome(() => attempt({ fields, signs })), "accepted");
  for (const change of [
    { skoid: "oid-2" },
    { sktid: "tid-2" },
    { skt: "2025-12-31T23:00:01Z" },
    { ske: "2026-01-01T02:00:00Z" },
    { skv: "2026-06-06" },
    { sks: "q" },
    { skdutid: "tid-3" },
    { skt: undefined },
    { ske: "never" },
    { skoid: "" },
  ]) {
    const changed = { ...fields, ...change };
    assert.equal(
      await outcome(() => attempt({ fields: changed, signs })),
      "AuthenticationFailed",
      JSON.stringify(change),
    );
  }
  for (const key of [
    KEY,
    KEY_TWO,
    createHmac("sha256", Buffer.from(KEY, "base64")).update("").digest("base64"),
  ]) {
    assert.equal(await outcome(() => attempt({ fields, signs, key })), "AuthenticationFailed");
  }
  // Fractions of a second are dropped by SDKs, so they do not count.
  const withFraction = delegationKeyValue(ACCOUNT, { ...DELEGATION, start: DELEGATION.start + 999 });
  assert.equal(await outcome(() => attempt({ fields, signs, key: withFraction })), "accepted");
  // Fields cannot be moved into one another.
  const joined = { ...DELEGATION, objectId: 'oid-1","tid-1', tenantId: "" };
  assert.notEqual(delegationKeyValue(ACCOUNT, joined), delegationKeyValue(ACCOUNT, DELEGATION));
});

test("a key made from the second account key is good as long as the account has that key", async () => {
  const [sv, signs] = GENERATIONS[0];
  const key = delegationKeyValue(accountWith([KEY_TWO]), DELEGATION);
  assert.equal(await outcome(() => attempt({ fields: { ...COMMON, sv }, signs, key })), "accepted");
  const other = delegationKeyValue(accountWith([hmac("other")]), DELEGATION);
  assert.equal(
    await outcome(() => attempt({ fields: { ...COMMON, sv }, signs, key: other })),
    "AuthenticationFailed",
  );
});

test("the SAS ends with its key, whatever se says, and knows no stored policies", async () => {
  const [sv, signs] = GENERATIONS[0];
  const ended = { ...DELEGATION, expiry: NOW };
  const fields = { ...COMMON, sv, ske: "2026-01-01T00:00:00Z", se: "2026-02-01" };
  await assert.rejects(
    attempt({ fields, signs, key: delegationKeyValue(ACCOUNT, ended) }),
    refusal("AuthenticationFailed", /time frame/),
  );
  for (const change of [{ si: "p" }, { se: undefined }, { sp: undefined }, { se: "2025-12-31" }]) {
    const changed = { ...COMMON, sv, ...change };
    assert.equal(
      await outcome(() => attempt({ fields: changed, signs })),
      "AuthenticationFailed",
      JSON.stringify(change),
    );
  }
});

test("srh and srq bind the SAS to values of the request", async () => {
  const [sv, signs] = GENERATIONS[0];
  const fields = { ...COMMON, sv, srh: "x-ms-meta-a,If-Match", srq: "comp,prefix" };
  const own = { srh: "x-ms-meta-a:one\nIf-Match:*\n", srq: "\ncomp:list\nprefix:p/" };
  const good: Attempt = {
    fields,
    signs,
    own,
    url: "c/b?comp=list&prefix=p%2F",
    headers: { "X-Ms-Meta-A": "one", "If-Match": "*" },
  };
  assert.equal(await outcome(() => attempt(good)), "accepted");
  for (const change of [
    { headers: { "X-Ms-Meta-A": "two", "If-Match": "*" } },
    { headers: { "X-Ms-Meta-A": "one" } },
    { headers: {} },
    { url: "c/b?comp=list&prefix=q" },
    { url: "c/b?comp=list" },
    { fields: { ...fields, srh: undefined } },
    { fields: { ...fields, srh: "x-ms-meta-a" } },
    { fields: { ...fields, srq: "comp" } },
  ]) {
    assert.equal(
      await outcome(() => attempt({ ...good, ...change })),
      "AuthenticationFailed",
      JSON.stringify(change),
    );
  }
  const many = Array.from({ length: 100 }, () => "comp").join(",");
  const tooMany = { ...good, fields: { ...fields, srq: many } };
  assert.equal(await outcome(() => attempt(tooMany)), "AuthenticationFailed");
});

test("a SAS bound to a user needs a token of that user, of that tenant", async () => {
  const [sv, signs] = GENERATIONS[0];
  const fields = { ...COMMON, sv, sduoid: "oid-9" };
  const bearer = (claims: Readonly<Record<string, unknown>>) => ({
    Authorization: `Bearer ${tokenOf(claims)}`,
  });
  const headers = { ...bearer({ oid: "oid-9", tid: "tid-1" }), "x-ms-version": "2026-10-06" };
  const caller = await attempt({ fields, signs, headers });
  assert.equal(caller.kind, "serviceSas", "the token must not replace the SAS by something wider");
  for (const [change, expected] of [
    [{ headers: bearer({ oid: "oid-8", tid: "tid-1" }) }, "AuthenticationFailed"],
    [{ headers: bearer({ oid: "oid-9", tid: "tid-2" }) }, "AuthenticationFailed"],
    [{ headers: bearer({ oid: "oid-9", tid: "tid-1", exp: NOW / 1_000 - 1 }) }, "InvalidBearerToken"],
    [{ headers: {} }, "InvalidBearerToken"],
    [{ headers, oauth: "off" }, "AuthenticationFailed"],
    [{ headers: {}, fields: { ...fields, sduoid: undefined } }, "AuthenticationFailed"],
  ] as const) {
    const own = "fields" in change ? { sduoid: "oid-9" } : {};
    assert.equal(
      await outcome(() => attempt({ fields, signs, own, ...change })),
      expected,
      JSON.stringify(change),
    );
  }
  // Bound to a user of another tenant.
  const key = delegationKeyValue(ACCOUNT, { ...DELEGATION, delegatedTenantId: "tid-7" });
  const abroad = { fields: { ...fields, skdutid: "tid-7" }, signs, key };
  assert.equal(
    await outcome(() => attempt({ ...abroad, headers: bearer({ oid: "oid-9", tid: "tid-7" }) })),
    "accepted",
  );
  assert.equal(await outcome(() => attempt({ ...abroad, headers })), "AuthenticationFailed");
});

test("a server without tokens refuses what a key given for a token has signed", async () => {
  const [sv, signs] = GENERATIONS[0];
  const fields = { ...COMMON, sv };
  assert.equal(await outcome(() => attempt({ fields, signs })), "accepted");
  assert.equal(await outcome(() => attempt({ fields, signs, oauth: "off" })), "AuthenticationFailed");
});
