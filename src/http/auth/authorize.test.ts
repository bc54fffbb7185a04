import assert from "node:assert/strict";
import { test } from "node:test";
import { contextOf, NAME, outcome, requestOf, type Sent } from "../../../test/support/auth.ts";
import { Refusal } from "../../base/refusals.ts";
import type { Permission, ResourceKind } from "../operation.ts";
import { authorize } from "./authorize.ts";
import type { AccountSasCaller, Caller, ServiceSasCaller } from "./caller.ts";

const READ: Permission = { type: "o", account: ["r"], service: ["r"], anonymous: "blob" };
const LIST: Permission = { type: "c", account: ["l"], service: ["l"], anonymous: "container" };
const WRITE: Permission = { type: "o", account: ["c", "w"], service: ["c", "w"] };
const UPSERT: Permission = { type: "o", account: ["au"], service: ["au"] };
const ACL: Permission = { type: "c", account: [], service: [] };

const ACCOUNT_SAS: AccountSasCaller = {
  kind: "accountSas",
  account: NAME,
  version: "2026-10-06",
  services: "bt",
  resourceTypes: "co",
  permissions: "rla",
  encryptionScope: undefined,
};

const BLOB_SAS: ServiceSasCaller = {
  kind: "serviceSas",
  account: NAME,
  version: "2026-10-06",
  isDelegated: false,
  service: "blob",
  resource: "b",
  path: "c/b",
  snapshot: undefined,
  permissions: "rlw",
  encryptionScope: undefined,
  overrides: {},
  tableBounds: undefined,
};

function attempt(
  caller: Caller,
  permission: Permission,
  resource: ResourceKind,
  sent: Partial<Sent> = {},
  access: "none" | "blob" | "container" = "none",
): Promise<string> {
  const request = requestOf({
    headers: { "x-ms-version": "2026-10-06" },
    ...sent,
    url: sent.url ?? `/${NAME}/c/b`,
  });
  const context = contextOf({
    publicAccess: async (_account, container) => (container === "c" ? access : "none"),
  });
  return outcome(() => authorize(caller, { resource, permission }, request, context));
}

test("the owner may do everything, at once", () => {
  const owner = { kind: "owner", account: NAME } as const;
  for (const permission of [READ, LIST, WRITE, ACL]) {
    const request = requestOf({ url: `/${NAME}/c` });
    assert.equal(authorize(owner, { resource: "container", permission }, request, contextOf()), undefined);
  }
});

test("an account SAS needs the service, the type and one of the permissions, in full", async () => {
  const table = { service: "table", url: `/${NAME}/t` } as const;
  const queue = { service: "queue", url: `/${NAME}/q` } as const;
  assert.equal(await attempt(ACCOUNT_SAS, READ, "blob"), "accepted");
  assert.equal(await attempt(ACCOUNT_SAS, LIST, "container"), "accepted");
  assert.equal(await attempt(ACCOUNT_SAS, WRITE, "blob"), "AuthorizationPermissionMismatch");
  assert.equal(await attempt({ ...ACCOUNT_SAS, permissions: "w" }, WRITE, "blob"), "accepted");
  assert.equal(await attempt(ACCOUNT_SAS, UPSERT, "entity", table), "AuthorizationPermissionMismatch");
  assert.equal(await attempt({ ...ACCOUNT_SAS, permissions: "ua" }, UPSERT, "entity", table), "accepted");
  assert.equal(await attempt(ACCOUNT_SAS, READ, "message", queue), "AuthorizationServiceMismatch");
  assert.equal(
    await attempt({ ...ACCOUNT_SAS, resourceTypes: "s" }, READ, "blob"),
    "AuthorizationResourceTypeMismatch",
  );
  assert.equal(await attempt(ACCOUNT_SAS, ACL, "container"), "AuthorizationFailure");
  assert.equal(await attempt({ ...ACCOUNT_SAS, account: "other" }, READ, "blob"), "AuthorizationFailure");
});

test("a service SAS needs its permission, and before 2015-04-05 finds nothing without it", async () => {
  assert.equal(await attempt(BLOB_SAS, READ, "blob"), "accepted");
  assert.equal(
    await attempt({ ...BLOB_SAS, permissions: "d" }, READ, "blob"),
    "AuthorizationPermissionMismatch",
  );
  assert.equal(
    await attempt({ ...BLOB_SAS, permissions: "d", version: "2014-02-14" }, READ, "blob"),
    "ResourceNotFound",
  );
  assert.equal(await attempt(BLOB_SAS, ACL, "blob"), "AuthorizationFailure");
  assert.equal(await attempt({ ...BLOB_SAS, version: "2014-02-14" }, ACL, "blob"), "ResourceNotFound");
  assert.equal(await attempt({ ...BLOB_SAS, account: "other" }, READ, "blob"), "AuthorizationFailure");
  assert.equal(await attempt({ ...BLOB_SAS, service: "file" }, READ, "blob"), "AuthorizationFailure");
});

test("how far each kind of service SAS reaches", async () => {
  type Row = [Partial<ServiceSasCaller>, ResourceKind, string, boolean];
  const snapshot = "2025-01-01T00:00:00.0000000Z";
  const rows: Row[] = [
    [{ resource: "c", path: "c" }, "container", "c", true],
    [{ resource: "c", path: "c" }, "container", "c/", true],
    [{ resource: "c", path: "c" }, "blob", "c/a/b", true],
    [{ resource: "c", path: "c" }, "blob", "cc/b", false],
    [{ resource: "c", path: "c" }, "blob", "c", false],
    [{ resource: "c", path: "c" }, "service", "", false],
    [{ resource: "c", path: "$root" }, "blob", "x", true],
    [{ resource: "c", path: "$root" }, "container", "x", false],
    [{ resource: "b", path: "c/b" }, "blob", "c/b", true],
    [{ resource: "b", path: "c/b" }, "blob", "c/b/d", false],
    [{ resource: "b", path: "c/b" }, "blob", "c/b/", false],
    [{ resource: "b", path: "c/b/" }, "blob", "c/b/", true],
    [{ resource: "b", path: "c/b" }, "container", "c", false],
    [{ resource: "b", path: "$root/x" }, "blob", "x", true],
    [{ resource: "bs", path: "c/b", snapshot }, "blob", `c/b?snapshot=${snapshot}`, true],
    [{ resource: "bs", path: "c/b", snapshot }, "blob", "c/b", false],
    [{ resource: "bs", path: "c/b", snapshot }, "blob", "c/b?snapshot=2024-01-01T00:00:00.0000000Z", false],
    [{ resource: "bs", path: "c/b", snapshot }, "blob", `c/b?snapshot=${snapshot}&versionid=1`, false],
    [{ resource: "bv", path: "c/b", snapshot }, "blob", `c/b?versionid=${snapshot}`, true],
    [{ resource: "bv", path: "c/b", snapshot }, "blob", `c/b?snapshot=${snapshot}`, false],
    [{ resource: "d", path: "c/d" }, "blob", "c/d/e/f", true],
    [{ resource: "d", path: "c/d" }, "path", "c/d", true],
    [{ resource: "d", path: "c/d" }, "blob", "c/dd", false],
    [{ resource: "d", path: "c/d" }, "container", "c", false],
    [{ resource: "d", path: "c" }, "blob", "c/any", true],
    [{ service: "file", resource: "s", path: "s" }, "share", "s", true],
    [{ service: "file", resource: "s", path: "s" }, "directory", "s/d", true],
    [{ service: "file", resource: "s", path: "s" }, "file", "s/d/f", true],
    [{ service: "file", resource: "s", path: "s" }, "file", "t/f", false],
    [{ service: "file", resource: "f", path: "s/f" }, "file", "s/f", true],
    [{ service: "file", resource: "f", path: "s/f" }, "file", "s/g", false],
    [{ service: "file", resource: "f", path: "s/f" }, "directory", "s/f", false],
    [{ service: "file", resource: "f", path: "s/f" }, "share", "s", false],
    [{ service: "queue", resource: "q", path: "q" }, "messages", "q/messages", true],
    [{ service: "queue", resource: "q", path: "q" }, "message", "q/messages/1", true],
    [{ service: "queue", resource: "q", path: "q" }, "messages", "qq/messages", false],
    [{ service: "queue", resource: "q", path: "q" }, "service", "", false],
    [{ service: "table", resource: "t", path: "mytable" }, "table", "MyTable", true],
    [{ service: "table", resource: "t", path: "mytable" }, "table", "mytable()", true],
    [
      { service: "table", resource: "t", path: "mytable" },
      "entity",
      "MYTABLE(PartitionKey='a',RowKey='b')",
      true,
    ],
    [{ service: "table", resource: "t", path: "mytable" }, "batch", "$batch", true],
    [{ service: "table", resource: "t", path: "mytable" }, "table", "mytable2", false],
    [{ service: "table", resource: "t", path: "mytable" }, "tables", "Tables", false],
    [{ service: "table", resource: "t", path: "mytable" }, "service", "", false],
  ];
  for (const [change, resource, path, expected] of rows) {
    const caller = { ...BLOB_SAS, ...change };
    const sent = { service: caller.service, url: `/${NAME}/${path}` };
    const got = await attempt(caller, READ, resource, sent);
    assert.equal(
      got,
      expected ? "accepted" : "AuthorizationFailure",
      JSON.stringify([change, resource, path]),
    );
  }
});

test("bearer tokens do what tokens can do at all, and state their intent to the File service", async () => {
  const bearer = { kind: "bearer", account: NAME, objectId: "o", tenantId: "t" } as const;
  assert.equal(await attempt(bearer, ACL, "container"), "accepted");
  assert.equal(await attempt(bearer, { ...ACL, bearerSince: "2025-07-05" }, "container"), "accepted");
  const old = { headers: { "x-ms-version": "2021-12-02" } };
  assert.equal(
    await attempt(bearer, { ...ACL, bearerSince: "2025-07-05" }, "container", old),
    "ResourceNotFound",
  );
  const file = { service: "file", url: `/${NAME}/s/f` } as const;
  assert.equal(await attempt(bearer, READ, "file", file), "MissingRequiredHeader");
  const intent = (value: string) => ({ ...file, headers: { "x-ms-file-request-intent": value } });
  assert.equal(await attempt(bearer, READ, "file", intent("backup")), "accepted");
  assert.equal(await attempt(bearer, READ, "file", intent("restore")), "InvalidHeaderValue");
});

test("anonymous callers read what the container shows", async () => {
  const anyone = { kind: "anonymous", account: NAME } as const;
  const list = { url: `/${NAME}/c` };
  assert.equal(await attempt(anyone, READ, "blob", {}, "blob"), "accepted");
  assert.equal(await attempt(anyone, READ, "blob", {}, "container"), "accepted");
  assert.equal(await attempt(anyone, LIST, "container", list, "container"), "accepted");
  assert.equal(await attempt(anyone, LIST, "container", list, "blob"), "NoAuthenticationInformation");
  assert.equal(await attempt(anyone, READ, "blob", {}, "none"), "NoAuthenticationInformation");
  assert.equal(await attempt(anyone, WRITE, "blob", {}, "container"), "NoAuthenticationInformation");
  assert.equal(
    await attempt(anyone, READ, "blob", { url: `/${NAME}/c` }, "container"),
    "NoAuthenticationInformation",
  );
  assert.equal(await attempt(anyone, { ...ACL, isOpen: true }, "service"), "accepted");
});

test("without credentials: a challenge by newer versions, a plain no by older ones", async () => {
  const anyone = { kind: "anonymous", account: NAME } as const;
  for (const [service, version, expected] of [
    ["blob", "2019-12-12", "NoAuthenticationInformation"],
    ["blob", "2019-07-07", "ResourceNotFound"],
    ["blob", "", "ResourceNotFound"],
    ["queue", "2019-12-12", "NoAuthenticationInformation"],
    ["queue", "2019-07-07", "ResourceNotFound"],
    ["table", "2020-12-06", "NoAuthenticationInformation"],
    ["table", "2020-10-02", "ResourceNotFound"],
    ["file", "", "InvalidHeaderValue"],
    ["file", "2021-12-02", "NoAuthenticationInformation"],
    ["file", "2021-10-04", "ResourceNotFound"],
  ] as const) {
    const headers: Record<string, string> = version === "" ? {} : { "x-ms-version": version };
    assert.equal(
      await attempt(anyone, READ, "blob", { service, headers }),
      expected,
      `${service} ${version}`,
    );
  }
  const request = requestOf({ url: `/${NAME}/c/b`, headers: { "x-ms-version": "2026-10-06" } });
  const error: unknown = await authorize(
    anyone,
    { resource: "blob", permission: READ },
    request,
    contextOf(),
  )?.catch((thrown) => thrown);
  assert.ok(error instanceof Refusal);
  assert.match(
    error.detail.headers?.["WWW-Authenticate"] ?? "",
    / resource_id=https:\/\/storage\.azure\.com$/,
  );
});
