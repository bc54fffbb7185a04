import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { all, onEachEngine, refused } from "../kit/blob.ts";

const DAY = 86_400_000;

onEachEngine("snapshots and soft delete", (kit) => {
  test("a snapshot keeps what the blob was, and changes nothing of the blob", async () => {
    const container = await kit.container();
    const blob = container.getBlockBlobClient("s");
    const body = randomBytes(100_000);
    const put = await blob.upload(body, body.length, { metadata: { a: "1" }, tags: { t: "v" } });
    const created = await blob.createSnapshot();
    assert.equal(created.etag, put.etag);
    assert.match(created.snapshot!, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z$/);
    const own = await blob.createSnapshot({ metadata: { b: "2" } });
    assert.notEqual(own.etag, put.etag);
    assert.equal((await blob.getProperties()).etag, put.etag);
    await blob.upload("new", 3);
    const old = blob.withSnapshot(created.snapshot!);
    assert.ok((await old.downloadToBuffer()).equals(body));
    const found = await old.getProperties();
    assert.deepEqual([found.etag, found.metadata, found.tagCount], [put.etag, { a: "1" }, 1]);
    assert.equal(found.leaseState, undefined);
    assert.deepEqual((await blob.withSnapshot(own.snapshot!).getProperties()).metadata, { b: "2" });
    const listed = await all(container.listBlobsFlat({ includeSnapshots: true }));
    assert.deepEqual(
      listed.map(({ name, snapshot }) => [name, snapshot]),
      [
        ["s", created.snapshot],
        ["s", own.snapshot],
        ["s", undefined],
      ],
    );
    assert.equal((await all(container.listBlobsFlat())).length, 1);
  });

  test("a snapshot cannot be written, leased or have snapshots", async () => {
    const container = await kit.container();
    const blob = container.getBlockBlobClient("s");
    await blob.upload("x", 1);
    const { snapshot } = await blob.createSnapshot();
    const path = `/${container.containerName}/s`;
    for (const query of [
      {},
      { comp: "metadata" },
      { comp: "properties" },
      { comp: "snapshot" },
      { comp: "lease" },
      { comp: "block", blockid: "AAAA" },
      { comp: "blocklist" },
    ]) {
      const headers = {
        "x-ms-blob-type": "BlockBlob",
        "x-ms-lease-action": "acquire",
        "x-ms-lease-duration": "-1",
      };
      const reply = await kit.raw({
        method: "PUT",
        path,
        query: { ...query, snapshot: snapshot! },
        headers,
        ...("comp" in query && query.comp !== "block" && query.comp !== "blocklist"
          ? {}
          : { body: "<BlockList/>" }),
      });
      const code =
        "comp" in query && query.comp === "snapshot" ? "InvalidQueryParameterValue" : "InvalidOperation";
      assert.deepEqual([reply.status, reply.code], [400, code], JSON.stringify(query));
    }
    const bad = await kit.raw({ path, query: { snapshot: "yesterday" } });
    assert.equal(bad.code, "InvalidQueryParameterValue");
    await assert.rejects(blob.withSnapshot("2020-01-01T00:00:00.0000000Z").download(), refused(404));
  });

  test("a blob with snapshots is deleted with them, or only they are", async () => {
    const container = await kit.container();
    const blob = container.getBlockBlobClient("s");
    await blob.upload("x", 1);
    const { snapshot } = await blob.createSnapshot();
    await blob.createSnapshot();
    await assert.rejects(blob.delete(), refused(409, "SnapshotsPresent"));
    await blob.withSnapshot(snapshot!).delete();
    await assert.rejects(blob.withSnapshot(snapshot!).getProperties(), refused(404));
    await assert.rejects(blob.delete(), refused(409, "SnapshotsPresent"));
    await blob.delete({ deleteSnapshots: "only" });
    assert.equal((await all(container.listBlobsFlat({ includeSnapshots: true }))).length, 1);
    await blob.createSnapshot();
    await blob.delete({ deleteSnapshots: "include" });
    assert.deepEqual(await all(container.listBlobsFlat({ includeSnapshots: true })), []);
    const odd = await kit.raw({
      method: "DELETE",
      path: `/${container.containerName}/s`,
      headers: { "x-ms-delete-snapshots": "some" },
    });
    assert.equal(odd.code, "InvalidHeaderValue");
  });

  test("a soft-deleted blob is listed on request, comes back whole, and goes when its time is up", async () => {
    const container = await kit.container();
    const blob = container.getBlockBlobClient("soft");
    const body = randomBytes(50_000);
    await blob.upload(body, body.length, { metadata: { a: "1" } });
    const { snapshot } = await blob.createSnapshot();
    await kit.service.setProperties({ deleteRetentionPolicy: { enabled: true, days: 7 } });
    try {
      const deleted = await blob.delete({ deleteSnapshots: "include" });
      assert.equal(deleted._response.headers.get("x-ms-delete-type-permanent"), "false");
      await assert.rejects(blob.getProperties(), refused(404));
      assert.deepEqual(await all(container.listBlobsFlat()), []);
      const listed = await all(container.listBlobsFlat({ includeDeleted: true, includeSnapshots: true }));
      assert.deepEqual(
        listed.map((item) => [item.name, item.deleted, item.snapshot]),
        [
          ["soft", true, snapshot],
          ["soft", true, undefined],
        ],
      );
      assert.equal(listed[1]?.properties.remainingRetentionDays, 7);
      await blob.undelete();
      assert.ok((await blob.downloadToBuffer()).equals(body));
      assert.ok((await blob.withSnapshot(snapshot!).downloadToBuffer()).equals(body));
      await blob.undelete();

      // What is overwritten becomes a snapshot that was deleted.
      await blob.upload("over", 4);
      const states = await all(container.listBlobsFlat({ includeDeleted: true, includeSnapshots: true }));
      assert.deepEqual(
        states.map((item) => item.deleted === true),
        [false, true, false],
      );
      await blob.undelete();
      const back = await all(container.listBlobsFlat({ includeSnapshots: true }));
      assert.equal(back.length, 3);
      assert.ok((await blob.withSnapshot(back[1]!.snapshot!).downloadToBuffer()).equals(body));
      await blob.delete({ deleteSnapshots: "include" });

      const { clock, runtime } = kit.server;
      const now = clock.now();
      const { blobContext } = await import("../../src/services/blob/context.ts");
      const { blobJobs } = await import("../../src/services/blob/jobs.ts");
      const jobs = blobJobs(blobContext(runtime.parts));
      clock.advance(7 * DAY + 1);
      const late = await kit.raw({
        method: "PUT",
        path: `/${container.containerName}/soft`,
        query: { comp: "undelete" },
      });
      assert.equal(late.status, 200);
      assert.equal((await kit.raw({ path: `/${container.containerName}/soft` })).status, 404);
      for (const job of jobs) while ((await job.run()) === "more");
      const gone = await kit.raw({
        method: "PUT",
        path: `/${container.containerName}/soft`,
        query: { comp: "undelete" },
      });
      assert.deepEqual([gone.status, gone.code], [404, "BlobNotFound"]);
      clock.set(now);
    } finally {
      await kit.service.setProperties({ deleteRetentionPolicy: { enabled: false } });
    }
  });

  test("permanent deletion is for what was deleted softly, where the account allows it", async () => {
    const container = await kit.container();
    const blob = container.getBlockBlobClient("p");
    await blob.upload("x", 1);
    const { snapshot } = await blob.createSnapshot();
    const path = `/${container.containerName}/p`;
    const purge = () =>
      kit.raw({ method: "DELETE", path, query: { snapshot: snapshot!, deletetype: "permanent" } });
    assert.equal((await purge()).status, 409);
    const rule = (allows: boolean) =>
      kit.raw({
        method: "PUT",
        query: { restype: "service", comp: "properties" },
        body: `<StorageServiceProperties><DeleteRetentionPolicy><Enabled>true</Enabled><Days>1</Days><AllowPermanentDelete>${allows}</AllowPermanentDelete></DeleteRetentionPolicy></StorageServiceProperties>`,
      });
    await rule(true);
    await blob.withSnapshot(snapshot!).delete();
    await rule(false);
    assert.equal((await purge()).status, 409);
    await rule(true);
    assert.equal((await purge()).status, 202);
    assert.equal((await purge()).status, 404);
    await kit.service.setProperties({ deleteRetentionPolicy: { enabled: false } });
  });
});

onEachEngine(
  "versions",
  (kit) => {
    test("every write leaves the version before it", async () => {
      const container = await kit.container();
      const blob = container.getBlockBlobClient("v");
      const one = await blob.upload("one", 3, { metadata: { n: "1" } });
      const two = await blob.upload("two", 3);
      const three = await blob.setMetadata({ n: "3" });
      assert.ok(one.versionId && two.versionId && three.versionId);
      assert.equal(new Set([one.versionId, two.versionId, three.versionId]).size, 3);
      const read = async (version: string) => (await blob.withVersion(version).downloadToBuffer()).toString();
      assert.equal(await read(one.versionId), "one");
      assert.equal(await read(two.versionId), "two");
      assert.equal(await read(three.versionId), "two");
      const current = await blob.getProperties();
      assert.deepEqual([current.versionId, current.isCurrentVersion], [three.versionId, true]);
      const old = await blob.withVersion(one.versionId).getProperties();
      assert.deepEqual(
        [old.versionId, old.isCurrentVersion, old.metadata],
        [one.versionId, undefined, { n: "1" }],
      );
      assert.equal((await all(container.listBlobsFlat())).length, 1);
      const listed = await all(container.listBlobsFlat({ includeVersions: true }));
      assert.deepEqual(
        listed.map(({ versionId, isCurrentVersion }) => [versionId, isCurrentVersion]),
        [
          [one.versionId, undefined],
          [two.versionId, undefined],
          [three.versionId, true],
        ],
      );
    });

    test("deleting the blob makes a version of it; deleting a version is for good", async () => {
      const container = await kit.container();
      const blob = container.getBlockBlobClient("v");
      const one = await blob.upload("one", 3);
      await blob.delete();
      await assert.rejects(blob.download(), refused(404));
      assert.equal((await blob.withVersion(one.versionId!).downloadToBuffer()).toString(), "one");
      const orphans = await all(container.listBlobsFlat({ includeDeletedWithVersions: true }));
      assert.deepEqual(
        orphans.map(({ name, hasVersionsOnly }) => [name, hasVersionsOnly]),
        [["v", true]],
      );
      const two = await blob.upload("two", 3);
      assert.deepEqual(
        (await all(container.listBlobsFlat({ includeDeletedWithVersions: true }))).map(
          (i) => i.hasVersionsOnly,
        ),
        [undefined],
      );
      await blob.withVersion(one.versionId!).delete();
      await assert.rejects(blob.withVersion(one.versionId!).download(), refused(404));
      assert.equal((await blob.downloadToBuffer()).toString(), "two");
      assert.ok(two.versionId);
    });

    test("the current version is deleted by the name of the blob, not by its own id", async () => {
      const container = await kit.container();
      const blob = container.getBlockBlobClient("v");
      const one = await blob.upload("one", 3);
      const current = blob.withVersion(one.versionId!);
      await assert.rejects(current.delete(), refused(403, "OperationNotAllowedOnRootBlob"));
      const purge = {
        method: "DELETE",
        path: `/${container.containerName}/v`,
        query: { versionid: one.versionId!, deletetype: "permanent" },
      };
      assert.equal((await kit.raw(purge)).code, "OperationNotAllowedOnRootBlob");
      assert.equal((await blob.downloadToBuffer()).toString(), "one");
      await blob.delete();
      await current.delete();
      await assert.rejects(current.download(), refused(404));
    });

    test("properties of block blobs are versioned, those of page and append blobs are not", async () => {
      const container = await kit.container();
      const block = container.getBlockBlobClient("block");
      const append = container.getAppendBlobClient("append");
      const page = container.getPageBlobClient("page");
      await block.upload("x", 1);
      await append.create();
      await page.create(512);
      for (const blob of [append, block, page]) {
        await blob.setHTTPHeaders({ blobContentType: "a/b" });
        assert.equal((await blob.getProperties()).contentType, "a/b");
      }
      await append.setMetadata({ a: "b" });
      const listed = await all(container.listBlobsFlat({ includeVersions: true }));
      assert.deepEqual(
        listed.map(({ name, isCurrentVersion }) => [name, isCurrentVersion]),
        [
          ["append", undefined],
          ["append", true],
          ["block", undefined],
          ["block", true],
          ["page", true],
        ],
      );
    });

    test("leases and tags make no version, a snapshot makes one", async () => {
      const container = await kit.container();
      const blob = container.getBlockBlobClient("v");
      const put = await blob.upload("one", 3);
      await blob.setTags({ a: "b" });
      const lease = blob.getBlobLeaseClient();
      await lease.acquireLease(15);
      await lease.releaseLease();
      assert.equal((await blob.getProperties()).versionId, put.versionId);
      const created = await blob.createSnapshot();
      assert.notEqual(created.versionId, put.versionId);
      assert.equal((await blob.getProperties()).versionId, created.versionId);
      await blob.withVersion(put.versionId!).setTags({ c: "d" });
      assert.deepEqual((await blob.withVersion(put.versionId!).getTags()).tags, { c: "d" });
    });

    test("Find Blobs by Tags shows versions to those who ask for them, page by page", async () => {
      const container = await kit.container();
      const blob = container.getBlockBlobClient("v");
      const first = await blob.upload("one", 3, { tags: { kind: "old" } });
      const second = await blob.upload("two", 3, { tags: { kind: "old" } });
      const third = await blob.upload("three", 5, { tags: { kind: "new" } });
      await container.getBlockBlobClient("w").upload("w", 1, { tags: { kind: "old" } });
      const find = async (
        where: string,
        more: Record<string, string> = {},
        path = `/${container.containerName}`,
      ) => {
        const inContainer: Record<string, string> = path === "" ? {} : { restype: "container" };
        const query = { ...inContainer, comp: "blobs", where, ...more };
        const { status, text } = await kit.raw({ path, query });
        assert.equal(status, 200, text);
        return text;
      };
      const versionsIn = (text: string) =>
        [...text.matchAll(/<VersionId>(.*?)<\/VersionId>/g)].map((m) => m[1]);
      const namesIn = (text: string) => [...text.matchAll(/<Name>(.*?)<\/Name>/g)].map((m) => m[1]);
      const plain = await find("kind = 'old'");
      assert.deepEqual([namesIn(plain), versionsIn(plain)], [["w"], []]);
      const versions = { include: "versions" };
      for (const path of [`/${container.containerName}`, ""]) {
        const where =
          path === "" ? `@container = '${container.containerName}' AND kind = 'old'` : "kind = 'old'";
        const found = await find(where, versions, path);
        assert.deepEqual(namesIn(found), ["w", "v", "v"]);
        assert.deepEqual(versionsIn(found).slice(1), [first.versionId, second.versionId]);
        assert.equal(found.match(/<IsCurrentVersion>true</g)?.length, 1);
      }
      const pages: (string | undefined)[] = [];
      let marker = "";
      do {
        const page = await find("kind >= 'a'", {
          ...versions,
          maxresults: "1",
          ...(marker === "" ? {} : { marker }),
        });
        pages.push(...versionsIn(page).slice(0, 1));
        marker = /<NextMarker>(.+)<\/NextMarker>/.exec(page)?.[1] ?? "";
      } while (marker !== "");
      assert.deepEqual([pages.length, new Set(pages).size, pages.includes(third.versionId)], [4, 4, true]);
      await blob.withVersion(first.versionId!).setTags({ kind: "other" });
      await blob.withVersion(second.versionId!).delete();
      assert.deepEqual(namesIn(await find("kind = 'old'", versions)), ["w"]);
      assert.deepEqual(versionsIn(await find("kind = 'other'", versions)), [first.versionId]);
      await blob.delete();
      assert.deepEqual(versionsIn(await find("kind = 'new'", versions)), [third.versionId]);
      assert.deepEqual(namesIn(await find("kind = 'new'")), []);
    });
  },
  ["--blobVersioning"],
);
