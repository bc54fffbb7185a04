import assert from "node:assert/strict";
import { test } from "node:test";
import {
  AzureNamedKeyCredential,
  generateAccountSas as generateTableAccountSas,
  generateTableSas,
} from "@azure/data-tables";
import {
  AccountSASPermissions,
  AccountSASResourceTypes,
  AccountSASServices,
  BlobSASPermissions,
  type BlobSASSignatureValues,
  ContainerSASPermissions,
  generateAccountSASQueryParameters,
  generateBlobSASQueryParameters,
  SASProtocol,
  StorageSharedKeyCredential,
} from "@azure/storage-blob";
import {
  StorageSharedKeyCredential as FileCredential,
  FileSASPermissions,
  generateFileSASQueryParameters,
  ShareSASPermissions,
} from "@azure/storage-file-share";
import {
  generateQueueSASQueryParameters,
  StorageSharedKeyCredential as QueueCredential,
  QueueSASPermissions,
} from "@azure/storage-queue";
import { authenticate } from "../../src/http/auth/authenticate.ts";
import type { Caller } from "../../src/http/auth/caller.ts";
import { delegationKeyValue } from "../../src/http/auth/delegation-key.ts";
import type { ServiceName } from "../../src/http/exchange.ts";
import type { StoredPolicy } from "../../src/services/account/stored-policy.ts";
import { ACCOUNT, contextOf, KEY, NAME, NOW, outcome, policiesOf, requestOf } from "../support/auth.ts";
import { tokenOf } from "../support/tokens.ts";

/** Tokens that the current SDKs make, of every version they can still make. */
const BLOB_VERSIONS = [
  ...["2015-04-05", "2016-05-31", "2017-11-09", "2018-03-28", "2018-11-09", "2019-02-02", "2019-12-12"],
  ...["2020-02-10", "2020-10-02", "2020-12-06", "2021-12-02", "2024-11-04", "2025-07-05", "2026-02-06"],
  ...["2026-04-06", "2026-10-06"],
];
const blobCredential = new StorageSharedKeyCredential(NAME, KEY);
const times = { startsOn: new Date(NOW - 60_000), expiresOn: new Date(NOW + 60_000) };
const limits = { ipRange: { start: "127.0.0.0", end: "127.0.0.255" }, protocol: SASProtocol.HttpsAndHttp };
const headers = {
  cacheControl: "no-cache",
  contentDisposition: 'attachment; filename="ä.txt"',
  contentEncoding: "gzip",
  contentLanguage: "de",
  contentType: "text/plain; charset=utf-8",
};
const POLICY: StoredPolicy = { id: "policy 1", start: undefined, expiry: NOW + 1, permissions: "r" };

interface Use {
  readonly service?: ServiceName;
  readonly headers?: Readonly<Record<string, string>>;
  readonly policies?: string;
}

async function use(
  sas: string,
  path: string,
  { service = "blob", headers: sent = {}, policies = "" }: Use = {},
): Promise<Caller> {
  const url = `https://127.0.0.1/${NAME}/${path}${path.includes("?") ? "&" : "?"}${sas}`;
  const lookup = policiesOf(policies, [POLICY]);
  return authenticate(
    requestOf({ service, url, headers: sent }),
    contextOf({ policies: lookup, oauth: "basic" }),
  );
}

async function reaches(caller: Promise<Caller>, resource: string, path: string): Promise<void> {
  const got = await caller;
  assert.ok(got.kind === "serviceSas");
  assert.deepEqual([got.resource, got.path], [resource, path]);
}

test("account SAS of every version, from the storage and the table package", async () => {
  for (const version of [...BLOB_VERSIONS, undefined]) {
    const values = {
      ...times,
      ...limits,
      ...(version === undefined ? {} : { version }),
      ...(version === undefined || version >= "2020-12-06" ? { encryptionScope: "scope1" } : {}),
      permissions: AccountSASPermissions.parse("rwdlacup"),
      services: AccountSASServices.parse("bqtf").toString(),
      resourceTypes: AccountSASResourceTypes.parse("sco").toString(),
    };
    const sas = generateAccountSASQueryParameters(values, blobCredential).toString();
    const caller = await use(sas, "c/b");
    assert.ok(caller.kind === "accountSas");
    assert.deepEqual(
      [caller.services, caller.resourceTypes, caller.permissions],
      ["btqf", "sco", "rwdlacup"],
    );
    assert.equal(
      await outcome(() => use(sas.replace("sp=rwdlacup", "sp=rwdlacu"), "c/b")),
      "AuthenticationFailed",
    );
  }
  const table = generateTableAccountSas(new AzureNamedKeyCredential(NAME, KEY), {
    expiresOn: times.expiresOn,
  });
  assert.equal((await use(table, "t", { service: "table" })).kind, "accountSas");
});

test("blob, container, snapshot and version SAS of every version", async () => {
  for (const version of BLOB_VERSIONS) {
    const make = (values: Partial<BlobSASSignatureValues>): string =>
      generateBlobSASQueryParameters(
        { containerName: "c", version, ...times, ...limits, ...headers, ...values },
        blobCredential,
      ).toString();
    const blob = { blobName: "dir/ä b+.txt", permissions: BlobSASPermissions.parse("rcw") };
    const path = "c/dir/%C3%A4%20b+.txt";
    const caller = await use(make(blob), path);
    assert.ok(
      caller.kind === "serviceSas" && caller.overrides["content-disposition"] === headers.contentDisposition,
    );
    await reaches(use(make(blob), path), "b", "c/dir/ä b+.txt");
    await reaches(use(make({ permissions: ContainerSASPermissions.parse("rl") }), "c/x/y"), "c", "c");
    assert.equal(await outcome(() => use(make(blob), "c/dir/other")), "AuthenticationFailed");
    assert.equal(
      await outcome(() => use(make({ ...blob, expiresOn: new Date(NOW) }), path)),
      "AuthenticationFailed",
    );
    const byPolicy = generateBlobSASQueryParameters(
      { containerName: "c", version, identifier: POLICY.id },
      blobCredential,
    );
    await reaches(use(byPolicy.toString(), "c/x", { policies: "c" }), "c", "c");
    assert.equal(
      await outcome(() => use(byPolicy.toString(), "c/x", { policies: "d" })),
      "AuthenticationFailed",
    );
    const time = "2025-01-01T00:00:00.0000000Z";
    if (version >= "2018-11-09") {
      const sas = make({ ...blob, snapshotTime: time });
      await reaches(use(sas, `${path}?snapshot=${time}`), "bs", "c/dir/ä b+.txt");
      assert.equal(await outcome(() => use(sas, path)), "AuthenticationFailed");
    }
    if (version >= "2019-10-10") {
      const sas = make({ ...blob, versionId: time });
      await reaches(use(sas, `${path}?versionid=${time}`), "bv", "c/dir/ä b+.txt");
    }
  }
});

test("queue, share, file and table SAS", async () => {
  const queueCredential = new QueueCredential(NAME, KEY);
  const fileCredential = new FileCredential(NAME, KEY);
  for (const version of ["2015-04-05", "2018-03-28", "2020-12-06", "2026-10-06"]) {
    const queue = generateQueueSASQueryParameters(
      {
        queueName: "q",
        version,
        ...times,
        permissions: QueueSASPermissions.parse("raup"),
        ipRange: { start: "127.0.0.1" },
      },
      queueCredential,
    );
    await reaches(use(queue.toString(), "q/messages", { service: "queue" }), "q", "q");
    const file = generateFileSASQueryParameters(
      {
        shareName: "s",
        filePath: "d/ä.txt",
        version,
        ...times,
        ...headers,
        permissions: FileSASPermissions.parse("rcwd"),
      },
      fileCredential,
    );
    await reaches(use(file.toString(), "s/d%2F%C3%A4.txt", { service: "file" }), "f", "s/d/ä.txt");
    const share = generateFileSASQueryParameters(
      { shareName: "s", version, ...times, permissions: ShareSASPermissions.parse("rcwdl") },
      fileCredential,
    );
    await reaches(use(share.toString(), "s/d/f", { service: "file" }), "s", "s");
    const table = generateTableSas("MyTable", new AzureNamedKeyCredential(NAME, KEY), {
      version,
      ...times,
      permissions: { query: true, add: true },
      startPartitionKey: "a ü",
      startRowKey: "1",
      endPartitionKey: "b",
      endRowKey: "9",
    });
    const caller = await use(table, "MyTable()", { service: "table" });
    assert.ok(caller.kind === "serviceSas" && caller.path === "mytable");
    assert.deepEqual(caller.tableBounds, {
      startPartition: "a ü",
      startRow: "1",
      endPartition: "b",
      endRow: "9",
    });
  }
  const byPolicy = generateTableSas("MyTable", new AzureNamedKeyCredential(NAME, KEY), {
    identifier: POLICY.id,
  });
  await reaches(use(byPolicy, "mytable", { service: "table", policies: "mytable" }), "t", "mytable");
});

const KEY_VERSION = "2026-04-06";

function delegationKey(service: string, delegatedTenantId?: string) {
  const [start, expiry] = [NOW - 3_600_500, NOW + 3_600_500];
  const ids = { objectId: "oid-1", tenantId: "tid-1" };
  return {
    signedObjectId: ids.objectId,
    signedTenantId: ids.tenantId,
    signedStartsOn: new Date(start),
    signedExpiresOn: new Date(expiry),
    signedService: service,
    signedVersion: KEY_VERSION,
    ...(delegatedTenantId === undefined ? {} : { signedDelegatedUserTenantId: delegatedTenantId }),
    value: delegationKeyValue(ACCOUNT, {
      ...ids,
      start,
      expiry,
      service,
      version: KEY_VERSION,
      delegatedTenantId,
    }),
  };
}

test("user delegation SAS for blobs of every version", async () => {
  for (const version of BLOB_VERSIONS.filter((sv) => sv >= "2018-11-09")) {
    const agent = version >= "2020-02-10" ? { preauthorizedAgentObjectId: "a", correlationId: "c" } : {};
    const values = { containerName: "c", version, ...times, ...limits, ...headers, ...agent };
    const make = (more: Partial<BlobSASSignatureValues>): string =>
      generateBlobSASQueryParameters({ ...values, ...more }, delegationKey("b"), NAME).toString();
    const blob = { blobName: "b ä", permissions: BlobSASPermissions.parse("r") };
    await reaches(use(make(blob), "c/b%20%C3%A4"), "b", "c/b ä");
    await reaches(use(make({ permissions: ContainerSASPermissions.parse("rl") }), "c/b"), "c", "c");
    const time = "2025-01-01T00:00:00.0000000Z";
    await reaches(use(make({ ...blob, snapshotTime: time }), `c/b%20%C3%A4?snapshot=${time}`), "bs", "c/b ä");
    assert.equal(await outcome(() => use(make(blob), "c/b")), "AuthenticationFailed");
  }
});

test("user delegation SAS bound to a user, to headers and to parameters", async () => {
  const values = { containerName: "c", ...times, permissions: ContainerSASPermissions.parse("rl") };
  const authorization = { Authorization: `Bearer ${tokenOf({ oid: "oid-9", tid: "tid-9" })}` };
  for (const version of ["2025-07-05", "2026-04-06", "2026-10-06"]) {
    const bound = generateBlobSASQueryParameters(
      { ...values, version, delegatedUserObjectId: "oid-9" },
      delegationKey("b", "tid-9"),
      NAME,
    ).toString();
    await reaches(use(bound, "c/b", { headers: authorization }), "c", "c");
    assert.equal(await outcome(() => use(bound, "c/b")), "InvalidBearerToken");
  }
  const tied = generateBlobSASQueryParameters(
    {
      ...values,
      version: "2026-04-06",
      requestHeaders: { "x-ms-meta-a": "one", "If-Match": "*" },
      requestQueryParameters: { comp: "list", prefix: "a/b" },
    },
    delegationKey("b"),
    NAME,
  ).toString();
  const sent = { headers: { "x-ms-meta-a": "one", "if-match": "*" } };
  await reaches(use(tied, "c?comp=list&prefix=a%2Fb", sent), "c", "c");
  assert.equal(await outcome(() => use(tied, "c?comp=list&prefix=a", sent)), "AuthenticationFailed");
  assert.equal(await outcome(() => use(tied, "c?comp=list&prefix=a%2Fb")), "AuthenticationFailed");
});

test("user delegation SAS for queues and files", async () => {
  for (const version of ["2025-07-05", "2026-04-06", "2026-10-06"]) {
    const queue = generateQueueSASQueryParameters(
      { queueName: "q", version, ...times, permissions: QueueSASPermissions.parse("rp") },
      delegationKey("q"),
      NAME,
    );
    await reaches(use(queue.toString(), "q/messages", { service: "queue" }), "q", "q");
    const file = generateFileSASQueryParameters(
      {
        shareName: "s",
        filePath: "d/f",
        version,
        ...times,
        ...headers,
        permissions: FileSASPermissions.parse("r"),
      },
      delegationKey("f"),
      NAME,
    );
    await reaches(use(file.toString(), "s/d/f", { service: "file" }), "f", "s/d/f");
  }
});
