import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { test } from "node:test";
import { Crc64 } from "../../src/digest/crc64.ts";
import { all, onEachEngine, refused } from "../kit/blob.ts";

const md5 = (bytes: Buffer | string): Buffer => createHash("md5").update(bytes).digest();

onEachEngine("block blobs in one request", (kit) => {
  test("what was put is got, with its properties", async () => {
    const container = await kit.container();
    const blob = container.getBlockBlobClient("folder/report ü.txt");
    const put = await blob.upload("hello", 5, {
      blobHTTPHeaders: {
        blobContentType: "text/plain",
        blobContentEncoding: "identity",
        blobContentLanguage: "en",
        blobContentDisposition: "inline",
        blobCacheControl: "no-store",
      },
      metadata: { Owner: "us" },
      tags: { colour: "blue and green", "a b": "1+1=2" },
      tier: "Cool",
    });
    assert.deepEqual(Buffer.from(put.contentMD5!), md5("hello"));
    assert.equal(put.isServerEncrypted, true);
    const got = await blob.download();
    assert.equal((await blob.downloadToBuffer()).toString(), "hello");
    assert.equal(got.etag, put.etag);
    assert.equal(got.contentType, "text/plain");
    assert.deepEqual(Buffer.from(got.contentMD5!), md5("hello"));
    const found = await blob.getProperties();
    assert.equal(found.etag, put.etag);
    assert.deepEqual(found.lastModified, put.lastModified);
    assert.deepEqual(found.createdOn, put.lastModified);
    assert.equal(found.contentLength, 5);
    assert.equal(found.blobType, "BlockBlob");
    assert.equal(found.accessTier, "Cool");
    assert.equal(found.contentEncoding, "identity");
    assert.equal(found.contentLanguage, "en");
    assert.equal(found.contentDisposition, "inline");
    assert.equal(found.cacheControl, "no-store");
    assert.equal(found.tagCount, 2);
    assert.deepEqual(found.metadata, { owner: "us" });
    assert.equal(found.leaseState, "available");
  });

  test("a type that was not given reads as bytes, and plain headers of the body are taken", async () => {
    const container = await kit.container();
    const path = `/${container.containerName}/plain`;
    const headers = {
      "x-ms-blob-type": "BlockBlob",
      "Content-Type": "text/csv",
      "Cache-Control": "max-age=3",
    };
    assert.equal((await kit.raw({ method: "PUT", path, headers, body: "a,b" })).status, 201);
    const got = await kit.raw({ path });
    assert.equal(got.headers["content-type"], "text/csv");
    assert.equal(got.headers["cache-control"], "max-age=3");
    await kit.raw({ method: "PUT", path, headers: { "x-ms-blob-type": "BlockBlob" }, body: "x" });
    const again = await kit.raw({ path });
    assert.equal(again.headers["content-type"], "application/octet-stream");
    assert.equal(again.headers["cache-control"], undefined);
    assert.equal(again.headers["content-length"], "1");
    assert.equal(again.headers["accept-ranges"], "bytes");
  });

  for (const bytes of [0, 1, 8_192, 8_193, 300_000, 9_000_000]) {
    test(`${bytes} bytes come back as they were, whole and in ranges`, async () => {
      const container = await kit.container();
      const blob = container.getBlockBlobClient("sized");
      const body = randomBytes(bytes);
      await blob.upload(body, bytes);
      assert.ok((await blob.downloadToBuffer()).equals(body));
      if (bytes === 0) return;
      const middle = Math.floor(bytes / 2);
      const part = await blob.downloadToBuffer(middle, Math.min(1_000, bytes - middle));
      assert.ok(part.equals(body.subarray(middle, middle + 1_000)));
      const path = `/${container.containerName}/sized`;
      const tail = await kit.raw({ path, headers: { "x-ms-range": `bytes=${bytes - 1}-` } });
      assert.equal(tail.status, 206);
      assert.equal(tail.headers["content-range"], `bytes ${bytes - 1}-${bytes - 1}/${bytes}`);
      assert.ok(tail.body.equals(body.subarray(bytes - 1)));
    });
  }

  test("an overwrite has a new ETag and replaces everything but the time of creation", async () => {
    const container = await kit.container();
    const blob = container.getBlockBlobClient("twice");
    const first = await blob.upload("one", 3, { metadata: { a: "1" }, tags: { t: "1" }, tier: "Cool" });
    kit.server.clock.advance(2_000);
    const second = await blob.upload("second", 6);
    assert.notEqual(second.etag, first.etag);
    assert.ok(second.lastModified! > first.lastModified!);
    const found = await blob.getProperties();
    assert.deepEqual(found.metadata, {});
    assert.equal(found.tagCount, undefined);
    assert.equal(found.accessTier, "Hot");
    assert.equal(found.accessTierInferred, true);
    assert.deepEqual(found.createdOn, first.lastModified);
    assert.equal((await blob.downloadToBuffer()).toString(), "second");
  });

  test("a deleted blob is gone, and its ETag never comes back", async () => {
    const container = await kit.container();
    const blob = container.getBlockBlobClient("gone");
    const first = await blob.upload("one", 3);
    const deleted = await blob.delete();
    assert.equal(deleted._response.headers.get("x-ms-delete-type-permanent"), "true");
    await assert.rejects(blob.getProperties(), refused(404));
    await assert.rejects(blob.download(), refused(404, "BlobNotFound"));
    await assert.rejects(blob.delete(), refused(404, "BlobNotFound"));
    const second = await blob.upload("one", 3);
    assert.notEqual(second.etag, first.etag);
  });

  test("without its container there is no blob", async () => {
    const nowhere = kit.service.getContainerClient(kit.name()).getBlockBlobClient("x");
    await assert.rejects(nowhere.upload("x", 1), refused(404, "ContainerNotFound"));
    await assert.rejects(nowhere.upload(Buffer.alloc(20_000), 20_000), refused(404, "ContainerNotFound"));
    await assert.rejects(nowhere.download(), refused(404, "ContainerNotFound"));
    await assert.rejects(nowhere.delete(), refused(404, "ContainerNotFound"));
  });

  test("a range beyond the end is refused, one that cannot be read is ignored", async () => {
    const container = await kit.container();
    await container.uploadBlockBlob("r", "0123456789", 10);
    await container.uploadBlockBlob("empty", "", 0);
    const path = `/${container.containerName}/r`;
    const beyond = await kit.raw({ path, headers: { Range: "bytes=10-" } });
    assert.deepEqual([beyond.status, beyond.code], [416, "InvalidRange"]);
    assert.equal(beyond.headers["content-range"], "bytes */10");
    const empty = await kit.raw({
      path: `/${container.containerName}/empty`,
      headers: { "x-ms-range": "bytes=0-0" },
    });
    assert.equal(empty.status, 416);
    for (const range of ["bytes=-5", "bytes=5-2", "rows=1-2", "bytes=1-2,4-5", "bytes=a-b"]) {
      const reply = await kit.raw({ path, headers: { "x-ms-range": range } });
      assert.deepEqual([reply.status, reply.text], [200, "0123456789"], range);
    }
    const both = await kit.raw({ path, headers: { Range: "bytes=0-1", "x-ms-range": "bytes=2-3" } });
    assert.deepEqual([both.status, both.text], [206, "23"]);
    const long = await kit.raw({ path, headers: { "x-ms-range": "bytes=8-18446744073709551615" } });
    assert.deepEqual([long.status, long.text], [206, "89"]);
  });

  test("the MD5 or CRC64 of a range comes with it, up to 4 MiB", async () => {
    const container = await kit.container();
    const body = randomBytes(5_000_000);
    const blob = container.getBlockBlobClient("digests");
    await blob.upload(body, body.length);
    const ranged = await blob.download(100, 1_000, { rangeGetContentMD5: true });
    assert.deepEqual(Buffer.from(ranged.contentMD5!), md5(body.subarray(100, 1_100)));
    assert.deepEqual(Buffer.from(ranged.blobContentMD5!), md5(body));
    const crc = await blob.download(100, 1_000, { rangeGetContentCrc64: true });
    assert.equal(crc.contentCrc64?.length, 8);
    const plain = await blob.download(100, 1_000);
    assert.equal(plain.contentMD5, undefined);
    const path = `/${container.containerName}/digests`;
    const md5Request = { "x-ms-range-get-content-md5": "true" };
    assert.equal((await kit.raw({ path, headers: md5Request })).code, "InvalidHeaderValue");
    const long = await kit.raw({ path, headers: { ...md5Request, "x-ms-range": "bytes=0-4194304" } });
    assert.equal(long.code, "OutOfRangeInput");
    const both = { ...md5Request, "x-ms-range-get-content-crc64": "true", "x-ms-range": "bytes=0-1" };
    assert.equal((await kit.raw({ path, headers: both })).status, 400);
  });

  test("a digest that does not fit the body is refused, and nothing is stored", async () => {
    const container = await kit.container();
    const path = `/${container.containerName}/digest`;
    const put = (headers: Record<string, string>, body = "body") =>
      kit.raw({ method: "PUT", path, headers: { "x-ms-blob-type": "BlockBlob", ...headers }, body });
    const wrong = md5("other").toString("base64");
    assert.equal((await put({ "Content-MD5": wrong })).code, "Md5Mismatch");
    assert.equal((await put({ "Content-MD5": wrong }, "x".repeat(20_000))).code, "Md5Mismatch");
    assert.equal((await put({ "Content-MD5": "nonsense" })).code, "InvalidMd5");
    assert.equal((await put({ "x-ms-content-crc64": "AAAAAAAAAAA=" })).code, "Crc64Mismatch");
    assert.equal((await put({ "x-ms-blob-content-md5": wrong })).code, "Md5Mismatch");
    assert.equal((await put({ "x-ms-blob-content-md5": "nonsense" })).code, "Md5Mismatch");
    assert.equal((await put({ "x-ms-blob-content-md5": "not Base64" })).code, "InvalidMd5");
    assert.equal((await put({ "x-ms-content-crc64": "AAAA" })).code, "Crc64Mismatch");
    const both = { "Content-MD5": wrong, "x-ms-content-crc64": "AAAAAAAAAAA=" };
    assert.equal((await put(both)).code, "BothCrc64AndMd5HeaderPresent");
    assert.equal((await kit.raw({ path })).status, 404);
    assert.equal((await put({ "Content-MD5": md5("body").toString("base64") })).status, 201);
    assert.equal((await put({ "x-ms-blob-content-md5": md5("body").toString("base64") })).status, 201);
    const crc64 = new Crc64().update(Buffer.from("body")).base64();
    assert.equal((await put({ "x-ms-content-crc64": crc64 })).headers["x-ms-content-crc64"], crc64);
  });

  test("of many small blobs that arrive together each has its own digest, and a wrong one harms no other", async () => {
    const container = await kit.container();
    const bodies = Array.from({ length: 40 }, (_, i) => randomBytes(i % 3 === 0 ? 1_024 : 100 + i));
    const put = (body: Buffer, i: number) =>
      kit.raw({
        method: "PUT",
        path: `/${container.containerName}/many-${i}`,
        headers: {
          "x-ms-blob-type": "BlockBlob",
          ...(i % 10 === 7 && { "x-ms-blob-content-md5": md5("other").toString("base64") }),
        },
        body,
      });
    const replies = await Promise.all(bodies.map(put));
    for (const [i, reply] of replies.entries()) {
      if (i % 10 === 7) assert.equal(reply.code, "Md5Mismatch");
      else assert.equal(reply.headers["content-md5"], md5(bodies[i]!).toString("base64"));
    }
    const got = await container.getBlobClient("many-8").download();
    assert.deepEqual(Buffer.from(got.contentMD5!), md5(bodies[8]!));
  });

  test("a blob has a type, and a length only where it is a page blob", async () => {
    const container = await kit.container();
    const path = `/${container.containerName}/typed`;
    const none = await kit.raw({ method: "PUT", path, body: "x" });
    assert.deepEqual([none.status, none.code], [400, "MissingRequiredHeader"]);
    const odd = await kit.raw({ method: "PUT", path, headers: { "x-ms-blob-type": "TapeBlob" }, body: "x" });
    assert.deepEqual([odd.status, odd.code], [400, "InvalidHeaderValue"]);
    const headers = { "x-ms-blob-type": "BlockBlob", "x-ms-blob-content-length": "512" };
    assert.equal((await kit.raw({ method: "PUT", path, headers, body: "x" })).code, "InvalidHeaderValue");
    const tier = { "x-ms-blob-type": "BlockBlob", "x-ms-access-tier": "Lukewarm" };
    assert.equal(
      (await kit.raw({ method: "PUT", path, headers: tier, body: "x" })).code,
      "InvalidHeaderValue",
    );
  });

  test("an older version of the protocol has smaller limits", async () => {
    const container = await kit.container();
    const headers = {
      "x-ms-blob-type": "BlockBlob",
      "x-ms-version": "2015-12-11",
      "content-length": String(64 * 1_048_576 + 1),
      expect: "100-continue",
    };
    const reply = await kit.raw({ method: "PUT", path: `/${container.containerName}/big`, headers });
    assert.deepEqual([reply.status, reply.code], [413, "RequestBodyTooLarge"]);
    assert.match(reply.text, /<MaxLimit>67108864<\/MaxLimit>/);
  });

  test("names with every odd character are kept as they are", async () => {
    const container = await kit.container();
    const names = [
      " leading",
      "trailing ",
      "per%cent",
      "plus+plus",
      "quest?ion#hash",
      "a//b///c",
      "\u{1f600}/\u00e9\u0301",
      "ctrl-\u0001-\u001f",
      "quote'\"<&>",
      "dot.",
      "~!@$^&*()=[]{}|;:,",
      "\u7f16".repeat(1_000),
      "x".repeat(1_024),
      "~".repeat(1_024),
    ];
    for (const name of names) {
      const blob = container.getBlockBlobClient(name);
      await blob.upload(name, Buffer.byteLength(name));
      assert.equal((await blob.downloadToBuffer()).toString(), name);
    }
    const listed = (await all(container.listBlobsFlat())).map(({ name }) => name);
    assert.deepEqual(new Set(listed), new Set(names));
    assert.deepEqual(
      listed,
      [...names].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
    );
    const long = await kit.raw({ path: `/${container.containerName}/${"x".repeat(1_025)}` });
    assert.deepEqual([long.status, long.code], [400, "OutOfRangeInput"]);
    const deep = await kit.raw({ path: `/${container.containerName}/${"x/".repeat(254)}x` });
    assert.equal(deep.status, 400);
  });

  test("blobs of the root container need no container in their address", async () => {
    const root = kit.service.getContainerClient("$root");
    await root.createIfNotExists();
    await root.uploadBlockBlob("at-the-root", "here", 4);
    const got = await kit.raw({ path: "/at-the-root" });
    assert.equal(got.text, "here");
    assert.equal((await kit.raw({ method: "DELETE", path: "/at-the-root" })).status, 202);
  });

  test("a backslash in the address is the slash that was meant, for a SAS as well", async () => {
    const container = await kit.container();
    await container.getBlockBlobClient("a\\b\\c.txt").upload("1", 1);
    assert.deepEqual(
      (await all(container.listBlobsFlat())).map((blob) => blob.name),
      ["a/b/c.txt"],
    );
    assert.equal((await container.getBlobClient("a/b/c.txt").downloadToBuffer()).toString(), "1");
    const { BlobClient, BlobSASPermissions } = await import("@azure/storage-blob");
    const url = await container.getBlobClient("a/b/c.txt").generateSasUrl({
      permissions: BlobSASPermissions.parse("r"),
      expiresOn: new Date(Date.now() + 60_000),
    });
    const read = await new BlobClient(url.replace("a/b/c.txt", "a%5Cb%5Cc.txt")).downloadToBuffer();
    assert.equal(read.toString(), "1");
  });

  test("a blob whose name ends with a slash is not the one without, for a SAS as well", async () => {
    const container = await kit.container();
    const { BlobClient, BlobSASPermissions } = await import("@azure/storage-blob");
    for (const name of ["folder", "folder/"])
      await container.getBlockBlobClient(name).upload(name, name.length);
    const urlOf = (name: string): Promise<string> =>
      container.getBlobClient(name).generateSasUrl({
        permissions: BlobSASPermissions.parse("r"),
        expiresOn: new Date(Date.now() + 60_000),
      });
    for (const name of ["folder", "folder/"]) {
      const read = await new BlobClient(await urlOf(name)).downloadToBuffer();
      assert.equal(read.toString(), name);
    }
    const other = (await urlOf("folder")).replace("/folder?", "/folder/?");
    await assert.rejects(new BlobClient(other).getProperties(), refused(403, "AuthenticationFailed"));
  });

  test("a SAS without a version header is answered with the version of the SAS", async () => {
    const container = await kit.container();
    const { BlobSASPermissions } = await import("@azure/storage-blob");
    const blob = container.getBlockBlobClient("x");
    await blob.upload("1", 1);
    const url = await blob.generateSasUrl({
      permissions: BlobSASPermissions.parse("r"),
      expiresOn: new Date(Date.now() + 60_000),
      version: "2020-10-02",
    });
    assert.equal((await fetch(url)).headers.get("x-ms-version"), "2020-10-02");
  });

  test("SAS letters decide who creates and who overwrites", async () => {
    const container = await kit.container();
    const { BlobClient, BlobSASPermissions, BlockBlobClient } = await import("@azure/storage-blob");
    const blob = container.getBlockBlobClient("shared");
    const sas = (letters: string) =>
      blob.generateSasUrl({
        permissions: BlobSASPermissions.parse(letters),
        expiresOn: new Date(kit.server.clock.now() + 60_000),
        contentType: letters === "r" ? "text/x-sas" : undefined!,
      });
    const creator = new BlockBlobClient(await sas("c"));
    await creator.upload("1", 1);
    await assert.rejects(creator.upload("2", 1), refused(403, "UnauthorizedBlobOverwrite"));
    await assert.rejects(creator.download(), refused(403, "AuthorizationPermissionMismatch"));
    await new BlockBlobClient(await sas("w")).upload("3", 1);
    const reader = new BlobClient(await sas("r"));
    assert.equal((await reader.download()).contentType, "text/x-sas");
    await assert.rejects(reader.delete(), refused(403, "AuthorizationPermissionMismatch"));
    await new BlobClient(await sas("d")).delete();
  });

  test("anyone reads the blobs of a public container, and no anonymous caller writes them", async () => {
    const container = kit.service.getContainerClient(kit.name());
    await container.create({ access: "blob" });
    await container.uploadBlockBlob("open", "to all", 6);
    const strangers = kit.anonymous.getContainerClient(container.containerName);
    assert.equal((await strangers.getBlobClient("open").downloadToBuffer()).toString(), "to all");
    await assert.rejects(all(strangers.listBlobsFlat()), refused(401));
    await assert.rejects(strangers.getBlobClient("open").delete(), refused(401));
  });

  test("a download that has started ends with the bytes and the ETag it started with", async () => {
    const container = await kit.container();
    const blob = container.getBlockBlobClient("moving");
    const before = randomBytes(6_000_000);
    const put = await blob.upload(before, before.length);
    const download = await blob.download();
    const stream = download.readableStreamBody as NodeJS.ReadableStream & AsyncIterable<Buffer>;
    const chunks: Buffer[] = [];
    for await (const chunk of stream) {
      if (chunks.length === 0) {
        await blob.upload("new", 3);
        await blob.delete();
      }
      chunks.push(Buffer.from(chunk));
    }
    assert.equal(download.etag, put.etag);
    assert.ok(Buffer.concat(chunks).equals(before));
  });
});
