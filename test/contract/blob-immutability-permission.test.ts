import assert from "node:assert/strict";
import { test } from "node:test";
import { IMMUTABILITY_MILLIS_MAX } from "../../src/concurrency/immutability.ts";
import { all, type BlobKit, onEachEngine, refused } from "../kit/blob.ts";
import { sasOf } from "../kit/blob-sas.ts";

const DAY = 24 * 60 * 60_000;

type Headers = Record<string, string>;

/** Every operation that takes the headers of immutability, each on a blob of its own. */
async function writesOf(kit: BlobKit, container: string, query: Headers) {
  const put = (name: string, headers: Headers, more: { query?: Headers; body?: string } = {}) => ({
    name,
    send: (added: Headers) =>
      kit.raw({
        method: "PUT",
        path: `/${container}/${name}`,
        query: { ...query, ...more.query },
        headers: { ...headers, ...added },
        ...(more.body === undefined ? {} : { body: more.body }),
        sign: "none" as const,
      }),
  });
  const source = kit.service.getContainerClient(container).getBlockBlobClient("source");
  await source.upload("source", 6);
  const from = { "x-ms-copy-source": `${source.url}?${sasOf(kit, `${container}/source`, "b", "r")}` };
  return [
    put("put-blob", { "x-ms-blob-type": "BlockBlob" }, { body: "x" }),
    put("append-blob", { "x-ms-blob-type": "AppendBlob" }),
    put("page-blob", { "x-ms-blob-type": "PageBlob", "x-ms-blob-content-length": "512" }),
    put("block-list", {}, { query: { comp: "blocklist" }, body: "<BlockList></BlockList>" }),
    put("put-from-url", { "x-ms-blob-type": "BlockBlob", ...from }),
    put("copy", from),
    put("copy-from-url", { ...from, "x-ms-requires-sync": "true" }),
  ];
}

const until = (kit: BlobKit, millis: number): string =>
  new Date(kit.server.clock.now() + millis).toUTCString();

onEachEngine(
  "who may hold a blob",
  (kit) => {
    const guards = (): readonly Headers[] => [
      { "x-ms-legal-hold": "true" },
      { "x-ms-legal-hold": "false" },
      { "x-ms-immutability-policy-until-date": until(kit, DAY) },
      {
        "x-ms-immutability-policy-until-date": until(kit, DAY),
        "x-ms-immutability-policy-mode": "Locked",
      },
    ];

    test("a SAS that may write but not set immutability cannot create a blob that no caller can delete", async () => {
      const container = await kit.container();
      for (const letters of ["c", "w", "cw", "racwdxyltme"]) {
        const query = Object.fromEntries(
          new URLSearchParams(sasOf(kit, container.containerName, "c", letters)),
        );
        for (const { name, send } of await writesOf(kit, container.containerName, query)) {
          for (const headers of guards()) {
            const { status, code } = await send(headers);
            const what = `${name} with ${letters} and ${JSON.stringify(headers)}`;
            assert.deepEqual([status, code], [403, "AuthorizationPermissionMismatch"], what);
          }
          assert.equal(await container.getBlobClient(name).exists(), false, name);
        }
      }
      for (const comp of ["immutabilityPolicies", "legalhold"]) {
        const query = Object.fromEntries(
          new URLSearchParams(sasOf(kit, container.containerName, "c", "racwdxyltme")),
        );
        const headers = { "x-ms-legal-hold": "true", "x-ms-immutability-policy-until-date": until(kit, DAY) };
        const path = `/${container.containerName}/source`;
        const sent = { path, query: { ...query, comp }, headers, sign: "none" as const };
        const { status, code } = await kit.raw({ method: "PUT", ...sent });
        assert.deepEqual([status, code], [403, "AuthorizationPermissionMismatch"], comp);
      }
      await container.getBlobClient("source").delete();
    });

    test("one that may set it does so with every operation that takes the headers", async () => {
      const container = await kit.container();
      const query = Object.fromEntries(new URLSearchParams(sasOf(kit, container.containerName, "c", "rcwi")));
      for (const { name, send } of await writesOf(kit, container.containerName, query)) {
        const { status, text } = await send({
          "x-ms-immutability-policy-until-date": until(kit, DAY),
          "x-ms-legal-hold": "true",
        });
        assert.ok(status === 201 || status === 202, `${name}: ${status} ${text}`);
        const blob = container.getBlobClient(name);
        const { legalHold, immutabilityPolicyMode } = await blob.getProperties();
        assert.deepEqual([legalHold, immutabilityPolicyMode], [true, "unlocked"], name);
        await blob.setLegalHold(false);
        await blob.deleteImmutabilityPolicy();
        await blob.delete();
      }
    });

    test("a policy ends in the future, and not later than the longest retention", async () => {
      const container = await kit.container();
      const query = Object.fromEntries(new URLSearchParams(sasOf(kit, container.containerName, "c", "rcwi")));
      const max = IMMUTABILITY_MILLIS_MAX;
      assert.equal(max, 146_000 * DAY);
      for (const { name, send } of await writesOf(kit, container.containerName, query)) {
        for (const millis of [-DAY, max + DAY]) {
          const { status, code } = await send({ "x-ms-immutability-policy-until-date": until(kit, millis) });
          assert.deepEqual([status, code], [400, "InvalidHeaderValue"], `${name} ${millis}`);
        }
        assert.equal(await container.getBlobClient(name).exists(), false, name);
      }
      const blob = container.getBlockBlobClient("source");
      const policy = (millis: number) =>
        blob.setImmutabilityPolicy({ expiriesOn: new Date(kit.server.clock.now() + millis) });
      await assert.rejects(policy(max + DAY), refused(400, "InvalidHeaderValue"));
      await policy(max - DAY);
      await blob.deleteImmutabilityPolicy();
    });

    test("a container made while the flag is on says so", async () => {
      const container = await kit.container();
      assert.equal((await container.getProperties()).isImmutableStorageWithVersioningEnabled, true);
      const listed = await all(kit.service.listContainers({ prefix: container.containerName }));
      assert.equal(listed[0]?.properties.isImmutableStorageWithVersioningEnabled, true);
    });
  },
  ["--versionLevelImmutability"],
);

onEachEngine("immutability where the operator has not enabled it", (kit) => {
  test("no operation puts a policy or a hold on a blob, also not the owner's", async () => {
    const container = await kit.container();
    assert.equal((await container.getProperties()).isImmutableStorageWithVersioningEnabled, false);
    const off = "ContainerImmutableStorageWithVersioningNotEnabled";
    const query = Object.fromEntries(new URLSearchParams(sasOf(kit, container.containerName, "c", "rcwdi")));
    for (const { name, send } of await writesOf(kit, container.containerName, query)) {
      for (const headers of [
        { "x-ms-legal-hold": "true" },
        { "x-ms-immutability-policy-until-date": until(kit, DAY) },
      ] as Headers[]) {
        const { status, code } = await send(headers);
        assert.deepEqual([status, code], [409, off], `${name} ${JSON.stringify(headers)}`);
      }
      assert.equal(await container.getBlobClient(name).exists(), false, name);
      assert.ok((await send({ "x-ms-legal-hold": "false" })).status < 300, name);
    }
    const blob = container.getBlockBlobClient("source");
    const expiriesOn = new Date(kit.server.clock.now() + DAY);
    await assert.rejects(blob.setImmutabilityPolicy({ expiriesOn }), refused(409, off));
    await assert.rejects(blob.setLegalHold(true), refused(409, off));
    await assert.rejects(blob.upload("x", 1, { legalHold: true }), refused(409, off));
    await blob.setLegalHold(false);
    await blob.deleteImmutabilityPolicy();
    await container.delete();
  });
});
