import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { collect } from "../../src/base/bytes.ts";
import {
  decodeStructuredBody,
  encodeStructuredBody,
  STRUCTURED_BODY,
} from "../../src/http/wire/structured-body.ts";
import { findContainer } from "../../src/services/blob/containers.ts";
import { BLOB_LIMITS } from "../../src/services/blob/limits.ts";
import { blobKey, stagedBlockKey, stagingKey } from "../../src/store/keys/blob.ts";
import { stagedBlockRecord, stagingRecord } from "../../src/store/records/blob.ts";
import { blobRecord } from "../../src/store/records/blob-bytes.ts";
import { type BlobKit, onEachEngine, readableUrl, refused } from "../kit/blob.ts";

/** What the Blob service takes at most, taken in full, and what lies one beyond it. */
const idOf = (index: number): string => Buffer.from(String(index).padStart(6, "0")).toString("base64");

/** Blocks as Put Block leaves them, without the requests: the first one of each blob comes by its request. */
async function stage(kit: BlobKit, container: string, blob: string, count: number): Promise<void> {
  const { store } = kit.server.runtime.parts;
  const ref = { account: kit.server.account, container };
  const step = 5_000;
  for (let from = 1; from < count; from += step) {
    await store.write(async (write) => {
      const key = blobKey((await findContainer(write, ref))!.id, blob);
      const staging = blobRecord.unpack((await write.get(key))!).staging!;
      const to = Math.min(count, from + step);
      for (let index = from; index < to; index++) {
        const bytes = { inline: Buffer.from([index % 251]) };
        write.put(stagedBlockKey(staging, idOf(index)), stagedBlockRecord.pack({ length: 1, bytes }));
      }
      const record = stagingRecord.unpack((await write.get(stagingKey(staging)))!);
      write.put(stagingKey(staging), stagingRecord.pack({ ...record, count: to }));
    });
  }
}

const structured = (content: Buffer): Promise<Buffer> => {
  async function* source(): AsyncGenerator<Buffer> {
    yield content;
  }
  return collect(encodeStructuredBody(source(), { contentLength: content.length }));
};

onEachEngine("limits of blobs", (kit) => {
  test("50,000 blocks become a blob in one request, one more do not", async () => {
    const container = await kit.container();
    const path = `/${container.containerName}/whole`;
    const first = await kit.raw({
      method: "PUT",
      path,
      query: { comp: "block", blockid: idOf(0) },
      body: "\0",
    });
    assert.equal(first.status, 201);
    const { committedBlocksMax } = BLOB_LIMITS;
    await stage(kit, container.containerName, "whole", committedBlocksMax + 1);
    const commit = (count: number) => {
      const ids = Array.from({ length: count }, (_, index) => `<Uncommitted>${idOf(index)}</Uncommitted>`);
      const body = `<BlockList>${ids.join("")}</BlockList>`;
      return kit.raw({ method: "PUT", path, query: { comp: "blocklist" }, body });
    };
    const beyond = await commit(committedBlocksMax + 1);
    assert.deepEqual([beyond.status, beyond.code], [400, "BlockListTooLong"]);
    const done = await commit(committedBlocksMax);
    assert.equal(done.status, 201, done.text);
    const blob = container.getBlockBlobClient("whole");
    const content = await blob.downloadToBuffer();
    assert.equal(content.length, committedBlocksMax);
    assert.ok(content.every((byte, index) => byte === index % 251));
    const { committedBlocks, uncommittedBlocks } = await blob.getBlockList("all");
    assert.equal(committedBlocks?.length, committedBlocksMax);
    assert.equal(committedBlocks?.at(-1)?.name, idOf(committedBlocksMax - 1));
    assert.equal(uncommittedBlocks?.length ?? 0, 0, "what was not in the list is gone");
  });

  test("the 100,001st uncommitted block is refused, replacing one is not", async () => {
    const container = await kit.container();
    const path = `/${container.containerName}/many`;
    const put = async (index: number) => {
      const reply = await kit.raw({
        method: "PUT",
        path,
        query: { comp: "block", blockid: idOf(index) },
        body: "x",
      });
      return `${reply.status} ${reply.code ?? ""}`;
    };
    assert.equal(await put(0), "201 ");
    await stage(kit, container.containerName, "many", BLOB_LIMITS.uncommittedBlocksMax - 1);
    assert.equal(await put(BLOB_LIMITS.uncommittedBlocksMax - 1), "201 ");
    assert.equal(await put(BLOB_LIMITS.uncommittedBlocksMax), "409 BlockCountExceedsLimit");
    assert.equal(await put(1), "201 ");
  });

  test("block ids: base64, 64 bytes at most, all of one length", async () => {
    const container = await kit.container();
    const put = async (blob: string, id: string) => {
      const path = `/${container.containerName}/${blob}`;
      const reply = await kit.raw({ method: "PUT", path, query: { comp: "block", blockid: id }, body: "x" });
      return `${reply.status} ${reply.code ?? ""}`;
    };
    assert.equal(await put("ids", Buffer.alloc(64, 1).toString("base64")), "201 ");
    assert.equal(await put("ids", Buffer.alloc(63, 1).toString("base64")), "400 InvalidBlobOrBlock");
    assert.equal(await put("ids", Buffer.alloc(65, 1).toString("base64")), "400 OutOfRangeInput");
    for (const id of ["", "A", "AA=A", "****", "AAA"]) {
      assert.match(
        await put("other", id),
        /^400 (InvalidQueryParameterValue|MissingRequiredQueryParameter)$/,
        id,
      );
    }
    const names = `<BlockList><constructor>${idOf(1)}</constructor></BlockList>`;
    const path = `/${container.containerName}/ids`;
    const list = await kit.raw({ method: "PUT", path, query: { comp: "blocklist" }, body: names });
    assert.equal(list.code, "UnsupportedXmlNode");
  });

  test("structured bodies are taken by every write of content, and given by a read", async () => {
    const container = await kit.container();
    const content = randomBytes(5 * 1_024 * 1_024 + 3);
    const send = async (
      name: string,
      query: Record<string, string>,
      headers: Record<string, string>,
      bytes: Buffer,
    ) =>
      kit.raw({
        method: "PUT",
        path: `/${container.containerName}/${name}`,
        query,
        headers: {
          "x-ms-structured-body": STRUCTURED_BODY,
          "x-ms-structured-content-length": String(bytes.length),
          ...headers,
        },
        body: await structured(bytes),
      });
    const put = await send("block", {}, { "x-ms-blob-type": "BlockBlob" }, content);
    assert.deepEqual([put.status, put.headers["x-ms-structured-body"]], [201, STRUCTURED_BODY], put.text);
    const block = await send("staged", { comp: "block", blockid: "AAAA" }, {}, content);
    assert.deepEqual([block.status, block.headers["x-ms-structured-body"]], [201, STRUCTURED_BODY]);
    await container.getBlockBlobClient("staged").commitBlockList(["AAAA"]);
    await container.getAppendBlobClient("append").create();
    const append = await send("append", { comp: "appendblock" }, {}, content.subarray(0, 100_000));
    assert.equal(append.status, 201, append.text);
    await container.getPageBlobClient("page").create(4_096);
    const range = { "x-ms-page-write": "update", "x-ms-range": "bytes=512-1535" };
    const page = await send("page", { comp: "page" }, range, content.subarray(0, 1_024));
    assert.equal(page.status, 201, page.text);
    assert.ok((await container.getBlobClient("block").downloadToBuffer()).equals(content));
    assert.ok((await container.getBlobClient("staged").downloadToBuffer()).equals(content));
    assert.ok(
      (await container.getBlobClient("append").downloadToBuffer()).equals(content.subarray(0, 100_000)),
    );
    const pages = await container.getBlobClient("page").downloadToBuffer(512, 1_024);
    assert.ok(pages.equals(content.subarray(0, 1_024)));

    const path = `/${container.containerName}/block`;
    const read = await kit.raw({ path, headers: { "x-ms-structured-body": STRUCTURED_BODY } });
    assert.equal(read.status, 200);
    assert.equal(read.headers["x-ms-structured-content-length"], String(content.length));
    async function* body(): AsyncGenerator<Buffer> {
      yield read.body;
    }
    const got = await collect(decodeStructuredBody(body(), { contentLength: content.length }));
    assert.ok(got.equals(content));
  });

  test("a structured body that is damaged, cut or of another length stores nothing", async () => {
    const container = await kit.container();
    const content = randomBytes(100_000);
    const good = await structured(content);
    const damaged = Buffer.from(good);
    damaged[5_000]! ^= 1;
    const path = `/${container.containerName}/none`;
    for (const [body, length, code] of [
      [damaged, content.length, "Crc64Mismatch"],
      [good.subarray(0, good.length - 3), content.length, "InvalidInput"],
      [good, content.length - 1, "InvalidInput"],
      [Buffer.concat([good, Buffer.from("x")]), content.length, "InvalidInput"],
    ] as const) {
      const headers = {
        "x-ms-blob-type": "BlockBlob",
        "x-ms-structured-body": STRUCTURED_BODY,
        "x-ms-structured-content-length": String(length),
      };
      const reply = await kit.raw({ method: "PUT", path, headers, body });
      assert.deepEqual([reply.status, reply.code], [400, code], reply.text);
      assert.equal((await kit.raw({ path })).code, "BlobNotFound");
    }
  });

  test("out of the archive a copy needs a tier that is on line, and is there after its time", async () => {
    const container = await kit.container();
    const source = container.getBlockBlobClient("cold");
    await source.upload("frozen", 6);
    await source.setAccessTier("Archive");
    const copy = container.getBlockBlobClient("thawed");
    await assert.rejects(copy.beginCopyFromURL(source.url), refused(409, "BlobArchived"));
    const readable = await readableUrl(kit, source);
    await assert.rejects(copy.syncCopyFromURL(readable, { tier: "Hot" }), refused(409, "BlobArchived"));
    const poller = await copy.beginCopyFromURL(source.url, { tier: "Hot", rehydratePriority: "High" });
    await poller.pollUntilDone();
    const going = await copy.getProperties();
    assert.deepEqual(
      [going.accessTier, going.archiveStatus, going.rehydratePriority],
      ["Archive", "rehydrate-pending-to-hot", "High"],
    );
    await assert.rejects(copy.download(), refused(409, "BlobArchived"));
    kit.server.clock.advance(BLOB_LIMITS.rehydrateMillis + 1);
    assert.equal((await copy.downloadToBuffer()).toString(), "frozen");
    assert.equal((await copy.getProperties()).accessTier, "Hot");
    assert.equal((await source.getProperties()).accessTier, "Archive", "the source stays where it is");
    // From one shelf of the archive to the other nothing has to be read.
    const other = container.getBlockBlobClient("other");
    await (await other.beginCopyFromURL(source.url, { tier: "Archive" })).pollUntilDone();
    assert.equal((await other.getProperties()).accessTier, "Archive");
  });

  test("names hold every character the protocol lets through, each once as it was sent", async () => {
    const container = await kit.container();
    const odd = [
      ..." !\"#$%&'()*+,-.:;<=>?@[]^_`{|}~".split("").map((character) => `a${character}b`),
      "__proto__",
      "constructor",
      "%2F",
      "é",
      "e\u0301",
      "日本語",
      "😀",
      "\u00a0nbsp",
      "\u2028",
      "a//b",
      "x".repeat(1_024),
      "\u{1F600}".repeat(512),
    ];
    for (const name of odd) {
      const path = `/${container.containerName}/${encodeURIComponent(name).replaceAll("%2F", "/")}`;
      const put = await kit.raw({
        method: "PUT",
        path,
        headers: { "x-ms-blob-type": "BlockBlob" },
        body: name,
      });
      assert.equal(put.status, 201, `${JSON.stringify(name)}: ${put.text}`);
      assert.equal((await kit.raw({ path })).text, name);
    }
    const listed = new Set<string>();
    for await (const { name } of container.listBlobsFlat()) listed.add(name);
    assert.deepEqual([...listed].sort(), [...odd].sort());
    for (const name of ["x".repeat(1_025), "\u{1F600}".repeat(513)]) {
      const path = `/${container.containerName}/${encodeURIComponent(name)}`;
      const put = await kit.raw({
        method: "PUT",
        path,
        headers: { "x-ms-blob-type": "BlockBlob" },
        body: "x",
      });
      assert.equal(put.status, 400, `${name.length} characters`);
    }
  });

  test("tags and metadata may be called like the language's own properties", async () => {
    const container = await kit.container();
    const blob = container.getBlockBlobClient("named");
    const path = `/${container.containerName}/named`;
    const type = { "x-ms-blob-type": "BlockBlob" };
    const put = (headers: Record<string, string>) =>
      kit.raw({ method: "PUT", path, headers: { ...type, ...headers }, body: "x" });
    const named = { "x-ms-meta-constructor": "two", "x-ms-tags": "constructor=2&toString=3" };
    assert.equal((await put(named)).status, 201);
    const head = await kit.raw({ method: "HEAD", path });
    assert.equal(head.headers["x-ms-meta-constructor"], "two");
    assert.equal(head.headers["x-ms-tag-count"], "2");
    const tags = await kit.raw({ path, query: { comp: "tags" } });
    for (const [key, value] of [
      ["constructor", "2"],
      ["toString", "3"],
    ])
      assert.ok(tags.text.includes(`<Key>${key}</Key><Value>${value}</Value>`), tags.text);
    // The one name that a record could not return unchanged.
    assert.equal((await put({ "x-ms-meta-__proto__": "1" })).code, "InvalidMetadata");
    assert.equal((await put({ "x-ms-tags": "__proto__=1" })).code, "InvalidTags");
    const holds = async (where: string) =>
      (await kit.raw({ method: "HEAD", path, headers: { "x-ms-if-tags": where } })).status;
    assert.equal(await holds(`"constructor" = '2'`), 200);
    assert.equal(await holds(`"valueOf" = '2'`), 412);
    assert.equal(await holds(`"hasOwnProperty" > ''`), 412);
    await blob.delete();
  });

  test("ranges that mean nothing are refused or ignored as the protocol says, never answered with other bytes", async () => {
    const container = await kit.container();
    await container.uploadBlockBlob("r", "0123456789", 10);
    const path = `/${container.containerName}/r`;
    for (const [range, expected] of [
      ["bytes=0-3", "206 0123"],
      ["bytes=7-", "206 789"],
      ["bytes=7-99999999999999999999", "206 789"],
      ["bytes=10-", "416 "],
      ["bytes=10-20", "416 "],
    ] as const) {
      const reply = await kit.raw({ path, headers: { "x-ms-range": range } });
      const shown = reply.status === 416 ? "" : reply.text;
      assert.equal(`${reply.status} ${shown}`, expected, range);
    }
    for (const range of [
      "bytes=3-1",
      "bytes=a-b",
      "bytes=-",
      "bytes",
      "octets=0-1",
      "bytes=0-1,3-4",
      "bytes=--1",
      "bytes=0x1-2",
      "bytes=1.5-3",
      "bytes= 0-1x",
    ]) {
      const reply = await kit.raw({ path, headers: { "x-ms-range": range } });
      const isWhole = reply.status === 200 && reply.text === "0123456789";
      assert.ok(
        isWhole || reply.status === 400 || reply.status === 416,
        `${range}: ${reply.status} ${reply.text}`,
      );
    }
  });
});
