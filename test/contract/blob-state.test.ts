import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { test } from "node:test";
import { BlobSASPermissions, BlockBlobClient } from "@azure/storage-blob";
import { all, onEachEngine, readableUrl, refused } from "../kit/blob.ts";

onEachEngine("properties, tags, tiers, keys", (kit) => {
  test("metadata and HTTP headers are replaced as a whole, each with a new ETag", async () => {
    const container = await kit.container();
    const blob = container.getBlockBlobClient("m");
    const put = await blob.upload("x", 1, {
      metadata: { a: "1" },
      blobHTTPHeaders: { blobContentType: "text/plain" },
    });
    const meta = await blob.setMetadata({ B: "2" });
    assert.notEqual(meta.etag, put.etag);
    const read = await kit.raw({ path: `/${container.containerName}/m`, query: { comp: "metadata" } });
    assert.equal(read.headers["x-ms-meta-b"], "2");
    assert.equal(read.headers["x-ms-meta-a"], undefined);
    const set = await blob.setHTTPHeaders({
      blobCacheControl: "no-cache",
      blobContentMD5: Buffer.alloc(16, 7),
    });
    assert.notEqual(set.etag, meta.etag);
    const found = await blob.getProperties();
    assert.deepEqual(
      [found.etag, found.cacheControl, found.contentType, found.metadata],
      [set.etag, "no-cache", undefined, { b: "2" }],
    );
    const listed = await all(container.listBlobsFlat({ prefix: "m" }));
    assert.equal(listed[0]?.properties.contentType, "");
    const copy = container.getBlobClient("cleared");
    await (await copy.beginCopyFromURL(blob.url)).pollUntilDone();
    assert.equal((await copy.getProperties()).contentType, undefined);
    assert.equal((await copy.download()).contentType, undefined);
    assert.deepEqual(Buffer.from(found.contentMD5!), Buffer.alloc(16, 7));
    await blob.setMetadata();
    assert.deepEqual((await blob.getProperties()).metadata, {});
    for (const query of [
      { comp: "metadata" },
      { comp: "properties" },
      { comp: "snapshot" },
      { comp: "tier" },
    ]) {
      const none = await kit.raw({
        method: "PUT",
        path: `/${container.containerName}/none`,
        query,
        headers: { "x-ms-access-tier": "Hot" },
      });
      assert.deepEqual([none.status, none.code], [404, "BlobNotFound"], query.comp);
    }
  });

  test("tags are set, read and counted, and leave the ETag alone", async () => {
    const container = await kit.container();
    const blob = container.getBlockBlobClient("t");
    const put = await blob.upload("x", 1);
    const tags = { "key one": "a+b=c", "x:y/z._-": "", last: "v" };
    await blob.setTags(tags);
    assert.deepEqual((await blob.getTags()).tags, tags);
    const found = await blob.getProperties();
    assert.deepEqual([found.etag, found.tagCount], [put.etag, 3]);
    const [listed] = await all(container.listBlobsFlat({ includeTags: true }));
    assert.deepEqual(listed?.tags, tags);
    await blob.setTags({});
    assert.deepEqual((await blob.getTags()).tags, {});
    const path = `/${container.containerName}/t`;
    const set = (content: string) =>
      kit.raw({
        method: "PUT",
        path,
        query: { comp: "tags" },
        body: `<Tags><TagSet>${content}</TagSet></Tags>`,
      });
    const tag = (key: string, value: string) => `<Tag><Key>${key}</Key><Value>${value}</Value></Tag>`;
    const eleven = Array.from({ length: 11 }, (_, i) => [`k${i}`, "v"] as const);
    const wrong: [string, readonly (readonly [string, string])[]][] = [
      ["InvalidTags", [["a", "ü"]]],
      ["InvalidTags", [["a!", "x"]]],
      ["EmptyTagName", [["", "x"]]],
      [
        "DuplicateTagNames",
        [
          ["a", "1"],
          ["a", "2"],
        ],
      ],
      ["TagsTooLarge", [["k".repeat(129), "1"]]],
      ["TagsTooLarge", [["k", "v".repeat(257)]]],
      ["TagsTooLarge", eleven],
    ];
    for (const [code, pairs] of wrong) {
      const inBody = await set(pairs.map(([key, value]) => tag(key, value)).join(""));
      assert.deepEqual([inBody.status, inBody.code], [400, code], JSON.stringify(pairs));
      const text = pairs.map(([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(value)}`);
      const sent = { "x-ms-blob-type": "BlockBlob", "x-ms-tags": text.join("&") };
      const inHeader = await kit.raw({ method: "PUT", path, headers: sent, body: "x" });
      assert.deepEqual([inHeader.status, inHeader.code], [400, code], JSON.stringify(pairs));
    }
    assert.equal((await set("<Oops/>")).code, "UnsupportedXmlNode");
    const headers = { "x-ms-blob-type": "BlockBlob", "x-ms-tags": "a=%ZZ" };
    assert.equal((await kit.raw({ method: "PUT", path, headers, body: "x" })).code, "InvalidHeaderValue");
  });

  test("a tier is set at once, and the archive is left slowly", async () => {
    const container = await kit.container();
    const blob = container.getBlockBlobClient("tier");
    const put = await blob.upload("x", 1);
    for (const tier of ["Cool", "Cold", "Hot"]) {
      assert.equal((await blob.setAccessTier(tier))._response.status, 200);
      assert.equal((await blob.getProperties()).accessTier, tier);
    }
    await blob.setAccessTier("Archive");
    assert.equal((await blob.getProperties()).etag, put.etag);
    await assert.rejects(blob.download(), refused(409, "BlobArchived"));
    await assert.rejects(blob.setMetadata({ a: "1" }), refused(409, "BlobArchived"));
    await assert.rejects(blob.upload("y", 1), refused(409, "BlobArchived"));
    await assert.rejects(blob.createSnapshot(), refused(409, "BlobArchived"));
    assert.equal((await blob.setAccessTier("Cool", { rehydratePriority: "High" }))._response.status, 202);
    const going = await blob.getProperties();
    assert.deepEqual(
      [going.accessTier, going.archiveStatus, going.rehydratePriority],
      ["Archive", "rehydrate-pending-to-cool", "High"],
    );
    await assert.rejects(blob.setAccessTier("Hot"), refused(409, "BlobBeingRehydrated"));
    kit.server.clock.advance(1_000);
    const there = await blob.getProperties();
    assert.deepEqual([there.accessTier, there.archiveStatus], ["Cool", undefined]);
    assert.equal((await blob.downloadToBuffer()).toString(), "x");
    await assert.rejects(blob.setAccessTier("P10"), refused(400, "InvalidBlobTier"));
    const odd = await kit.raw({
      method: "PUT",
      path: `/${container.containerName}/tier`,
      query: { comp: "tier" },
      headers: { "x-ms-access-tier": "Tepid" },
    });
    assert.deepEqual([odd.status, odd.code], [400, "InvalidHeaderValue"]);
  });

  test("a blob past its expiry is not there, and is taken away", async () => {
    const container = await kit.container();
    const path = `/${container.containerName}/e`;
    const expire = (option: string, time?: string) =>
      kit.raw({
        method: "PUT",
        path,
        query: { comp: "expiry" },
        headers: {
          "x-ms-expiry-option": option,
          ...(time === undefined ? {} : { "x-ms-expiry-time": time }),
        },
      });
    await container.uploadBlockBlob("e", "x", 1);
    assert.equal((await expire("RelativeToNow", "5000")).status, 200);
    const head = await kit.raw({ method: "HEAD", path });
    assert.ok(head.headers["x-ms-expiry-time"]);
    assert.equal((await expire("Sometimes", "1")).code, "InvalidHeaderValue");
    assert.equal((await expire("RelativeToNow")).code, "MissingRequiredHeader");
    assert.equal((await expire("RelativeToNow", "soon")).code, "InvalidHeaderValue");
    assert.equal((await expire("NeverExpire")).status, 200);
    assert.equal((await kit.raw({ method: "HEAD", path })).headers["x-ms-expiry-time"], undefined);
    assert.equal((await expire("RelativeToCreation", "6000")).status, 200);
    const at = new Date(kit.server.clock.now() + 5_000).toUTCString();
    assert.equal((await expire("Absolute", at)).status, 200);
    const lease = await kit.raw({
      method: "PUT",
      path,
      query: { comp: "lease" },
      headers: { "x-ms-lease-action": "acquire", "x-ms-lease-duration": "-1" },
    });
    assert.equal(lease.status, 201);
    kit.server.clock.advance(5_001);
    assert.equal((await kit.raw({ path })).status, 404);
    assert.deepEqual(await all(container.listBlobsFlat()), []);
    await container.uploadBlockBlob("e", "new", 3);
    const { blobContext } = await import("../../src/services/blob/context.ts");
    const { blobJobs } = await import("../../src/services/blob/jobs.ts");
    for (const job of blobJobs(blobContext(kit.server.runtime.parts))) await job.run();
    assert.equal((await kit.raw({ path })).text, "new");
  });

  test("a blob written with a customer's key is read with that key only", async () => {
    const container = await kit.container();
    const path = `/${container.containerName}/cpk`;
    const keyOf = (seed: number) => {
      const key = Buffer.alloc(32, seed);
      return {
        "x-ms-encryption-key": key.toString("base64"),
        "x-ms-encryption-key-sha256": createHash("sha256").update(key).digest("base64"),
        "x-ms-encryption-algorithm": "AES256",
      };
    };
    const put = await kit.raw({
      method: "PUT",
      path,
      headers: { "x-ms-blob-type": "BlockBlob", ...keyOf(1) },
      body: "secret",
    });
    assert.equal(put.headers["x-ms-encryption-key-sha256"], keyOf(1)["x-ms-encryption-key-sha256"]);
    assert.equal((await kit.raw({ path })).code, "BlobUsesCustomerSpecifiedEncryption");
    assert.equal(
      (await kit.raw({ path, headers: keyOf(2) })).code,
      "BlobCustomerSpecifiedEncryptionMismatch",
    );
    assert.equal((await kit.raw({ path, headers: keyOf(1) })).text, "secret");
    const wrongHash = { ...keyOf(1), "x-ms-encryption-key-sha256": keyOf(2)["x-ms-encryption-key-sha256"] };
    assert.equal((await kit.raw({ path, headers: wrongHash })).code, "InvalidHeaderValue");
    assert.equal((await kit.raw({ method: "PUT", path, query: { comp: "snapshot" } })).status, 409);
    await container.uploadBlockBlob("plain", "x", 1);
    const other = await kit.raw({ path: `/${container.containerName}/plain`, headers: keyOf(1) });
    assert.equal(other.code, "BlobDoesNotUseCustomerSpecifiedEncryption");
    const block = { comp: "block", blockid: "AAAA" };
    const blocks = `/${container.containerName}/blocks`;
    await kit.raw({ method: "PUT", path: blocks, query: block, headers: keyOf(1), body: "b" });
    const list = (headers: Record<string, string>) =>
      kit.raw({
        method: "PUT",
        path: blocks,
        query: { comp: "blocklist" },
        headers,
        body: "<BlockList><Latest>AAAA</Latest></BlockList>",
      });
    assert.equal((await list({})).status, 409);
    assert.equal((await list(keyOf(1))).status, 201);
  });

  test("a container's encryption scope is given to its blobs, and may be insisted on", async () => {
    const name = kit.name();
    const create = { "x-ms-default-encryption-scope": "mine", "x-ms-deny-encryption-scope-override": "true" };
    await kit.raw({ method: "PUT", path: `/${name}`, query: { restype: "container" }, headers: create });
    const path = `/${name}/b`;
    const put = (headers: Record<string, string>) =>
      kit.raw({ method: "PUT", path, headers: { "x-ms-blob-type": "BlockBlob", ...headers }, body: "x" });
    assert.equal((await put({})).headers["x-ms-encryption-scope"], "mine");
    const other = await put({ "x-ms-encryption-scope": "yours" });
    assert.deepEqual([other.status, other.code], [403, "RequestForbiddenByContainerEncryptionPolicy"]);
    assert.equal((await kit.raw({ path })).headers["x-ms-encryption-scope"], "mine");
  });
});

onEachEngine("copies", (kit) => {
  test("a copy has the bytes, properties and blocks of its source, and its own lease and ETag", async () => {
    const container = await kit.container();
    const source = container.getBlockBlobClient("from");
    const body = randomBytes(80_000);
    await source.stageBlock("AAAA", body, body.length);
    await source.commitBlockList(["AAAA"], {
      metadata: { a: "1" },
      blobHTTPHeaders: { blobContentType: "a/b" },
    });
    const target = container.getBlockBlobClient("to");
    const poller = await target.beginCopyFromURL(source.url);
    const done = await poller.pollUntilDone();
    assert.equal(done.copyStatus, "success");
    assert.ok((await target.downloadToBuffer()).equals(body));
    const found = await target.getProperties();
    assert.deepEqual([found.metadata, found.contentType], [{ a: "1" }, "a/b"]);
    assert.equal(found.copySource, source.url);
    assert.equal(found.copyProgress, "80000/80000");
    assert.equal(found.copyId, done.copyId);
    assert.deepEqual(
      (await target.getBlockList("committed")).committedBlocks?.map(({ name }) => name),
      ["AAAA"],
    );
    await source.delete();
    assert.ok((await target.downloadToBuffer()).equals(body));
    await target.setMetadata({ b: "2" });
    assert.equal((await target.getProperties()).copyId, undefined);
  });

  test("a synchronous copy may bring tags or metadata of its own", async () => {
    const container = await kit.container();
    const source = container.getBlockBlobClient("from");
    await source.upload("text", 4, { metadata: { a: "1" }, tags: { t: "v" } });
    const target = container.getBlockBlobClient("to");
    const url = await readableUrl(kit, source);
    const copied = await target.syncCopyFromURL(url, { metadata: { own: "x" }, tags: { u: "w" } });
    assert.equal(copied.copyStatus, "success");
    assert.deepEqual((await target.getProperties()).metadata, { own: "x" });
    assert.deepEqual((await target.getTags()).tags, { u: "w" });
    await target.syncCopyFromURL(url, { copySourceTags: "COPY" });
    assert.deepEqual((await target.getTags()).tags, { t: "v" });
    await assert.rejects(
      target.syncCopyFromURL(url, { copySourceTags: "COPY", tags: { a: "b" } }),
      refused(400, "BothUserTagsAndSourceTagsCopyPresentException"),
    );
    const { snapshot } = await source.createSnapshot();
    await source.upload("changed", 7);
    await target.syncCopyFromURL(await readableUrl(kit, source.withSnapshot(snapshot!)));
    assert.equal((await target.downloadToBuffer()).toString(), "text");
  });

  test("conditions on the source and on the destination each have their code", async () => {
    const container = await kit.container();
    const source = container.getBlockBlobClient("from");
    const { etag, lastModified } = await source.upload("text", 4);
    const target = container.getBlockBlobClient("to");
    const copy = (options: Parameters<typeof target.beginCopyFromURL>[1]) =>
      target.beginCopyFromURL(source.url, options);
    await assert.rejects(
      copy({ sourceConditions: { ifMatch: '"0x1"' } }),
      refused(412, "SourceConditionNotMet"),
    );
    await assert.rejects(
      copy({ sourceConditions: { ifNoneMatch: etag! } }),
      refused(412, "SourceConditionNotMet"),
    );
    await assert.rejects(copy({ sourceConditions: { ifModifiedSince: lastModified! } }), refused(412));
    await assert.rejects(
      copy({ sourceConditions: { ifUnmodifiedSince: new Date(lastModified!.getTime() - 1_000) } }),
      refused(412),
    );
    await assert.rejects(copy({ conditions: { ifMatch: "*" } }), refused(412, "TargetConditionNotMet"));
    await copy({ sourceConditions: { ifMatch: etag! }, conditions: { ifNoneMatch: "*" } });
    await assert.rejects(copy({ conditions: { ifNoneMatch: "*" } }), refused(409, "BlobAlreadyExists"));
  });

  test("a leased destination is held without end or not copied to", async () => {
    const container = await kit.container();
    const source = container.getBlockBlobClient("from");
    await source.upload("text", 4);
    await source.getBlobLeaseClient().acquireLease(-1);
    const target = container.getBlockBlobClient("to");
    await target.upload("old", 3);
    const lease = target.getBlobLeaseClient();
    const { leaseId } = await lease.acquireLease(30);
    const conditions = { leaseId: leaseId! };
    await assert.rejects(target.beginCopyFromURL(source.url), refused(412, "LeaseIdMissing"));
    await assert.rejects(
      target.beginCopyFromURL(source.url, { conditions }),
      refused(412, "InfiniteLeaseDurationRequired"),
    );
    await lease.acquireLease(-1);
    await target.beginCopyFromURL(source.url, { conditions });
    assert.equal((await target.getProperties()).leaseState, "leased");
    assert.equal((await target.downloadToBuffer()).toString(), "text");
  });

  test("the right to read the source is asked for", async () => {
    const container = await kit.container();
    const source = container.getBlockBlobClient("from");
    await source.upload("text", 4);
    const expiresOn = new Date(kit.server.clock.now() + 60_000);
    const sas = (letters: string) => ({ permissions: BlobSASPermissions.parse(letters), expiresOn });
    const target = container.getBlockBlobClient("to");
    const writer = new BlockBlobClient(await target.generateSasUrl(sas("cw")));
    await assert.rejects(writer.syncCopyFromURL(source.url), refused(401, "CannotVerifyCopySource"));
    await assert.rejects(
      writer.syncCopyFromURL(await source.generateSasUrl(sas("d"))),
      refused(403, "CannotVerifyCopySource"),
    );
    await writer.syncCopyFromURL(await source.generateSasUrl(sas("r")));
    // What is left when its signature is taken out: clients compare it so with what they sent.
    const signed = new URL(await source.generateSasUrl(sas("r")));
    await target.syncCopyFromURL(String(signed));
    const { copySource } = await target.getProperties();
    assert.doesNotMatch(copySource!, /sig=/);
    signed.searchParams.delete("sig");
    assert.equal(copySource, String(signed));
    await assert.rejects(
      target.syncCopyFromURL(await readableUrl(kit, container.getBlobClient("missing"))),
      refused(404, "CannotVerifyCopySource"),
    );
    await assert.rejects(target.syncCopyFromURL("not an address"), refused(400, "InvalidHeaderValue"));
  });

  test("a source of the same account that the owner names and that is not there is said so", async () => {
    const container = await kit.container();
    const target = container.getBlockBlobClient("to");
    const missing = container.getBlobClient("missing");
    await assert.rejects(target.beginCopyFromURL(missing.url), refused(404, "BlobNotFound"));
    const nowhere = kit.service.getContainerClient("absent-one").getBlobClient("b");
    await assert.rejects(target.beginCopyFromURL(nowhere.url), refused(404, "ContainerNotFound"));
    // A source that is read by its address is a resource elsewhere, wherever it is.
    await assert.rejects(
      target.beginCopyFromURL(await readableUrl(kit, missing)),
      refused(404, "CannotVerifyCopySource"),
    );
    await assert.rejects(target.syncCopyFromURL(missing.url), refused(404, "CannotVerifyCopySource"));
  });

  test("there is nothing to abort when the copy is done", async () => {
    const container = await kit.container();
    const source = container.getBlockBlobClient("from");
    await source.upload("text", 4);
    const target = container.getBlockBlobClient("to");
    const { copyId } = await (await target.beginCopyFromURL(source.url)).pollUntilDone();
    await assert.rejects(target.abortCopyFromURL(copyId!), refused(409, "NoPendingCopyOperation"));
    const none = await kit.raw({
      method: "PUT",
      path: `/${container.containerName}/to`,
      query: { comp: "copy" },
      headers: { "x-ms-copy-action": "abort" },
    });
    assert.deepEqual([none.status, none.code], [400, "MissingRequiredQueryParameter"]);
  });
});
