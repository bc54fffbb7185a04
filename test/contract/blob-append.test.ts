import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { findContainer } from "../../src/services/blob/containers.ts";
import { blobKey } from "../../src/store/keys/blob.ts";
import { blobRecord } from "../../src/store/records/blob-bytes.ts";
import { onEachEngine, refused } from "../kit/blob.ts";

onEachEngine("append blobs", (kit) => {
  test("blocks land one behind the other, small and large", async () => {
    const container = await kit.container();
    const blob = container.getAppendBlobClient("log");
    const created = await blob.create({
      metadata: { a: "1" },
      blobHTTPHeaders: { blobContentType: "text/x" },
    });
    assert.equal(created._response.status, 201);
    const parts = [
      randomBytes(10),
      randomBytes(100_000),
      randomBytes(2_048),
      randomBytes(2_049),
      randomBytes(1),
    ];
    let offset = 0;
    let etag = created.etag;
    for (const [i, part] of parts.entries()) {
      const reply = await blob.appendBlock(part, part.length);
      assert.equal(reply.blobAppendOffset, String(offset));
      assert.equal(reply.blobCommittedBlockCount, i + 1);
      assert.notEqual(reply.etag, etag);
      etag = reply.etag;
      offset += part.length;
    }
    const whole = Buffer.concat(parts);
    assert.deepEqual(await blob.downloadToBuffer(), whole);
    assert.deepEqual(await blob.downloadToBuffer(5, 100_020), whole.subarray(5, 100_025));
    const properties = await blob.getProperties();
    assert.equal(properties.blobType, "AppendBlob");
    assert.equal(properties.blobCommittedBlockCount, 5);
    assert.equal(properties.contentLength, whole.length);
    assert.equal(properties.contentType, "text/x");
    assert.deepEqual(properties.metadata, { a: "1" });
  });

  test("40 parallel appends get 40 offsets and 40 counts", async () => {
    const container = await kit.container();
    const blob = container.getAppendBlobClient("parallel");
    await blob.create();
    const parts = Array.from({ length: 40 }, (_, i) => Buffer.alloc(100 + i * 97, i + 1));
    const replies = await Promise.all(parts.map((part) => blob.appendBlock(part, part.length)));
    const counts = replies.map(({ blobCommittedBlockCount }) => blobCommittedBlockCount!);
    assert.deepEqual(
      counts.toSorted((a, b) => a - b),
      Array.from({ length: 40 }, (_, i) => i + 1),
    );
    const whole = await blob.downloadToBuffer();
    for (const [i, part] of parts.entries()) {
      const at = Number(replies[i]!.blobAppendOffset);
      assert.deepEqual(whole.subarray(at, at + part.length), part);
    }
    assert.equal(new Set(replies.map(({ blobAppendOffset }) => blobAppendOffset)).size, 40);
    assert.equal((await blob.getProperties()).blobCommittedBlockCount, 40);
  });

  test("of appends to one position exactly one is taken", async () => {
    const container = await kit.container();
    const blob = container.getAppendBlobClient("position");
    await blob.create();
    await blob.appendBlock("0123", 4);
    const attempts = await Promise.allSettled(
      Array.from({ length: 16 }, () => blob.appendBlock("ab", 2, { conditions: { appendPosition: 4 } })),
    );
    assert.equal(attempts.filter(({ status }) => status === "fulfilled").length, 1);
    for (const attempt of attempts) {
      if (attempt.status === "rejected") refused(412, "AppendPositionConditionNotMet")(attempt.reason);
    }
    await blob.appendBlock("c", 1, { conditions: { maxSize: 7 } });
    await assert.rejects(
      blob.appendBlock("c", 1, { conditions: { maxSize: 7 } }),
      refused(412, "MaxBlobSizeConditionNotMet"),
    );
    assert.equal((await blob.downloadToBuffer()).toString(), "0123abc");
  });

  test("a snapshot keeps its length, and a blob grown from it keeps its own bytes", async () => {
    const container = await kit.container();
    const blob = container.getAppendBlobClient("grown");
    await blob.create();
    await blob.appendBlock("one,", 4);
    const { snapshot } = await blob.createSnapshot();
    await blob.appendBlock("two,", 4);
    const then = blob.withSnapshot(snapshot!);
    assert.equal((await then.downloadToBuffer()).toString(), "one,");
    assert.equal((await then.getProperties()).blobCommittedBlockCount, 1);
    assert.equal((await blob.downloadToBuffer()).toString(), "one,two,");
    const copy = container.getAppendBlobClient("copy");
    await (await copy.beginCopyFromURL(then.url)).pollUntilDone();
    const appended = await copy.appendBlock("2,", 2);
    assert.deepEqual([appended.blobAppendOffset, appended.blobCommittedBlockCount], ["4", 2]);
    const large = Buffer.alloc(5_000, "x");
    await Promise.all([copy.appendBlock(large, large.length), blob.appendBlock("three", 5)]);
    assert.equal((await copy.downloadToBuffer()).toString(), `one,2,${large}`);
    assert.equal((await blob.downloadToBuffer()).toString(), "one,two,three");
    assert.equal((await then.downloadToBuffer()).toString(), "one,");
    await blob.delete({ deleteSnapshots: "include" });
    await assert.rejects(blob.appendBlock("x", 1), refused(404, "BlobNotFound"));
  });

  test("a sealed blob takes no more", async () => {
    const container = await kit.container();
    const blob = container.getAppendBlobClient("sealed");
    await blob.create();
    await blob.appendBlock("abc", 3);
    await assert.rejects(
      blob.seal({ conditions: { appendPosition: 1 } }),
      refused(412, "AppendPositionConditionNotMet"),
    );
    const before = await blob.getProperties();
    const sealed = await blob.seal();
    assert.notEqual(sealed.etag, before.etag);
    assert.equal(sealed.etag, (await blob.getProperties()).etag);
    assert.equal((await blob.seal()).etag, sealed.etag);
    assert.equal((await blob.getProperties()).isSealed, true);
    await assert.rejects(blob.appendBlock("d", 1), refused(409, "BlobIsSealed"));
    await blob.setMetadata({ still: "writable" });
    await blob.create();
    await blob.appendBlock("d", 1);
    assert.equal((await blob.downloadToBuffer()).toString(), "d");
  });

  test("what is not an append blob, or not a block, is refused", async () => {
    const container = await kit.container();
    const block = container.getBlockBlobClient("block");
    await block.upload("x", 1);
    const wrong = container.getAppendBlobClient("block");
    await assert.rejects(wrong.appendBlock("x", 1), refused(409, "InvalidBlobType"));
    await assert.rejects(wrong.seal(), refused(409, "InvalidBlobType"));
    const blob = container.getAppendBlobClient("append");
    await blob.create();
    await assert.rejects(
      blob.create({ conditions: { ifNoneMatch: "*" } }),
      refused(409, "BlobAlreadyExists"),
    );
    await assert.rejects(
      container.getBlockBlobClient("append").stageBlock("aaaa", "x", 1),
      refused(409, "InvalidBlobType"),
    );
    const path = `/${container.containerName}/append`;
    const query = { comp: "appendblock" };
    const empty = await kit.raw({ method: "PUT", path, query });
    assert.deepEqual([empty.status, empty.code], [400, "InvalidHeaderValue"]);
    const old = { "x-ms-version": "2021-12-02" };
    const large = await kit.raw({
      method: "PUT",
      path,
      query,
      headers: old,
      body: Buffer.alloc(4 * 1024 * 1024 + 1),
    });
    assert.deepEqual([large.status, large.code], [413, "RequestBodyTooLarge"]);
    const md5 = { "content-md5": Buffer.alloc(16).toString("base64") };
    const bad = await kit.raw({ method: "PUT", path, query, headers: md5, body: "x" });
    assert.deepEqual([bad.status, bad.code], [400, "Md5Mismatch"]);
    const body = { headers: { "x-ms-blob-type": "AppendBlob" }, body: "x" };
    const created = await kit.raw({ method: "PUT", path, ...body });
    assert.deepEqual([created.status, created.code], [400, "InvalidHeaderValue"]);
    assert.equal((await blob.getProperties()).contentLength, 0);
  });

  test("a lease is needed while there is one, and conditions are obeyed", async () => {
    const container = await kit.container();
    const blob = container.getAppendBlobClient("leased");
    const { etag } = await blob.create();
    const lease = blob.getBlobLeaseClient();
    const { leaseId } = await lease.acquireLease(15);
    await assert.rejects(blob.appendBlock("x", 1), refused(412, "LeaseIdMissing"));
    await blob.appendBlock("x", 1, { conditions: { leaseId: leaseId! } });
    kit.server.clock.advance(15_000);
    await assert.rejects(
      blob.appendBlock("x", 1, { conditions: { leaseId: leaseId! } }),
      refused(412, "LeaseLost"),
    );
    await assert.rejects(
      blob.appendBlock("x", 1, { conditions: { ifMatch: etag! } }),
      refused(412, "ConditionNotMet"),
    );
    await blob.appendBlock("y", 1);
    assert.equal((await blob.downloadToBuffer()).toString(), "xy");
  });

  test("the 50,001st block is refused", async () => {
    const container = await kit.container();
    const blob = container.getAppendBlobClient("full");
    await blob.create();
    const { store } = kit.server.runtime.parts;
    const ref = { account: kit.server.account, container: container.containerName };
    await store.write(async (write) => {
      const key = blobKey((await findContainer(write, ref))!.id, "full");
      const record = blobRecord.unpack((await write.get(key))!);
      write.put(key, blobRecord.pack({ ...record, appendCount: 49_999 }));
    });
    assert.equal((await blob.appendBlock("x", 1)).blobCommittedBlockCount, 50_000);
    await assert.rejects(blob.appendBlock("x", 1), refused(409, "BlockCountExceedsLimit"));
  });
});
