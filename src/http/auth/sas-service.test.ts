import assert from "node:assert/strict";
import { test } from "node:test";
import {
  authenticate,
  contextOf,
  hmac,
  NAME,
  NOW,
  outcome,
  policiesOf,
  queryOf,
  refusal,
  requestOf,
} from "../../../test/support/auth.ts";
import type { StoredPolicy } from "../../services/account/stored-policy.ts";
import type { ServiceName } from "../exchange.ts";
import type { AuthContext } from "./authenticate.ts";
import type { ServiceSasCaller } from "./caller.ts";

type Fields = Readonly<Record<string, string | undefined>>;

interface Case {
  readonly service: ServiceName;
  readonly path: string;
  readonly fields: Fields;
  /** Names of what is signed, as the reference lists them; "cr" stands for `resource`. */
  readonly signs: string;
  readonly resource: string;
}

const RSC = "rscc rscd rsce rscl rsct";
const COMMON = { sp: "r", st: "2025-12-31T00:00:00Z", se: "2026-01-02T00:00:00Z" };
const HEADERS = { rscc: "no-cache", rscd: "inline; a=ü", rsce: "gzip", rscl: "de", rsct: "text/plain" };

function queryFor({ fields, signs, resource }: Case, signature?: string): string {
  const text = signs
    .split(" ")
    .map((name) => (name === "cr" ? resource : (fields[name] ?? "")))
    .join("\n");
  return queryOf({ ...fields, sig: signature ?? hmac(text) });
}

async function callerOf(sas: Case, context: AuthContext = contextOf()): Promise<ServiceSasCaller> {
  const request = requestOf({
    service: sas.service,
    url: `/${NAME}/${sas.path}${sas.path.includes("?") ? "&" : "?"}${queryFor(sas)}`,
  });
  const caller = await authenticate(request, context);
  assert.equal(caller.kind, "serviceSas");
  return caller as ServiceSasCaller;
}

const BLOB_GENERATIONS = [
  ["2026-10-06", `sp st se cr si sip spr sv sr snapshot ses ${RSC}`],
  ["2020-12-06", `sp st se cr si sip spr sv sr snapshot ses ${RSC}`],
  ["2020-10-02", `sp st se cr si sip spr sv sr snapshot ${RSC}`],
  ["2018-11-09", `sp st se cr si sip spr sv sr snapshot ${RSC}`],
  ["2018-03-28", `sp st se cr si sip spr sv ${RSC}`],
  ["2015-04-05", `sp st se cr si sip spr sv ${RSC}`],
] as const;

test("a blob SAS of every generation since 2015-04-05", async () => {
  for (const [sv, signs] of BLOB_GENERATIONS) {
    const ses = sv >= "2020-12-06" ? "scope1" : undefined;
    const fields = { ...COMMON, ...HEADERS, sv, sr: "b", sip: "127.0.0.1", spr: "https,http", ses };
    const resource = "/blob/devstoreaccount1/c/dir/ä b";
    const caller = await callerOf({ service: "blob", path: "c/dir/%C3%A4%20b", fields, signs, resource });
    assert.deepEqual(caller, {
      kind: "serviceSas",
      account: NAME,
      version: sv,
      isDelegated: false,
      service: "blob",
      resource: "b",
      path: "c/dir/ä b",
      snapshot: undefined,
      permissions: "r",
      encryptionScope: ses,
      overrides: {
        "cache-control": "no-cache",
        "content-disposition": "inline; a=ü",
        "content-encoding": "gzip",
        "content-language": "de",
        "content-type": "text/plain",
      },
      tableBounds: undefined,
    });
  }
});

test("the old generations sign less, and before 2015-02-21 name no service", async () => {
  for (const [sv, signs, resource, overrides] of [
    ["2015-02-21", `sp st se cr si sv ${RSC}`, "/blob/devstoreaccount1/c", 5],
    ["2014-02-14", `sp st se cr si sv ${RSC}`, "/devstoreaccount1/c", 5],
    ["2013-08-15", `sp st se cr si sv ${RSC}`, "/devstoreaccount1/c", 5],
    ["2012-02-12", "sp st se cr si sv", "/devstoreaccount1/c", 0],
  ] as const) {
    const fields = { ...COMMON, ...HEADERS, sv, sr: "c" };
    const caller = await callerOf({ service: "blob", path: "c/b", fields, signs, resource });
    assert.equal(caller.resource, "c");
    assert.equal(caller.path, "c");
    // What is not signed is not obeyed.
    assert.equal(Object.keys(caller.overrides).length, overrides, sv);
    const limited = {
      service: "blob",
      path: "c/b",
      fields: { ...fields, sip: "10.0.0.1" },
      signs,
      resource,
    } as const;
    assert.equal(await outcome(() => callerOf(limited)), "AuthenticationFailed");
    assert.equal(await outcome(() => callerOf(limited, contextOf({ isLoose: true }))), "accepted");
  }
  const tooOld = { ...COMMON, sv: "2011-08-18", sr: "c" };
  const signs = "sp st se cr si sv";
  const sas = { service: "blob", path: "c", fields: tooOld, signs, resource: "/devstoreaccount1/c" } as const;
  assert.equal(await outcome(() => callerOf(sas)), "AuthenticationFailed");
});

const NEWEST = BLOB_GENERATIONS[0][1];

test("every kind of blob resource", async () => {
  const time = "2025-06-01T00:00:00.1234567Z";
  const prefix = "/blob/devstoreaccount1/";
  const rows: [
    path: string,
    sr: string,
    resource: string,
    own: Fields,
    expected: Partial<ServiceSasCaller>,
  ][] = [
    ["c", "c", "c", {}, { resource: "c", path: "c" }],
    ["c/", "c", "c", {}, { resource: "c", path: "c" }],
    ["c/a/b", "c", "c", {}, { resource: "c", path: "c" }],
    ["x", "c", "$root", {}, { resource: "c", path: "$root" }],
    ["x", "b", "$root/x", {}, { resource: "b", path: "$root/x" }],
    [
      `c/b?snapshot=${time}`,
      "bs",
      "c/b",
      { snapshot: time },
      { resource: "bs", path: "c/b", snapshot: time },
    ],
    [
      `c/b?versionId=${time}`,
      "bv",
      "c/b",
      { snapshot: time },
      { resource: "bv", path: "c/b", snapshot: time },
    ],
    ["c/d/e/f", "d", "c/d", { sdd: "1" }, { resource: "d", path: "c/d" }],
    ["c/d/e", "d", "c/d/e", { sdd: "2" }, { resource: "d", path: "c/d/e" }],
    ["c/d/e", "d", "c", { sdd: "0" }, { resource: "d", path: "c" }],
    ["c/d/e/f", "d", "c/d/", { sdd: "1" }, { resource: "d", path: "c/d" }],
  ];
  for (const [path, sr, resource, { snapshot, sdd }, expected] of rows) {
    const fields = { ...COMMON, sv: "2026-10-06", sr, sdd };
    const text = NEWEST.split(" ").map((name) =>
      name === "cr"
        ? prefix + resource
        : name === "snapshot"
          ? (snapshot ?? "")
          : (fields[name as keyof typeof fields] ?? ""),
    );
    const query = queryOf({ ...fields, sig: hmac(text.join("\n")) });
    const url = `/${NAME}/${path}${path.includes("?") ? "&" : "?"}${query}`;
    const caller = await authenticate(requestOf({ url }), contextOf());
    assert.ok(caller.kind === "serviceSas");
    const { resource: kind, path: reached, snapshot: at } = caller;
    assert.deepEqual(
      { resource: kind, path: reached, snapshot: at },
      { snapshot: undefined, ...expected },
      url,
    );
  }
});

test("a resource the service or the version does not know is refused, as is a wrong directory depth", async () => {
  for (const [sr, sv, more, expected] of [
    ["q", "2026-10-06", {}, "AuthenticationFailed"],
    ["s", "2026-10-06", {}, "AuthenticationFailed"],
    ["", "2026-10-06", {}, "AuthenticationFailed"],
    ["bs", "2026-10-06", {}, "AuthenticationFailed"],
    ["bs", "2018-03-28", { snapshot: "x" }, "AuthenticationFailed"],
    ["d", "2019-12-12", { sdd: "1" }, "AuthenticationFailed"],
    ["d", "2026-10-06", {}, "QueryParameterSddInvalid"],
    ["d", "2026-10-06", { sdd: "9" }, "QueryParameterSddInvalid"],
    ["d", "2026-10-06", { sdd: "-1" }, "QueryParameterSddInvalid"],
  ] as const) {
    const fields = { ...COMMON, sv, sr, ...more };
    const signs = BLOB_GENERATIONS.find(([since]) => sv >= since)![1];
    const sas = {
      service: "blob",
      path: "c/b",
      fields,
      signs,
      resource: "/blob/devstoreaccount1/c/b",
    } as const;
    assert.equal(await outcome(() => callerOf(sas)), expected, `${sr} ${sv}`);
  }
});

const FILE = `sp st se cr si sip spr sv ${RSC}`;
const QUEUE = "sp st se cr si sip spr sv";
const TABLE = "sp st se cr si sip spr sv spk srk epk erk";

test("shares, files, queues and tables", async () => {
  const sv = "2026-10-06";
  const share = { ...COMMON, sv, sr: "s" };
  const inShare = await callerOf({
    service: "file",
    path: "s/d/f",
    fields: share,
    signs: FILE,
    resource: `/file/${NAME}/s`,
  });
  assert.deepEqual([inShare.resource, inShare.path], ["s", "s"]);
  const file = { ...share, sr: "f", rsct: "text/plain" };
  const ofFile = await callerOf({
    service: "file",
    path: "s/d%2Ff",
    fields: file,
    signs: FILE,
    resource: `/file/${NAME}/s/d/f`,
  });
  assert.deepEqual(
    [ofFile.resource, ofFile.path, ofFile.overrides],
    ["f", "s/d/f", { "content-type": "text/plain" }],
  );
  const queue = { ...COMMON, sv };
  const ofQueue = await callerOf({
    service: "queue",
    path: "q/messages/1",
    fields: queue,
    signs: QUEUE,
    resource: `/queue/${NAME}/q`,
  });
  assert.deepEqual([ofQueue.resource, ofQueue.path], ["q", "q"]);
  const table = { ...COMMON, sv, tn: "MyTable", spk: "a", srk: "1", epk: "b", erk: "9" };
  const ofTable = await callerOf({
    service: "table",
    path: "MyTable()",
    fields: table,
    signs: TABLE,
    resource: `/table/${NAME}/mytable`,
  });
  assert.deepEqual([ofTable.resource, ofTable.path], ["t", "mytable"]);
  assert.deepEqual(ofTable.tableBounds, {
    startPartition: "a",
    startRow: "1",
    endPartition: "b",
    endRow: "9",
  });
});

test("old queue, table and file SAS", async () => {
  const cases: Case[] = [
    {
      service: "queue",
      path: "q",
      fields: { ...COMMON, sv: "2012-02-12" },
      signs: "sp st se cr si sv",
      resource: `/${NAME}/q`,
    },
    {
      service: "table",
      path: "T",
      fields: { ...COMMON, sv: "2012-02-12", tn: "T", spk: "a" },
      signs: "sp st se cr si sv spk srk epk erk",
      resource: `/${NAME}/t`,
    },
    {
      service: "file",
      path: "s",
      fields: { ...COMMON, sv: "2015-02-21", sr: "s" },
      signs: `sp st se cr si sv ${RSC}`,
      resource: `/file/${NAME}/s`,
    },
  ];
  for (const sas of cases) assert.equal((await callerOf(sas)).permissions, "r");
});

test("an empty table bound is no bound, and a row bound needs its partition", async () => {
  const base = { ...COMMON, sv: "2026-10-06", tn: "t" };
  const at = (more: Fields): Case => ({
    service: "table",
    path: "t",
    fields: { ...base, ...more },
    signs: TABLE,
    resource: `/table/${NAME}/t`,
  });
  assert.equal((await callerOf(at({}))).tableBounds, undefined);
  assert.equal((await callerOf(at({ spk: "", epk: "" }))).tableBounds, undefined);
  assert.deepEqual((await callerOf(at({ epk: "z" }))).tableBounds, {
    startPartition: undefined,
    startRow: undefined,
    endPartition: "z",
    endRow: undefined,
  });
  assert.equal(await outcome(() => callerOf(at({ srk: "1" }))), "AuthenticationFailed");
  assert.equal(await outcome(() => callerOf(at({ erk: "1" }))), "AuthenticationFailed");
});

const NO_POLICY: StoredPolicy = { id: "p", start: undefined, expiry: undefined, permissions: undefined };

test("a stored access policy gives what the SAS leaves out, each field in one place", async () => {
  const full = { ...NO_POLICY, start: NOW - 1, expiry: NOW + 1, permissions: "rw" };
  const attempt = (fields: Fields, policies: readonly StoredPolicy[]): Promise<ServiceSasCaller> => {
    const all = { sv: "2026-10-06", sr: "b", si: "p", ...fields };
    const sas = {
      service: "blob",
      path: "c/b",
      fields: all,
      signs: NEWEST,
      resource: `/blob/${NAME}/c/b`,
    } as const;
    return callerOf(sas, contextOf({ policies: policiesOf("c", policies) }));
  };
  assert.equal((await attempt({}, [full])).permissions, "rw");
  assert.equal((await attempt(COMMON, [NO_POLICY])).permissions, "r");
  assert.equal((await attempt({ sp: "d" }, [{ ...full, permissions: undefined }])).permissions, "d");

  for (const [fields, policies, expected] of [
    [{}, [], "AuthenticationFailed"],
    [{ si: "other" }, [full], "AuthenticationFailed"],
    [{ si: "P" }, [full], "AuthenticationFailed"],
    [{ sp: "r" }, [full], "AuthenticationFailed"],
    [{ se: COMMON.se }, [full], "AuthenticationFailed"],
    [{ st: COMMON.st }, [full], "AuthenticationFailed"],
    [{}, [{ ...full, expiry: undefined }], "AuthenticationFailed"],
    [{}, [{ ...full, permissions: undefined }], "AuthenticationFailed"],
    [{}, [{ ...full, permissions: "" }], "AuthenticationFailed"],
    [{}, [{ ...full, start: undefined }], "accepted"],
    [{}, [{ ...full, expiry: NOW }], "AuthenticationFailed"],
    [{}, [{ ...full, start: NOW + 1 }], "AuthenticationFailed"],
  ] as const) {
    assert.equal(
      await outcome(() => attempt(fields, policies)),
      expected,
      JSON.stringify([fields, policies]),
    );
  }
});

test("policies are read only for a SAS whose signature is good", async () => {
  let lookups = 0;
  const context = contextOf({
    policies: async () => {
      lookups++;
      return [];
    },
  });
  const fields = { sv: "2026-10-06", sr: "b", si: "p" };
  const sas: Case = { service: "blob", path: "c/b", fields, signs: NEWEST, resource: `/blob/${NAME}/c/b` };
  const forged = requestOf({ url: `/${NAME}/c/b?${queryFor(sas, hmac("forged"))}` });
  await assert.rejects(authenticate(forged, context), refusal("AuthenticationFailed", /did not match/));
  assert.equal(lookups, 0);
  assert.equal(await outcome(() => callerOf(sas, context)), "AuthenticationFailed");
  assert.equal(lookups, 1);
});

test("a header override that no header can carry is refused", async () => {
  const fields = { ...COMMON, sv: "2026-10-06", sr: "b", rsct: "text/plain\r" };
  const sas: Case = { service: "blob", path: "c/b", fields, signs: NEWEST, resource: `/blob/${NAME}/c/b` };
  assert.equal(await outcome(() => callerOf(sas)), "InvalidQueryParameterValue");
});
