import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { test } from "node:test";
import { onEachEngine, readableUrl, refused } from "../kit/blob.ts";

const VERSION_LEVEL = ["--versionLevelImmutability"];
const DAY = 24 * 60 * 60_000;

function customerKey(): Record<string, string> {
  const key = randomBytes(32);
  return {
    "x-ms-encryption-key": key.toString("base64"),
    "x-ms-encryption-key-sha256": createHash("sha256").update(key).digest("base64"),
    "x-ms-encryption-algorithm": "AES256",
  };
}

onEachEngine(
  "immutability",
  (kit) => {
    const later = (millis: number): Date =>
      new Date(Math.floor(kit.server.clock.now() / 1000) * 1000 + millis);

    test("a blob under a policy is neither changed nor deleted until its date", async () => {
      const container = await kit.container();
      const blob = container.getBlockBlobClient("kept");
      const { etag } = await blob.upload("kept", 4);
      const until = later(60_000);
      const set = await blob.setImmutabilityPolicy({ expiriesOn: until, policyMode: "Unlocked" });
      assert.deepEqual([set.immutabilityPolicyExpiry, set.immutabilityPolicyMode], [until, "unlocked"]);
      const properties = await blob.getProperties();
      assert.deepEqual(
        [properties.etag, properties.immutabilityPolicyExpiresOn, properties.immutabilityPolicyMode],
        [etag, until, "unlocked"],
      );
      const refusal = refused(409, "BlobImmutableDueToPolicy");
      await assert.rejects(blob.upload("other", 5), refusal);
      await assert.rejects(blob.delete(), refusal);
      await assert.rejects(blob.setMetadata({ a: "b" }), refusal);
      await assert.rejects(blob.setHTTPHeaders({ blobContentType: "a/b" }), refusal);
      await blob.stageBlock("aaaa", "x", 1).then(() => assert.fail("a block was staged"), refusal);
      await blob.setTags({ still: "possible" });
      kit.server.clock.advance(61_000);
      await blob.upload("other", 5);
      await blob.delete();
    });

    test("an unlocked policy can be taken back, a locked one only made longer", async () => {
      const container = await kit.container();
      const blob = container.getBlockBlobClient("policy");
      await blob.upload("x", 1);
      await blob.setImmutabilityPolicy({ expiriesOn: later(10 * DAY), policyMode: "Unlocked" });
      await blob.setImmutabilityPolicy({ expiriesOn: later(5 * DAY), policyMode: "Unlocked" });
      await blob.deleteImmutabilityPolicy();
      assert.equal((await blob.getProperties()).immutabilityPolicyMode, undefined);
      await blob.setImmutabilityPolicy({ expiriesOn: later(5 * DAY), policyMode: "Locked" });
      const locked = refused(409, "BlobImmutableDueToPolicy");
      await assert.rejects(
        blob.setImmutabilityPolicy({ expiriesOn: later(4 * DAY), policyMode: "Locked" }),
        locked,
      );
      await assert.rejects(
        blob.setImmutabilityPolicy({ expiriesOn: later(9 * DAY), policyMode: "Unlocked" }),
        locked,
      );
      await assert.rejects(blob.deleteImmutabilityPolicy(), locked);
      await blob.setImmutabilityPolicy({ expiriesOn: later(6 * DAY), policyMode: "Locked" });
      await assert.rejects(
        blob.setImmutabilityPolicy({ expiriesOn: later(-DAY), policyMode: "Locked" }),
        refused(400, "InvalidHeaderValue"),
      );
      const path = `/${container.containerName}/policy`;
      const stale = await kit.raw({
        method: "PUT",
        path,
        query: { comp: "immutabilityPolicies" },
        headers: {
          "x-ms-immutability-policy-until-date": later(9 * DAY).toUTCString(),
          "x-ms-immutability-policy-mode": "locked",
          "if-unmodified-since": later(-DAY).toUTCString(),
        },
      });
      assert.deepEqual([stale.status, stale.code], [412, "ConditionNotMet"]);
    });

    test("a legal hold outlasts everything until it is taken off, on snapshots too", async () => {
      const container = await kit.container();
      const blob = container.getBlockBlobClient("refusal");
      await blob.upload("x", 1);
      const { snapshot } = await blob.createSnapshot();
      assert.equal((await blob.setLegalHold(true)).legalHold, true);
      await blob.withSnapshot(snapshot!).setLegalHold(true);
      assert.equal((await blob.getProperties()).legalHold, true);
      const refusal = refused(409, "BlobImmutableDueToLegalHold");
      await assert.rejects(blob.delete({ deleteSnapshots: "include" }), refusal);
      await blob.setLegalHold(false);
      await assert.rejects(blob.delete({ deleteSnapshots: "include" }), refusal);
      await assert.rejects(blob.withSnapshot(snapshot!).delete(), refusal);
      await blob.withSnapshot(snapshot!).setLegalHold(false);
      await blob.delete({ deleteSnapshots: "include" });
      const path = `/${container.containerName}/refusal`;
      const bare = await kit.raw({ method: "PUT", path, query: { comp: "legalhold" } });
      assert.deepEqual([bare.status, bare.code], [400, "MissingRequiredHeader"]);
      await assert.rejects(blob.setLegalHold(true), refused(404, "BlobNotFound"));
    });

    test("a container that holds what must be kept is not deleted", async () => {
      const refusal = refused(409, "ContainerImmutableStorageWithVersioningEnabled");
      const container = await kit.container();
      for (let i = 0; i < 3; i++) await container.getBlockBlobClient(`free${i}`).upload("x", 1);
      const kept = container.getBlockBlobClient("kept");
      await kept.upload("x", 1);
      const { snapshot } = await kept.createSnapshot();
      const snapshotted = kept.withSnapshot(snapshot!);
      await snapshotted.setImmutabilityPolicy({ expiriesOn: later(60_000), policyMode: "Unlocked" });
      await assert.rejects(container.delete(), refusal);
      await snapshotted.setImmutabilityPolicy({ expiriesOn: later(120_000), policyMode: "Unlocked" });
      kit.server.clock.advance(61_000);
      await assert.rejects(container.delete(), refusal);
      await snapshotted.deleteImmutabilityPolicy();
      await kept.setLegalHold(true);
      await assert.rejects(container.delete(), refusal);
      assert.equal((await kept.downloadToBuffer()).toString(), "x");
      await kept.setLegalHold(false);
      const made = container.getBlockBlobClient("made");
      await made.upload("x", 1, { immutabilityPolicy: { expiriesOn: later(60_000), policyMode: "Locked" } });
      await assert.rejects(container.delete(), refusal);
      kit.server.clock.advance(61_000);
      await container.delete();
    });

    test("what is refusal does not expire meanwhile", async () => {
      const container = await kit.container();
      const blob = container.getBlockBlobClient("kept");
      await blob.upload("x", 1);
      const headers = { "x-ms-expiry-option": "RelativeToNow", "x-ms-expiry-time": "1000" };
      const path = `/${container.containerName}/kept`;
      assert.equal((await kit.raw({ method: "PUT", path, query: { comp: "expiry" }, headers })).status, 200);
      await blob.setLegalHold(true);
      kit.server.clock.advance(60_000);
      assert.equal((await blob.downloadToBuffer()).toString(), "x");
      await blob.setLegalHold(false);
      assert.equal(await blob.exists(), false);
    });

    test("append and page blobs are refusal like any other, and can be made so", async () => {
      const container = await kit.container();
      const append = container.getAppendBlobClient("log");
      await append.create({ immutabilityPolicy: { expiriesOn: later(DAY), policyMode: "Unlocked" } });
      await assert.rejects(append.appendBlock("x", 1), refused(409, "BlobImmutableDueToPolicy"));
      const page = container.getPageBlobClient("disk");
      await page.create(512, { legalHold: true });
      await assert.rejects(
        page.uploadPages(Buffer.alloc(512), 0, 512),
        refused(409, "BlobImmutableDueToLegalHold"),
      );
    });
  },
  VERSION_LEVEL,
);

onEachEngine("encryption", (kit) => {
  test("what is written with a customer's key is read and changed with that key only", async () => {
    const container = (await kit.container()).containerName;
    const [key, other] = [customerKey(), customerKey()];
    const send = async (
      method: string,
      name: string,
      options: {
        query?: Record<string, string>;
        headers?: Record<string, string>;
        body?: Buffer | string;
      } = {},
    ): Promise<string> => {
      const { status, code } = await kit.raw({ method, path: `/${container}/${name}`, ...options });
      return code === undefined ? String(status) : `${status} ${code}`;
    };
    const missing = "409 BlobUsesCustomerSpecifiedEncryption";
    const mismatch = "409 BlobCustomerSpecifiedEncryptionMismatch";
    const page = { "x-ms-page-write": "update", "x-ms-range": "bytes=0-511" };
    const made = [
      { name: "block", headers: { "x-ms-blob-type": "BlockBlob" }, body: "x" },
      { name: "append", headers: { "x-ms-blob-type": "AppendBlob" } },
      { name: "page", headers: { "x-ms-blob-type": "PageBlob", "x-ms-blob-content-length": "1024" } },
    ];
    for (const { name, headers, ...body } of made) {
      assert.equal(await send("PUT", name, { headers: { ...headers, ...key }, ...body }), "201");
    }
    const attempts: [string, Parameters<typeof send>[2]][] = [
      ["PUT append", { query: { comp: "appendblock" }, body: "x" }],
      ["PUT page", { query: { comp: "page" }, headers: page, body: Buffer.alloc(512) }],
      ["PUT block", { query: { comp: "metadata" }, headers: { "x-ms-meta-a": "b" } }],
      ["PUT block", { query: { comp: "snapshot" } }],
    ];
    for (const [line, options] of attempts) {
      const [method, name] = line.split(" ") as [string, string];
      const withKey = (headers: object) =>
        send(method, name, { ...options, headers: { ...options?.headers, ...headers } });
      assert.equal(await withKey({}), missing, line);
      assert.equal(await withKey(other), mismatch, line);
      assert.match(await withKey(key), /^20[01]$/, line);
    }
    for (const name of ["block", "append", "page"]) {
      assert.equal(await send("GET", name), missing);
      assert.equal(await send("GET", name, { headers: other }), mismatch);
      assert.equal(await send("GET", name, { headers: key }), "200");
    }
    const blockId = Buffer.from("b1").toString("base64");
    const stage = { query: { comp: "block", blockid: blockId }, body: "x" };
    assert.equal(await send("PUT", "staged", { ...stage, headers: key }), "201");
    assert.equal(await send("PUT", "staged", { ...stage, headers: other }), mismatch);
    const list = { query: { comp: "blocklist" }, body: `<BlockList><Latest>${blockId}</Latest></BlockList>` };
    assert.equal(await send("PUT", "staged", list), missing);
    assert.equal(await send("PUT", "staged", { ...list, headers: key }), "201");
    const source = {
      "x-ms-blob-type": "BlockBlob",
      "x-ms-copy-source": await readableUrl(
        kit,
        kit.service.getContainerClient(container).getBlobClient("block"),
      ),
    };
    assert.equal(await send("PUT", "taken", { headers: source }), "409 CannotVerifyCopySource");
    const sourceKey = Object.fromEntries(
      Object.entries(key).map(([name, value]) => [name.replace("x-ms-", "x-ms-source-"), value]),
    );
    assert.equal(await send("PUT", "taken", { headers: { ...source, ...sourceKey } }), "201");
    const broken = { ...key, "x-ms-encryption-key-sha256": other["x-ms-encryption-key-sha256"]! };
    assert.equal(
      await send("PUT", "broken", { headers: { "x-ms-blob-type": "BlockBlob", ...broken }, body: "x" }),
      "400 InvalidHeaderValue",
    );
  });

  test("a container may have a scope for its blobs, and insist on it", async () => {
    const name = kit.name();
    const container = kit.service.getContainerClient(name);
    await container.create({
      containerEncryptionScope: { defaultEncryptionScope: "contoso", preventEncryptionScopeOverride: true },
    });
    for (const blob of [container.getAppendBlobClient("a"), container.getPageBlobClient("p")]) {
      if ("appendBlock" in blob) await blob.create();
      else await blob.create(512);
      assert.equal((await blob.getProperties()).encryptionScope, "contoso");
    }
    const forbidden = refused(403, "RequestForbiddenByContainerEncryptionPolicy");
    await assert.rejects(container.getAppendBlobClient("b").create({ encryptionScope: "mine" }), forbidden);
    await assert.rejects(
      container.getAppendBlobClient("a").appendBlock("x", 1, { encryptionScope: "mine" }),
      forbidden,
    );
    await assert.rejects(
      container.getPageBlobClient("p").uploadPages(Buffer.alloc(512), 0, 512, { encryptionScope: "mine" }),
      forbidden,
    );
  });
});
