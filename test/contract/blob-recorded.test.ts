import assert from "node:assert/strict";
import { createHash, randomUUID } from "node:crypto";
import { test } from "node:test";
import { crc64Base64 } from "../../src/digest/crc64.ts";
import { onEachEngine, readableUrl, refused } from "../kit/blob.ts";
import type { RawReply } from "../kit/raw.ts";

type Values = Record<string, string>;

const BLOCK = { "x-ms-blob-type": "BlockBlob" };
const md5 = (text: string): string => createHash("md5").update(text).digest("base64");
const crc64 = (text: string): string => crc64Base64(Buffer.from(text));
const id = (text: string): string => Buffer.from(text).toString("base64");
const said = ({ status, code }: RawReply): string => (code === undefined ? `${status}` : `${status} ${code}`);

/** Details that recorded answers of the service show and its documents do not. */
onEachEngine("answers as recorded", (kit) => {
  const put = (path: string, headers: Values, body = "", query: Values = {}): Promise<RawReply> =>
    kit.raw({ method: "PUT", path, query, headers, body });
  const list = async (container: string, query: Values = {}): Promise<string> =>
    (await kit.raw({ path: `/${container}`, query: { restype: "container", comp: "list", ...query } })).text;

  test("Put Blob answers with MD5 and CRC64, and before 2019-02-02 with the MD5 alone", async () => {
    const path = `/${(await kit.container()).containerName}/blob`;
    for (const text of ["", "small", "long ".repeat(20_000)]) {
      const { headers } = await put(path, BLOCK, text);
      assert.deepEqual([headers["content-md5"], headers["x-ms-content-crc64"]], [md5(text), crc64(text)]);
    }
    const { headers } = await put(path, { ...BLOCK, "x-ms-version": "2018-11-09" }, "x");
    assert.deepEqual([headers["content-md5"], headers["x-ms-content-crc64"]], [md5("x"), undefined]);
  });

  test("other writes answer with the digest that was sent, or the CRC64, and since 2026-10-06 with both", async () => {
    const path = `/${(await kit.container()).containerName}/blob`;
    const query = { comp: "block", blockid: id("a") };
    const digests = async (version: string, headers: Values = {}): Promise<unknown> => {
      const reply = await put(path, { "x-ms-version": version, ...headers }, "block", query);
      return [reply.headers["content-md5"], reply.headers["x-ms-content-crc64"]];
    };
    const sent = { "Content-MD5": md5("block") };
    assert.deepEqual(await digests("2026-06-06"), [undefined, crc64("block")]);
    assert.deepEqual(await digests("2026-06-06", sent), [md5("block"), undefined]);
    assert.deepEqual(await digests("2026-10-06", sent), [md5("block"), crc64("block")]);
    assert.deepEqual(await digests("2018-11-09"), [md5("block"), undefined]);
  });

  test("pages and appended blocks from a URL have an MD5 when a customer's key encrypts them", async () => {
    const container = await kit.container();
    const source = container.getBlockBlobClient("source");
    await source.upload("s".repeat(512), 512);
    const key = Buffer.alloc(32, 7);
    const encryption = {
      "x-ms-encryption-key": key.toString("base64"),
      "x-ms-encryption-key-sha256": createHash("sha256").update(key).digest("base64"),
      "x-ms-encryption-algorithm": "AES256",
    };
    for (const headers of [{}, encryption]) {
      const path = `/${container.containerName}/${randomUUID()}`;
      await put(path, { "x-ms-blob-type": "AppendBlob", ...headers });
      const from = { "x-ms-copy-source": await readableUrl(kit, source), ...headers };
      const reply = await put(path, from, "", { comp: "appendblock" });
      const found = [reply.headers["content-md5"], reply.headers["x-ms-content-crc64"]];
      const [hash, sum] = [md5("s".repeat(512)), crc64("s".repeat(512))];
      assert.deepEqual(found, headers === encryption ? [hash, undefined] : [undefined, sum]);
    }
  });

  test("snapshots are not encrypted anew; asynchronous copies and cleared pages do not say", async () => {
    const container = await kit.container();
    const path = `/${container.containerName}/page`;
    const page = { "x-ms-blob-type": "PageBlob", "x-ms-blob-content-length": "512" };
    const says = ({ headers }: RawReply): unknown => headers["x-ms-request-server-encrypted"];
    assert.equal(says(await put(path, page)), "true");
    assert.equal(says(await put(path, {}, "", { comp: "snapshot" })), "false");
    const clear = { "x-ms-page-write": "clear", "x-ms-range": "bytes=0-511" };
    assert.equal(says(await put(path, clear, "", { comp: "page" })), undefined);
    await put(`/${container.containerName}/block`, BLOCK, "x");
    const from = { "x-ms-copy-source": container.getBlobClient("block").url };
    assert.equal(says(await put(`/${container.containerName}/a`, from)), undefined);
    const sync = { ...from, "x-ms-requires-sync": "true" };
    assert.equal(says(await put(`/${container.containerName}/b`, sync)), "true");
  });

  test("a list of pages ends with a marker only if it comes in pages, and a range beyond the blob is invalid", async () => {
    const path = `/${(await kit.container()).containerName}/page`;
    await put(path, { "x-ms-blob-type": "PageBlob", "x-ms-blob-content-length": "512" });
    const pages = (query: Values, headers: Values = {}): Promise<RawReply> =>
      kit.raw({ path, query: { comp: "pagelist", ...query }, headers });
    assert.match((await pages({})).text, /<PageList \/>$/);
    assert.match((await pages({ maxresults: "1" })).text, /<NextMarker \/>/);
    assert.equal(said(await pages({}, { "x-ms-range": "bytes=512-1023" })), "416 InvalidRange");
  });

  test("a difference shows as cleared what was written after the snapshot and seen by a later one", async () => {
    const container = await kit.container();
    const blob = container.getPageBlobClient("page");
    await blob.create(2_048);
    const { snapshot } = await blob.createSnapshot();
    await blob.uploadPages(Buffer.alloc(1_536, 1), 0, 1_536);
    await blob.createSnapshot();
    await blob.clearPages(512, 512);
    const { pageRange, clearRange } = await blob.getPageRangesDiff(0, 2_048, snapshot!);
    assert.deepEqual(
      pageRange?.map(({ offset }) => offset),
      [0, 1_024],
    );
    assert.deepEqual(
      clearRange?.map(({ offset, count }) => [offset, count]),
      [[512, 511]],
    );
  });

  test("If-None-Match: * does not stop the holder of the lease from writing the blob anew", async () => {
    const container = await kit.container();
    const path = `/${container.containerName}/leased`;
    await put(path, BLOCK, "old");
    const { leaseId } = await container.getBlobClient("leased").getBlobLeaseClient().acquireLease(-1);
    const once = { ...BLOCK, "If-None-Match": "*" };
    assert.equal(said(await put(path, once, "new")), "412 LeaseIdMissing");
    assert.equal(said(await put(path, { ...once, "x-ms-lease-id": leaseId! }, "new")), "201");
    assert.equal((await container.getBlobClient("leased").downloadToBuffer()).toString(), "new");
    await put(`/${container.containerName}/free`, BLOCK, "old");
    assert.equal(said(await put(`/${container.containerName}/free`, once)), "409 BlobAlreadyExists");
  });

  test("block ids are as long as those of the other uncommitted blocks, whatever is committed", async () => {
    const blob = (await kit.container()).getBlockBlobClient("blocks");
    await blob.stageBlock(id("aaaa"), "1", 1);
    await blob.commitBlockList([id("aaaa")]);
    await blob.stageBlock(id("bbbbbbbb"), "2", 1);
    await assert.rejects(blob.stageBlock(id("cccc"), "3", 1), refused(400, "InvalidBlobOrBlock"));
    await blob.commitBlockList([id("aaaa"), id("bbbbbbbb")]);
    assert.equal((await blob.downloadToBuffer()).toString(), "12");
  });

  test("an MD5 of any length is stored as it was sent, except by Put Blob", async () => {
    const container = await kit.container();
    const path = `/${container.containerName}/blob`;
    await put(path, BLOCK, "x");
    const odd = { "x-ms-blob-content-md5": "AQIDBA==" };
    assert.equal(said(await put(path, odd, "", { comp: "properties" })), "200");
    assert.equal((await kit.raw({ method: "HEAD", path })).headers["content-md5"], "AQIDBA==");
    const wrong = { "x-ms-blob-content-md5": "not Base64" };
    assert.equal(said(await put(path, wrong, "", { comp: "properties" })), "400 InvalidMd5");
    assert.equal(said(await put(path, { ...BLOCK, ...odd }, "x")), "400 Md5Mismatch");
  });

  test("a read with If-None-Match: * is refused before the blob is looked for", async () => {
    const path = `/${(await kit.container()).containerName}/absent`;
    for (const method of ["GET", "HEAD"]) {
      const reply = await kit.raw({ method, path, headers: { "If-None-Match": "*" } });
      assert.equal(reply.status, 400);
      assert.equal(reply.headers["x-ms-error-code"], "UnsatisfiableCondition");
    }
  });

  test("conditions of copies name the side that failed them", async () => {
    const container = await kit.container();
    const [source, target] = [`/${container.containerName}/source`, `/${container.containerName}/target`];
    const { etag } = (await put(source, BLOCK, "x")).headers;
    await put(target, BLOCK, "y");
    const from = { "x-ms-copy-source": await readableUrl(kit, container.getBlobClient("source")) };
    const sync = { ...from, "x-ms-requires-sync": "true" };
    const other = '"0x8D000000000000"';
    for (const copy of [from, sync]) {
      assert.equal(said(await put(target, { ...copy, "If-Match": other })), "412 TargetConditionNotMet");
      const now = new Date(kit.server.clock.now() + 60_000).toUTCString();
      assert.equal(said(await put(target, { ...copy, "If-Modified-Since": now })), "412 ConditionNotMet");
      assert.equal(said(await put(target, { ...copy, "x-ms-source-if-match": "" })), "202");
    }
    const unlike = { "x-ms-source-if-none-match": String(etag) };
    assert.equal(said(await put(target, { ...BLOCK, ...from, ...unlike })), "304 CannotVerifyCopySource");
    const block = { comp: "block", blockid: id("a") };
    const like = { "x-ms-source-if-match": other };
    assert.equal(said(await put(target, { ...from, ...like }, "", block)), "412 SourceConditionNotMet");
  });

  test("a read that finds nothing new says that it has no content, except of pages", async () => {
    const path = `/${(await kit.container()).containerName}/page`;
    const page = { "x-ms-blob-type": "PageBlob", "x-ms-blob-content-length": "512" };
    const etag = String((await put(path, page)).headers.etag);
    const lengthOf = async (method: string, query: Values): Promise<unknown> => {
      const reply = await kit.raw({ method, path, query, headers: { "If-None-Match": etag } });
      assert.equal(reply.status, 304);
      return reply.headers["content-length"];
    };
    assert.equal(await lengthOf("GET", {}), "0");
    assert.equal(await lengthOf("HEAD", {}), "0");
    assert.equal(await lengthOf("GET", { comp: "pagelist" }), undefined);
  });

  test("a blob of uncommitted blocks is listed without times, as not encrypted", async () => {
    const container = await kit.container();
    await container.getBlockBlobClient("blob").stageBlock(id("a"), "1", 1);
    const listed = await list(container.containerName, { include: "uncommittedblobs" });
    assert.match(listed, /<Properties><Content-Length>0<.*<ServerEncrypted>false</);
    assert.doesNotMatch(listed, /Creation-Time|Last-Modified/);
    const query = { comp: "blocklist", blocklisttype: "all" };
    const { headers } = await kit.raw({ path: `/${container.containerName}/blob`, query });
    assert.equal(headers["x-ms-blob-content-length"], undefined);
  });

  test("Find Blobs by Tags repeats marker, query and page size", async () => {
    const container = (await kit.container()).containerName;
    for (const name of ["a", "b"]) await put(`/${container}/${name}`, { ...BLOCK, "x-ms-tags": "k=v" });
    const find = (more: Values): Promise<RawReply> =>
      kit.raw({
        path: `/${container}`,
        query: { restype: "container", comp: "blobs", where: "k='v'", ...more },
      });
    const first = (await find({ maxresults: "1" })).text;
    assert.match(first, /><Where>k='v'<\/Where><MaxResults>1<\/MaxResults><Blobs>/);
    const marker = /<NextMarker>([^<]+)</.exec(first)![1]!;
    const head = `><Marker>${marker}</Marker><Where>k='v'</Where><MaxResults>1</MaxResults><Blobs>`;
    assert.ok((await find({ maxresults: "1", marker })).text.includes(head));
    assert.equal(said(await find({ marker: "garbage" })), "400 OutOfRangeInput");
  });

  test("a block list over blocks of a customer's key needs the key", async () => {
    const container = await kit.container();
    const path = `/${container.containerName}/blob`;
    const key = Buffer.alloc(32, 9);
    const encryption = {
      "x-ms-encryption-key": key.toString("base64"),
      "x-ms-encryption-key-sha256": createHash("sha256").update(key).digest("base64"),
      "x-ms-encryption-algorithm": "AES256",
    };
    await put(path, { ...BLOCK, ...encryption });
    await put(path, encryption, "x", { comp: "block", blockid: id("a") });
    const body = `<BlockList><Latest>${id("a")}</Latest></BlockList>`;
    const commit = (headers: Values): Promise<RawReply> => put(path, headers, body, { comp: "blocklist" });
    assert.equal(said(await commit({})), "409 BlobUsesCustomerSpecifiedEncryption");
    assert.equal(said(await commit(encryption)), "201");
    const copy = { ...BLOCK, "x-ms-copy-source": await readableUrl(kit, container.getBlobClient("blob")) };
    const refusal = await put(`/${container.containerName}/copy`, { ...copy, "x-ms-version": "2025-07-05" });
    assert.equal(said(refusal), "409 CannotVerifyCopySource");
    const inner = refusal.headers["x-ms-copy-source-error-code"];
    assert.equal(inner, "BlobUsesCustomerSpecifiedEncryption");
    await put(`/${container.containerName}/page`, {
      ...encryption,
      "x-ms-blob-type": "PageBlob",
      "x-ms-blob-content-length": "512",
    });
    const grow = { "x-ms-blob-content-length": "1024" };
    assert.equal(
      said(await put(`/${container.containerName}/page`, grow, "", { comp: "properties" })),
      "200",
    );
  });

  test("fields of a container appear with the version that brought them", async () => {
    const name = (await kit.container()).containerName;
    const fields = async (version: string): Promise<unknown[]> => {
      const headers = { "x-ms-version": version };
      const path = `/${name}`;
      const properties = (await kit.raw({ path, query: { restype: "container" }, headers })).headers;
      const { text } = await kit.raw({ path: "", query: { comp: "list", prefix: name }, headers });
      return [
        properties["x-ms-default-encryption-scope"],
        properties["x-ms-immutable-storage-with-versioning-enabled"],
        text.includes("<DefaultEncryptionScope>"),
        text.includes("<ImmutableStorageWithVersioningEnabled>"),
      ];
    };
    const scope = "$account-encryption-key";
    assert.deepEqual(await fields("2018-11-09"), [undefined, undefined, false, false]);
    assert.deepEqual(await fields("2020-08-04"), [scope, undefined, true, false]);
    assert.deepEqual(await fields("2020-10-02"), [scope, "false", true, true]);
  });

  test("account information does not exist for anonymous callers", async () => {
    const url = `${kit.service.url}?restype=account&comp=properties`;
    const reply = await fetch(url, { headers: { "x-ms-version": "2021-06-08" } });
    assert.equal(`${reply.status} ${reply.headers.get("x-ms-error-code")}`, "404 ResourceNotFound");
  });

  test("queries over tags name tags that a blob can have, and conditions name tags alone", async () => {
    const container = (await kit.container()).containerName;
    const find = (where: string): Promise<RawReply> =>
      kit.raw({ path: `/${container}`, query: { restype: "container", comp: "blobs", where } });
    for (const where of [`"${"k".repeat(129)}"='v'`, `k='${"v".repeat(257)}'`, "k='!'", "@name='v'"])
      assert.equal(said(await find(where)), "400 InvalidQueryParameterValue", where);
    assert.equal(said(await find("k='v'")), "200");
    const guarded = { ...BLOCK, "x-ms-if-tags": "@container='c'" };
    assert.equal(said(await put(`/${container}/blob`, guarded, "x")), "400 InvalidHeaderValue");
    const twice = { ...BLOCK, "x-ms-tags": Array.from({ length: 11 }, () => "k=v").join("&") };
    assert.equal(said(await put(`/${container}/blob`, twice, "x")), "400 DuplicateTagNames");
  });

  test("a snapshot has the encryption scope of its blob", async () => {
    const path = `/${(await kit.container()).containerName}/blob`;
    await put(path, { ...BLOCK, "x-ms-encryption-scope": "one" }, "x");
    const snapshot = (scope: string): Promise<RawReply> =>
      put(path, { "x-ms-encryption-scope": scope }, "", { comp: "snapshot" });
    assert.equal(said(await snapshot("two")), "409 BlobCustomerSpecifiedEncryptionMismatch");
    assert.equal(said(await snapshot("one")), "201");
  });

  test("a version and a snapshot exclude each other", async () => {
    const path = `/${(await kit.container()).containerName}/blob`;
    const time = "2026-01-01T00:00:00.0000000Z";
    const reply = await kit.raw({ path, query: { snapshot: time, versionid: time } });
    assert.equal(said(reply), "400 MutuallyExclusiveQueryParameters");
  });
});

onEachEngine(
  "answers as recorded with versioning",
  (kit) => {
    test("the current version is marked in every listing, and shows its lease only under its name", async () => {
      const container = await kit.container();
      const path = `/${container.containerName}/blob`;
      const { headers } = await kit.raw({ method: "PUT", path, headers: BLOCK, body: "x" });
      const version = String(headers["x-ms-version-id"]);
      const query = { restype: "container", comp: "list" };
      const listed = await kit.raw({ path: `/${container.containerName}`, query });
      assert.match(listed.text, /<IsCurrentVersion>true</);
      const leaseOf = async (more: Values): Promise<unknown> =>
        (await kit.raw({ method: "HEAD", path, query: more })).headers["x-ms-lease-state"];
      assert.equal(await leaseOf({}), "available");
      assert.equal(await leaseOf({ versionid: version }), undefined);
    });

    test("a deleted blob with versions is listed as the blob it was", async () => {
      const container = await kit.container();
      const path = `/${container.containerName}/blob`;
      await kit.raw({ method: "PUT", path, headers: BLOCK, body: "abc" });
      await kit.raw({ method: "DELETE", path });
      const query = { restype: "container", comp: "list", include: "deletedwithversions" };
      const { text } = await kit.raw({ path: `/${container.containerName}`, query });
      assert.match(text, /<IsCurrentVersion>true<\/IsCurrentVersion><HasVersionsOnly>true</);
      assert.match(text, /<Content-Length>0<.*<LeaseState>available</);
    });
  },
  ["--blobVersioning"],
);
