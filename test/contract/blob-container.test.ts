import assert from "node:assert/strict";
import { test } from "node:test";
import {
  AccountSASPermissions,
  BlobServiceClient,
  ContainerClient,
  ContainerSASPermissions,
  generateBlobSASQueryParameters,
} from "@azure/storage-blob";
import { all, onEachEngine, refused } from "../kit/blob.ts";

onEachEngine("containers", (kit) => {
  test("a container is created once, and its properties are read back", async () => {
    const container = kit.service.getContainerClient(kit.name());
    const created = await container.create({ metadata: { Owner: "us" }, access: "blob" });
    assert.match(created.etag ?? "", /^"0x[0-9A-F]+"$/);
    await assert.rejects(container.create(), refused(409, "ContainerAlreadyExists"));
    const found = await container.getProperties();
    assert.equal(found.etag, created.etag);
    assert.deepEqual(found.lastModified, created.lastModified);
    assert.deepEqual(found.metadata, { owner: "us" });
    assert.equal(found.blobPublicAccess, "blob");
    assert.deepEqual(
      [found.leaseState, found.leaseStatus, found.leaseDuration],
      ["available", "unlocked", undefined],
    );
    assert.equal(found.hasImmutabilityPolicy, false);
    assert.equal(found.defaultEncryptionScope, "$account-encryption-key");
  });

  test("metadata is replaced as a whole, and each change has a new ETag", async () => {
    const container = await kit.container();
    const before = await container.getProperties();
    const set = await container.setMetadata({ a: "1", b: "2" });
    assert.notEqual(set.etag, before.etag);
    const second = await container.setMetadata({ c: "3" });
    assert.notEqual(second.etag, set.etag);
    assert.deepEqual((await container.getProperties()).metadata, { c: "3" });
    const read = await kit.raw({
      path: `/${container.containerName}`,
      query: { restype: "container", comp: "metadata" },
    });
    assert.equal(read.headers["x-ms-meta-c"], "3");
    assert.equal(read.headers.etag, second.etag);
    await container.setMetadata();
    assert.deepEqual((await container.getProperties()).metadata, {});
  });

  test("a change may be bound to a date, and no other condition is taken", async () => {
    const container = await kit.container();
    const { lastModified } = await container.getProperties();
    const later = new Date(lastModified!.getTime() + 1_000);
    await assert.rejects(
      container.setMetadata({ a: "1" }, { conditions: { ifModifiedSince: lastModified! } }),
      refused(412, "ConditionNotMet"),
    );
    await assert.rejects(
      container.delete({ conditions: { ifModifiedSince: later } }),
      refused(412, "ConditionNotMet"),
    );
    const guarded = await kit.raw({
      method: "DELETE",
      path: `/${container.containerName}`,
      query: { restype: "container" },
      headers: { "If-Match": '"0x1"' },
    });
    assert.deepEqual([guarded.status, guarded.code], [400, "ConditionHeadersNotSupported"]);
    await container.delete({ conditions: { ifUnmodifiedSince: lastModified! } });
    await assert.rejects(container.getProperties(), refused(404, "ContainerNotFound"));
  });

  test("a name can be used again at once, and the new container is empty", async () => {
    const container = await kit.container();
    const { etag } = await container.getProperties();
    await container.delete();
    await assert.rejects(container.delete(), refused(404, "ContainerNotFound"));
    const again = await container.create();
    assert.notEqual(again.etag, etag);
  });

  test("names follow the rules", async () => {
    for (const [name, code] of [
      ["UPPER", "InvalidResourceName"],
      ["a--b", "InvalidResourceName"],
      ["-ab", "InvalidResourceName"],
      ["ab-", "InvalidResourceName"],
      ["a_b", "InvalidResourceName"],
      ["ab", "OutOfRangeInput"],
      ["a".repeat(64), "OutOfRangeInput"],
      ["$nope", "InvalidResourceName"],
    ] as const) {
      const reply = await kit.raw({ method: "PUT", path: `/${name}`, query: { restype: "container" } });
      assert.deepEqual([reply.status, reply.code], [400, code], name);
    }
    for (const name of ["$root", "$web", "abc", "a".repeat(63), "0-9"]) {
      const reply = await kit.raw({ method: "PUT", path: `/${name}`, query: { restype: "container" } });
      assert.equal(reply.status, 201, name);
      await kit.raw({ method: "DELETE", path: `/${name}`, query: { restype: "container" } });
    }
  });

  test("bad metadata is refused by name", async () => {
    const put = (headers: Record<string, string>) =>
      kit.raw({ method: "PUT", path: `/${kit.name()}`, query: { restype: "container" }, headers });
    assert.equal((await put({ "x-ms-meta-1a": "x" })).code, "InvalidMetadata");
    assert.equal((await put({ "x-ms-meta-": "x" })).code, "EmptyMetadataKey");
    assert.equal((await put({ "x-ms-meta-a": "x".repeat(8_193) })).code, "MetadataTooLarge");
    assert.equal((await put({ "x-ms-blob-public-access": "everyone" })).code, "InvalidHeaderValue");
  });

  test("public access and stored policies count from the next request on", async () => {
    const container = await kit.container();
    const strangers = kit.anonymous.getContainerClient(container.containerName);
    await assert.rejects(strangers.getProperties(), refused(401, "NoAuthenticationInformation"));
    const start = new Date(kit.server.clock.now() - 60_000);
    const expiry = new Date(kit.server.clock.now() + 3_600_000);
    const policy = { id: "readers", accessPolicy: { permissions: "rl", startsOn: start, expiresOn: expiry } };
    const set = await container.setAccessPolicy("container", [policy]);
    assert.ok(set.etag);
    await strangers.getProperties();
    const acl = await container.getAccessPolicy();
    assert.equal(acl.blobPublicAccess, "container");
    assert.equal(acl.signedIdentifiers[0]?.id, "readers");
    assert.equal(acl.signedIdentifiers[0]?.accessPolicy.permissions, "rl");
    assert.deepEqual(acl.signedIdentifiers[0]?.accessPolicy.expiresOn, expiry);

    const sas = generateBlobSASQueryParameters(
      { containerName: container.containerName, identifier: "readers" },
      kit.credential,
    );
    const holder = new ContainerClient(`${container.url}?${sas}`);
    assert.deepEqual(await all(holder.listBlobsFlat()), []);
    await container.setAccessPolicy(undefined, []);
    await assert.rejects(strangers.getProperties(), refused(401));
    await assert.rejects(all(holder.listBlobsFlat()), refused(403, "AuthenticationFailed"));
  });

  test("a sixth stored policy is refused", async () => {
    const container = await kit.container();
    const policies = Array.from({ length: 6 }, (_, i) => ({
      id: `p${i}`,
      accessPolicy: { permissions: "r" },
    }));
    await assert.rejects(container.setAccessPolicy(undefined, policies), refused(400, "InvalidXmlDocument"));
  });

  test("a stored policy takes the letters of a container, in their order", async () => {
    const container = await kit.container();
    const set = (permissions: string) =>
      container.setAccessPolicy(undefined, [{ id: "p", accessPolicy: { permissions } }]);
    for (const letters of ["rl", "racwdl", "racwdxyltfmeopi", "racwdxltmeiyf"]) await set(letters);
    for (const letters of ["wrld", "rz", "rr", "r w", "R"]) {
      await assert.rejects(set(letters), refused(400, "InvalidXmlDocument"), letters);
    }
    const { signedIdentifiers } = await container.getAccessPolicy();
    assert.equal(signedIdentifiers[0]!.accessPolicy?.permissions, "racwdxltmeiyf");
  });

  test("no SAS reads or sets an ACL, and none of a container touches the container itself", async () => {
    const container = await kit.container();
    const sas = generateBlobSASQueryParameters(
      {
        containerName: container.containerName,
        permissions: ContainerSASPermissions.parse("racwdl"),
        expiresOn: new Date(kit.server.clock.now() + 60_000),
      },
      kit.credential,
    );
    const holder = new ContainerClient(`${container.url}?${sas}`);
    await assert.rejects(holder.getAccessPolicy(), refused(403, "AuthorizationFailure"));
    await assert.rejects(holder.setMetadata({ a: "1" }), refused(403, "AuthorizationFailure"));
    await assert.rejects(holder.delete(), refused(403, "AuthorizationFailure"));
  });

  test("containers are listed in order, page by page, with what was asked for", async () => {
    const prefix = `${kit.name()}-`;
    const made = ["b", "a", "d", "c", "e"].map((letter) => `${prefix}${letter}`);
    for (const name of made) await kit.service.createContainer(name, { metadata: { name: name.slice(-1) } });
    const sorted = [...made].sort();
    const whole = await all(kit.service.listContainers({ prefix }));
    assert.deepEqual(
      whole.map(({ name }) => name),
      sorted,
    );
    assert.equal(whole[0]?.metadata, undefined);
    assert.equal(
      whole[0]?.properties.etag,
      (await kit.service.getContainerClient(sorted[0]!).getProperties()).etag,
    );
    const pages = await all(
      kit.service.listContainers({ prefix, includeMetadata: true }).byPage({ maxPageSize: 2 }),
    );
    assert.deepEqual(
      pages.map((page) => page.containerItems.map(({ metadata }) => metadata?.name)),
      [["a", "b"], ["c", "d"], ["e"]],
    );
    const bad = await kit.raw({ query: { comp: "list", marker: "nonsense" } });
    assert.equal(bad.status, 400);
    const zero = await kit.raw({ query: { comp: "list", maxresults: "0" } });
    assert.equal(zero.code, "OutOfRangeQueryParameterValue");
    assert.match(
      (await kit.raw({ query: { comp: "list", prefix, maxresults: "1" } })).text,
      /<EnumerationResults ServiceEndpoint="http[^"]+\/devstoreaccount1\/"><Prefix>[^<]+<\/Prefix><MaxResults>1</,
    );
  });

  test("a soft-deleted container is listed on request and comes back with its contents", async () => {
    await kit.service.setProperties({ deleteRetentionPolicy: { enabled: true, days: 2 } });
    const container = await kit.container();
    await container.setMetadata({ kept: "yes" });
    await container.delete();
    await container.create();
    await container.delete();
    await kit.service.setProperties({ deleteRetentionPolicy: { enabled: false } });
    const prefix = container.containerName;
    assert.deepEqual(await all(kit.service.listContainers({ prefix })), []);
    const deleted = await all(
      kit.service.listContainers({ prefix, includeDeleted: true, includeMetadata: true }),
    );
    assert.deepEqual(
      deleted.map(({ deleted: isDeleted, metadata }) => [isDeleted, metadata?.kept]),
      [
        [true, "yes"],
        [true, undefined],
      ],
    );
    assert.equal(deleted[0]?.properties.remainingRetentionDays, 2);
    const restored = await kit.service.undeleteContainer(prefix, deleted[0]!.version!);
    assert.deepEqual((await restored.containerClient.getProperties()).metadata, { kept: "yes" });
    await assert.rejects(
      kit.service.undeleteContainer(prefix, deleted[1]!.version!),
      refused(409, "ContainerAlreadyExists"),
    );
    await assert.rejects(kit.service.undeleteContainer(prefix, "2020-01-01T00:00:00.0000000Z"), refused(404));
    await restored.containerClient.delete();
  });

  test("what was soft-deleted is gone when its time is up", async () => {
    await kit.service.setProperties({ deleteRetentionPolicy: { enabled: true, days: 1 } });
    const container = await kit.container();
    await container.delete();
    await kit.service.setProperties({ deleteRetentionPolicy: { enabled: false } });
    const prefix = container.containerName;
    const [found] = await all(kit.service.listContainers({ prefix, includeDeleted: true }));
    const now = kit.server.clock.now();
    kit.server.clock.advance(24 * 3_600_000);
    const late = await kit.raw({
      method: "PUT",
      path: `/${prefix}`,
      query: { restype: "container", comp: "undelete" },
      headers: {
        "x-ms-deleted-container-name": prefix,
        "x-ms-deleted-container-version": found!.version!,
      },
    });
    assert.deepEqual([late.status, late.code], [404, "ContainerNotFound"]);
    kit.server.clock.set(now);
  });

  test("account information is the same everywhere", async () => {
    assert.equal((await kit.service.getAccountInfo()).accountKind, "StorageV2");
    for (const path of ["", "/nowhere", "/nowhere/nothing"]) {
      const reply = await kit.raw({ path, query: { restype: "account", comp: "properties" } });
      assert.equal(reply.headers["x-ms-sku-name"], "Standard_RAGRS", path);
      assert.equal(reply.headers["x-ms-is-hns-enabled"], "false");
    }
  });

  test("what no one type of resource owns is open to an account SAS of any type that fits", async () => {
    const container = await kit.container();
    const expiresOn = new Date(kit.server.clock.now() + 60_000);
    const permissions = AccountSASPermissions.parse("rdf");
    const serviceOf = (types: string) =>
      new BlobServiceClient(kit.service.generateAccountSasUrl(expiresOn, permissions, types));
    for (const types of ["s", "c", "o"]) {
      const service = serviceOf(types);
      const within = service.getContainerClient(container.containerName);
      assert.equal((await service.getAccountInfo()).accountKind, "StorageV2", types);
      assert.equal((await within.getAccountInfo()).accountKind, "StorageV2", types);
      assert.equal((await within.getBlobClient("b").getAccountInfo()).accountKind, "StorageV2", types);
      // The batch itself does nothing: its part is refused by what the same SAS may do to a blob.
      const url = within.getBlobClient("b").url;
      const { subResponses } = await service.getBlobBatchClient().deleteBlobs([url], service.credential);
      const code = types === "o" ? "BlobNotFound" : "AuthorizationResourceTypeMismatch";
      assert.equal(subResponses[0]!.errorCode, code, types);
      if (types === "s") {
        const found = all(within.findBlobsByTags("a='b'"));
        await assert.rejects(found, refused(403, "AuthorizationResourceTypeMismatch"));
      } else {
        assert.deepEqual(await all(within.findBlobsByTags("a='b'")), [], types);
      }
    }
  });

  test("a timeout is a whole number of seconds, or the request is refused", async () => {
    const container = await kit.container();
    const path = `/${container.containerName}/b`;
    const headers = { "x-ms-blob-type": "BlockBlob" };
    const put = async (timeout: string): Promise<string> => {
      const { status, code } = await kit.raw({ method: "PUT", path, query: { timeout }, headers, body: "x" });
      return `${status} ${code}`;
    };
    for (const given of ["abc", "1.5", "99999999999"]) {
      assert.equal(await put(given), "400 InvalidQueryParameterValue", given);
    }
    assert.equal(await put("-1"), "400 OutOfRangeQueryParameterValue");
    assert.equal((await all(container.listBlobsFlat())).length, 0);
    for (const given of ["", "0", "5", "3600"]) assert.equal(await put(given), "201 undefined", given);
  });

  test("a user delegation key is for bearer tokens only", async () => {
    const reply = await kit.raw({
      method: "POST",
      query: { restype: "service", comp: "userdelegationkey" },
      body: "<KeyInfo><Start>2026-01-01T00:00:00Z</Start><Expiry>2026-01-02T00:00:00Z</Expiry></KeyInfo>",
    });
    assert.deepEqual([reply.status, reply.code], [403, "AuthenticationFailed"]);
  });

  test("a service client without credentials learns nothing", async () => {
    const anonymous = new BlobServiceClient(kit.service.url);
    await assert.rejects(all(anonymous.listContainers()), refused(401, "NoAuthenticationInformation"));
  });
});
