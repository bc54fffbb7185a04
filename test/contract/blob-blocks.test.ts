import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { all, onEachEngine, refused } from "../kit/blob.ts";

const id = (number: number): string => Buffer.from(String(number).padStart(6, "0")).toString("base64");

onEachEngine("blocks", (kit) => {
  test("blocks become a blob in the order of the list", async () => {
    const container = await kit.container();
    const blob = container.getBlockBlobClient("made");
    const parts = [randomBytes(100), randomBytes(300_000), randomBytes(5), randomBytes(70_000)];
    for (const [i, part] of parts.entries()) await blob.stageBlock(id(i), part, part.length);
    await assert.rejects(blob.getProperties(), refused(404));
    assert.deepEqual(await all(container.listBlobsFlat()), []);
    const [waiting] = await all(container.listBlobsFlat({ includeUncommitedBlobs: true }));
    assert.deepEqual([waiting?.name, waiting?.properties.contentLength], ["made", 0]);
    const staged = await blob.getBlockList("all");
    assert.deepEqual(staged.committedBlocks ?? [], []);
    assert.deepEqual(
      staged.uncommittedBlocks?.map(({ name, size }) => [name, size]),
      parts.map((part, i) => [id(i), part.length]),
    );
    assert.equal(staged.etag, undefined);

    const order = [2, 0, 3, 1, 0];
    const put = await blob.commitBlockList(order.map(id), { metadata: { a: "1" } });
    const whole = Buffer.concat(order.map((i) => parts[i]!));
    assert.ok((await blob.downloadToBuffer()).equals(whole));
    for (const from of [0, 4, 5, 100, 105, 70_104, 70_105, 300_000]) {
      const part = await blob.downloadToBuffer(from, 150);
      assert.ok(part.equals(whole.subarray(from, from + 150)), `from ${from}`);
    }
    const listed = await blob.getBlockList("all");
    assert.equal(listed.etag, put.etag);
    assert.equal(listed.blobContentLength, whole.length);
    assert.deepEqual(
      listed.committedBlocks?.map(({ name }) => name),
      order.map(id),
    );
    assert.deepEqual(listed.uncommittedBlocks ?? [], []);
    assert.equal((await blob.getProperties()).contentMD5, undefined);
  });

  test("committed, uncommitted and latest mean what they say", async () => {
    const container = await kit.container();
    const blob = container.getBlockBlobClient("mixed");
    await blob.stageBlock(id(1), "old", 3);
    await blob.stageBlock(id(2), "two", 3);
    await blob.commitBlockList([id(1), id(2)]);
    await blob.stageBlock(id(1), "new", 3);
    const path = `/${container.containerName}/mixed`;
    const commit = (body: string) =>
      kit.raw({ method: "PUT", path, query: { comp: "blocklist" }, body: `<BlockList>${body}</BlockList>` });
    const text = async () => (await blob.downloadToBuffer()).toString();
    assert.equal((await commit(`<Uncommitted>${id(2)}</Uncommitted>`)).code, "InvalidBlockList");
    const twice = `<Committed>${id(1)}</Committed><Uncommitted>${id(1)}</Uncommitted>`;
    assert.equal((await commit(twice)).code, "InvalidBlockList");
    assert.equal(await text(), "oldtwo");
    assert.equal((await commit(`<Committed>${id(2)}</Committed><Latest>${id(1)}</Latest>`)).status, 201);
    assert.equal(await text(), "twonew");
    assert.equal((await commit(`<Latest>${id(1)}</Latest><Latest>${id(2)}</Latest>`)).status, 201);
    assert.equal(await text(), "newtwo");
    // The uncommitted one was used; there is none any more.
    assert.equal((await commit(`<Uncommitted>${id(1)}</Uncommitted>`)).code, "InvalidBlockList");
    assert.equal((await commit("")).status, 201);
    assert.equal(await text(), "");
    assert.equal((await commit(`<Committed>${id(1)}</Committed>`)).code, "InvalidBlockList");
  });

  test("a block put twice counts as it was put last", async () => {
    const container = await kit.container();
    const blob = container.getBlockBlobClient("again");
    const long = randomBytes(50_000);
    await blob.stageBlock(id(1), long, long.length);
    await blob.stageBlock(id(1), "short", 5);
    assert.equal((await blob.getBlockList("uncommitted")).uncommittedBlocks?.[0]?.size, 5);
    await blob.commitBlockList([id(1)]);
    assert.equal((await blob.downloadToBuffer()).toString(), "short");
  });

  test("Put Block leaves the ETag alone, Put Blob forgets the blocks", async () => {
    const container = await kit.container();
    const blob = container.getBlockBlobClient("etag");
    const put = await blob.upload("first", 5);
    const staged = await blob.stageBlock(id(1), "x", 1);
    assert.equal((staged as { etag?: string }).etag, undefined);
    assert.equal(staged.xMsContentCrc64?.length, 8);
    assert.equal((await blob.getProperties()).etag, put.etag);
    await blob.upload("second", 6);
    await assert.rejects(blob.commitBlockList([id(1)]), refused(400, "InvalidBlockList"));
  });

  test("ids are Base64 of up to 64 bytes, all of one length", async () => {
    const container = await kit.container();
    const path = `/${container.containerName}/ids`;
    const put = (blockid: string) =>
      kit.raw({ method: "PUT", path, query: { comp: "block", blockid }, body: "x" });
    assert.equal((await put("not base64!")).code, "InvalidQueryParameterValue");
    assert.equal((await put("")).status, 400);
    for (const bytes of [65, 66, 300]) {
      const long = await put(Buffer.alloc(bytes).toString("base64"));
      assert.deepEqual([long.status, long.code], [400, "OutOfRangeInput"], String(bytes));
    }
    const none = await kit.raw({ method: "PUT", path, query: { comp: "block" }, body: "x" });
    assert.equal(none.code, "MissingRequiredQueryParameter");
    assert.equal((await put(Buffer.alloc(64).toString("base64"))).status, 201);
    const shorter = await put(Buffer.alloc(63).toString("base64"));
    assert.deepEqual([shorter.status, shorter.code], [400, "InvalidBlobOrBlock"]);
    const empty = await kit.raw({
      method: "PUT",
      path,
      query: { comp: "block", blockid: Buffer.alloc(64, 1).toString("base64") },
    });
    assert.equal(empty.status, 400);
  });

  test("a list that is too long, not XML or not a list is refused", async () => {
    const container = await kit.container();
    const path = `/${container.containerName}/lists`;
    const put = (body: string) => kit.raw({ method: "PUT", path, query: { comp: "blocklist" }, body });
    const many = `<BlockList>${`<Latest>${id(1)}</Latest>`.repeat(50_001)}</BlockList>`;
    assert.deepEqual(await put(many).then(({ status, code }) => [status, code]), [400, "BlockListTooLong"]);
    assert.equal((await put("<BlockList><Latest>")).code, "InvalidXmlDocument");
    assert.equal((await put("<Blocks/>")).code, "InvalidXmlDocument");
    assert.equal((await put("<BlockList><Newest>AAAA</Newest></BlockList>")).code, "UnsupportedXmlNode");
    assert.equal((await put("<BlockList><Latest>?</Latest></BlockList>")).code, "InvalidBlockId");
    assert.equal((await put("<!DOCTYPE x><BlockList/>")).code, "InvalidXmlDocument");
    assert.equal((await put(`<BlockList><Latest>${id(1)}</Latest></BlockList>`)).code, "InvalidBlockList");
    assert.equal((await kit.raw({ path })).status, 404);
  });

  test("uncommitted blocks go a week after the last of them", async () => {
    const container = await kit.container();
    const { clock, runtime, server } = kit.server;
    assert.ok(server);
    const lone = container.getBlockBlobClient("lone");
    const kept = container.getBlockBlobClient("kept");
    await kept.upload("here", 4);
    const big = randomBytes(100_000);
    await lone.stageBlock(id(1), big, big.length);
    await kept.stageBlock(id(1), big, big.length);
    const start = clock.now();
    const { blobContext } = await import("../../src/services/blob/context.ts");
    const { blobJobs } = await import("../../src/services/blob/jobs.ts");
    const [garbage, due] = blobJobs(blobContext(runtime.parts));
    const work = async (): Promise<void> => {
      while ((await due!.run()) === "more");
      while ((await garbage!.run()) === "more");
    };
    clock.advance(6 * 86_400_000);
    await work();
    const names = async () => {
      const reply = await kit.raw({
        path: `/${container.containerName}`,
        query: { restype: "container", comp: "list", include: "uncommittedblobs" },
      });
      return [...reply.text.matchAll(/<Name>([^<]+)</g)].map(([, name]) => name);
    };
    assert.deepEqual(await names(), ["kept", "lone"]);
    await kit.raw({
      method: "PUT",
      path: `/${container.containerName}/lone`,
      query: { comp: "block", blockid: id(2) },
      body: "more",
    });
    clock.advance(86_400_000);
    await work();
    assert.deepEqual(await names(), ["kept", "lone"]);
    clock.advance(6 * 86_400_000 + 1);
    await work();
    assert.deepEqual(await names(), ["kept"]);
    const list = await kit.raw({
      path: `/${container.containerName}/kept`,
      query: { comp: "blocklist", blocklisttype: "all" },
    });
    assert.match(list.text, /<UncommittedBlocks \/>/);
    clock.set(start);
  });
});
