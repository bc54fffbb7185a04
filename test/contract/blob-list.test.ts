import assert from "node:assert/strict";
import { test } from "node:test";
import { all, onEachEngine } from "../kit/blob.ts";

onEachEngine("listing blobs", (kit) => {
  const NAMES = ["A/1", "a", "a/b", "a/b/c", "a/b/d", "a/e", "a0", "b/", "b//c", "z"];

  async function filled() {
    const container = await kit.container();
    for (const name of NAMES) await container.uploadBlockBlob(name, name, name.length);
    return container;
  }

  test("flat: in the order of bytes, by prefix, page by page", async () => {
    const container = await filled();
    const names = async (prefix?: string) =>
      (await all(container.listBlobsFlat(prefix === undefined ? {} : { prefix }))).map(({ name }) => name);
    assert.deepEqual(await names(), NAMES);
    assert.deepEqual(await names("a/"), ["a/b", "a/b/c", "a/b/d", "a/e"]);
    assert.deepEqual(await names("nothing"), []);
    for (let size = 1; size <= NAMES.length + 1; size++) {
      const pages: string[][] = [];
      for await (const page of container.listBlobsFlat().byPage({ maxPageSize: size })) {
        pages.push(page.segment.blobItems.map(({ name }) => name));
      }
      assert.deepEqual(pages.flat(), NAMES);
      assert.ok(pages.slice(0, -1).every((page) => page.length === size));
    }
  });

  test("by hierarchy: folders and blobs in one order, whatever the size of the page", async () => {
    const container = await filled();
    const walk = async (prefix: string, size: number, delimiter = "/") => {
      const found: string[] = [];
      const pages = container.listBlobsByHierarchy(delimiter, { prefix }).byPage({ maxPageSize: size });
      for await (const { segment } of pages) {
        const items = [
          ...(segment.blobPrefixes ?? []).map(({ name }) => `${name}*`),
          ...segment.blobItems.map(({ name }) => name),
        ];
        assert.ok(items.length <= size);
        found.push(...items.sort());
      }
      return found;
    };
    for (const size of [1, 2, 3, 5_000]) {
      assert.deepEqual((await walk("", size)).sort(), ["A/*", "a", "a/*", "a0", "b/*", "z"], `size ${size}`);
      assert.deepEqual((await walk("a/", size)).sort(), ["a/b", "a/b/*", "a/e"]);
      assert.deepEqual((await walk("b/", size)).sort(), ["b/", "b//*"]);
      assert.deepEqual((await walk("a", size, "/b")).sort(), ["a", "a/b*", "a/e", "a0"]);
    }
    const text = (
      await kit.raw({
        path: `/${container.containerName}`,
        query: { restype: "container", comp: "list", delimiter: "/" },
      })
    ).text;
    assert.deepEqual(
      [...text.matchAll(/<Name>([^<]*)</g)].map(([, name]) => name),
      ["A/", "a", "a/", "a0", "b/", "z"],
    );
    assert.match(text, /<Delimiter>\/<\/Delimiter>/);
    assert.match(text, /<NextMarker \/><\/EnumerationResults>$/);
  });

  test("a folder of many costs no more than a folder of one", async () => {
    const container = await kit.container();
    const put = (name: string) => container.uploadBlockBlob(name, "", 0);
    const many = Array.from({ length: 300 }, (_, i) => `big/${i}`);
    for (let i = 0; i < many.length; i += 50) await Promise.all(many.slice(i, i + 50).map(put));
    await put("after");
    await put("zz/1");
    const [page] = await all(container.listBlobsByHierarchy("/").byPage());
    assert.deepEqual(
      page!.segment.blobPrefixes?.map(({ name }) => name),
      ["big/", "zz/"],
    );
    assert.deepEqual(
      page!.segment.blobItems.map(({ name }) => name),
      ["after"],
    );
  });

  test("an entry reports what its blob's headers report", async () => {
    const container = await kit.container();
    const blob = container.getBlockBlobClient("entry");
    await blob.upload("text", 4, {
      metadata: { one: "1" },
      tags: { t: "v" },
      tier: "Cool",
      blobHTTPHeaders: {
        blobContentType: "text/plain",
        blobContentLanguage: "de",
        blobCacheControl: "no-store",
      },
    });
    await blob.getBlobLeaseClient().acquireLease(-1);
    const found = await blob.getProperties();
    const [plain] = await all(container.listBlobsFlat());
    const [full] = await all(
      container.listBlobsFlat({ includeMetadata: true, includeTags: true, includeCopy: true }),
    );
    assert.deepEqual([plain?.metadata, plain?.tags], [undefined, undefined]);
    assert.deepEqual([full?.metadata, full?.tags], [{ one: "1" }, { t: "v" }]);
    const { properties } = full!;
    assert.equal(`"${properties.etag}"`, found.etag);
    assert.deepEqual(properties.lastModified, found.lastModified);
    assert.deepEqual(properties.createdOn, found.createdOn);
    assert.equal(properties.contentLength, 4);
    assert.deepEqual(properties.contentMD5, found.contentMD5);
    assert.deepEqual(
      [properties.contentType, properties.contentLanguage, properties.cacheControl, properties.blobType],
      ["text/plain", "de", "no-store", "BlockBlob"],
    );
    assert.deepEqual(
      [properties.accessTier, properties.leaseState, properties.leaseStatus, properties.leaseDuration],
      ["Cool", "leased", "locked", "infinite"],
    );
    assert.equal(properties.tagCount, 1);
    assert.equal(properties.serverEncrypted, true);
  });

  test("what is asked for is echoed, what cannot be is refused", async () => {
    const container = await filled();
    const list = (query: Record<string, string>) =>
      kit.raw({
        path: `/${container.containerName}`,
        query: { restype: "container", comp: "list", ...query },
      });
    const text = (await list({ prefix: "a", maxresults: "2" })).text;
    assert.match(
      text,
      /^\ufeff<\?xml version="1.0" encoding="utf-8"\?><EnumerationResults ServiceEndpoint="[^"]+" ContainerName="[^"]+"><Prefix>a<\/Prefix><MaxResults>2<\/MaxResults><Blobs>/,
    );
    const marker = /<NextMarker>([^<]+)</.exec(text)?.[1];
    assert.match((await list({ marker: marker! })).text, /<Marker>/);
    assert.equal((await list({ marker: "nonsense" })).status, 400);
    assert.equal((await list({ maxresults: "0" })).code, "OutOfRangeQueryParameterValue");
    assert.equal((await list({ maxresults: "x" })).code, "InvalidQueryParameterValue");
    assert.equal((await list({ include: "secrets" })).code, "InvalidQueryParameterValue");
    assert.equal((await list({ delimiter: "/", include: "snapshots" })).status, 400);
    assert.equal((await list({ include: "METADATA,Tags" })).status, 200);
    const other = await kit.container();
    const foreign = await kit.raw({
      path: `/${other.containerName}`,
      query: { restype: "container", comp: "list", marker: marker! },
    });
    assert.equal(foreign.status, 400);
    const none = await kit.raw({ path: `/${kit.name()}`, query: { restype: "container", comp: "list" } });
    assert.equal(none.code, "ContainerNotFound");
  });

  test("snapshots page with their blobs, oldest first", async () => {
    const container = await kit.container();
    const expected: string[] = [];
    for (const name of ["x", "y"]) {
      const blob = container.getBlockBlobClient(name);
      await blob.upload(name, 1);
      for (let i = 0; i < 3; i++) expected.push(`${name} ${(await blob.createSnapshot()).snapshot}`);
      expected.push(`${name} now`);
    }
    for (const size of [1, 2, 3, 100]) {
      const found: string[] = [];
      for await (const page of container
        .listBlobsFlat({ includeSnapshots: true })
        .byPage({ maxPageSize: size })) {
        found.push(...page.segment.blobItems.map(({ name, snapshot }) => `${name} ${snapshot ?? "now"}`));
      }
      assert.deepEqual(found, expected, `size ${size}`);
    }
  });

  test("the contents of a deleted container are reclaimed", async () => {
    const container = await kit.container();
    const bytes = Buffer.alloc(200_000, 1);
    for (let i = 0; i < 5; i++) {
      const blob = container.getBlockBlobClient(`b${i}`);
      await blob.stageBlock("AAAA", bytes, bytes.length);
      await blob.commitBlockList(["AAAA"]);
      await blob.createSnapshot();
      await blob.stageBlock("BBBB", bytes, bytes.length);
    }
    const { store } = kit.server.runtime.parts;
    const count = () =>
      store.read(async (read) => {
        let records = 0;
        for (const family of ["bb", "bp", "bo", "bl", "bu", "bx", "bg", "xs"]) {
          for await (const _ of read.range({ from: `${family}\0`, to: `${family}\x01` })) records++;
        }
        return records;
      });
    const { blobContext } = await import("../../src/services/blob/context.ts");
    const { blobJobs } = await import("../../src/services/blob/jobs.ts");
    const [garbage] = blobJobs(blobContext(kit.server.runtime.parts));
    while ((await garbage!.run()) === "more");
    const before = await count();
    await container.delete();
    while ((await garbage!.run()) === "more");
    // 5 blobs, 5 snapshots, 5 contents with a page each, 5 stagings with a block each, 10 slices.
    assert.equal(before - (await count()), 5 + 5 + 5 + 5 + 5 + 5 + 10);
  });
});
