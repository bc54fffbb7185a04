import assert from "node:assert/strict";
import { createHash, randomBytes, randomUUID } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import {
  BlobSASPermissions,
  type BlockBlobClient,
  ContainerSASPermissions,
  generateBlobSASQueryParameters,
} from "@azure/storage-blob";
import { Crc64 } from "../../src/digest/crc64.ts";
import { type BlobKit, onEachEngine, refused } from "../kit/blob.ts";
import type { RawReply } from "../kit/raw.ts";

const MIB = 1024 * 1024;
const md5Of = (bytes: Buffer): Buffer => createHash("md5").update(bytes).digest();

/** A server that is no storage service: it serves one body by its path, and counts who asked. */
async function startElsewhere(): Promise<{ readonly server: Server; readonly url: string }> {
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    if (path === "/broken") {
      response.writeHead(200, { "content-length": "1000" });
      response.write("part");
      setTimeout(() => response.destroy(), 20);
    } else if (path === "/slow") {
      // Enough to be copied in the background, and never all of it.
      response.writeHead(200, { "content-length": String(8 * MIB) });
      response.write("begin");
    } else if (path.startsWith("/large")) {
      response.writeHead(200, { "content-length": String(6 * MIB) });
      response.end(Buffer.alloc(6 * MIB, 3));
    } else if (path === "/moved") {
      response.writeHead(302, { location: "/text" });
      response.end();
    } else if (path === "/text") {
      const etag = '"e1"';
      if (request.headers["if-match"] !== undefined && request.headers["if-match"] !== etag) {
        response.writeHead(412).end();
        return;
      }
      if (request.headers["if-none-match"] === etag) {
        response.writeHead(304).end();
        return;
      }
      const whole = Buffer.from("0123456789");
      const range = /bytes=(\d+)-(\d+)/.exec(request.headers.range ?? "");
      const part = range === null ? whole : whole.subarray(Number(range[1]), Number(range[2]) + 1);
      response.writeHead(range === null ? 200 : 206, {
        "content-type": "text/elsewhere",
        "content-length": String(part.length),
        etag,
      });
      response.end(part);
    } else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

function sasUrl(kit: BlobKit, blob: BlockBlobClient, letters: string): string {
  const sas = generateBlobSASQueryParameters(
    {
      containerName: blob.containerName,
      blobName: blob.name,
      permissions: BlobSASPermissions.parse(letters),
      expiresOn: new Date(kit.server.clock.now() + 3_600_000),
    },
    kit.credential,
  );
  return `${blob.url}?${sas}`;
}

const said = ({ status, code }: RawReply): string => `${status} ${code}`;

onEachEngine("writes from an address", (kit) => {
  let elsewhere: { readonly server: Server; readonly url: string };
  before(async () => {
    elsewhere = await startElsewhere();
  });
  after(() => {
    elsewhere.server.closeAllConnections();
    elsewhere.server.close();
  });

  test("Put Blob From URL takes content and properties from a blob of this server", async () => {
    const container = await kit.container();
    const source = container.getBlockBlobClient("source");
    const bytes = randomBytes(300_000);
    await source.upload(bytes, bytes.length, {
      blobHTTPHeaders: { blobContentType: "a/b", blobContentLanguage: "de" },
      tags: { k: "v" },
    });
    const blob = container.getBlockBlobClient("made");
    const from = sasUrl(kit, source, "rt");
    await blob.syncUploadFromURL(from, {
      blobHTTPHeaders: { blobContentType: "c/d" },
      copySourceTags: "COPY",
    });
    const properties = await blob.getProperties();
    assert.deepEqual(
      [properties.contentType, properties.contentLanguage, properties.tagCount],
      ["c/d", "de", 1],
    );
    assert.deepEqual(Buffer.from(properties.contentMD5!), md5Of(bytes));
    assert.deepEqual(await blob.downloadToBuffer(), bytes);
    await blob.syncUploadFromURL(from, {
      copySourceBlobProperties: false,
      sourceContentMD5: md5Of(bytes),
    });
    assert.equal((await blob.getProperties()).contentType, "application/octet-stream");
    await assert.rejects(
      blob.syncUploadFromURL(from, { sourceContentMD5: Buffer.alloc(16) }),
      refused(400, "Md5Mismatch"),
    );
    await assert.rejects(
      blob.syncUploadFromURL(from, { conditions: { ifMatch: '"0x1"' } }),
      refused(412, "TargetConditionNotMet"),
    );
    await assert.rejects(
      blob.syncUploadFromURL(from, { conditions: { ifNoneMatch: "*" } }),
      refused(409, "BlobAlreadyExists"),
    );
    await assert.rejects(
      blob.syncUploadFromURL(from, { sourceConditions: { ifMatch: '"0x1"' } }),
      refused(412, "SourceConditionNotMet"),
    );
    const { etag } = await source.getProperties();
    await assert.rejects(
      blob.syncUploadFromURL(from, { sourceConditions: { ifNoneMatch: etag! } }),
      refused(304, "CannotVerifyCopySource"),
    );
    const future = new Date(kit.server.clock.now() + 60_000);
    await assert.rejects(
      blob.syncUploadFromURL(from, { sourceConditions: { ifModifiedSince: future } }),
      refused(304),
    );
    await assert.rejects(
      blob.syncUploadFromURL(sasUrl(kit, container.getBlockBlobClient("absent"), "r")),
      refused(404, "CannotVerifyCopySource"),
    );
    assert.deepEqual(await blob.downloadToBuffer(), bytes);
  });

  test("a source named as it would be on Azure is the account's own blob", async () => {
    const container = await kit.container();
    const source = container.getBlockBlobClient("a b");
    await source.upload("here", 4);
    const onAzure = `https://${kit.server.account}.blob.core.windows.net/${container.containerName}/a%20b`;
    const { search } = new URL(sasUrl(kit, source, "r"));
    await container.getBlockBlobClient("put").syncUploadFromURL(`${onAzure}${search}`);
    await (await container.getBlobClient("copied").beginCopyFromURL(onAzure)).pollUntilDone();
    for (const name of ["put", "copied"]) {
      assert.equal((await container.getBlobClient(name).downloadToBuffer()).toString(), "here");
    }
  });

  test("a caller with a SAS needs the right to read the source, too", async () => {
    const container = await kit.container();
    const source = container.getBlockBlobClient("secret");
    await source.upload("secret", 6);
    const target = container.getBlockBlobClient("target");
    const put = async (copySource: string, to = sasUrl(kit, target, "cw")): Promise<string> => {
      const query = Object.fromEntries(new URL(to).searchParams);
      const headers = { "x-ms-blob-type": "BlockBlob", "x-ms-copy-source": copySource };
      const path = `/${container.containerName}/target`;
      return said(await kit.raw({ method: "PUT", path, query, headers, sign: "none" }));
    };
    assert.equal(await put(source.url), "401 CannotVerifyCopySource");
    assert.equal(await put(sasUrl(kit, source, "w")), "403 CannotVerifyCopySource");
    assert.equal(await put(`${sasUrl(kit, source, "r")}x`), "403 CannotVerifyCopySource");
    assert.equal(await put(sasUrl(kit, source, "r")), "201 undefined");
    assert.equal((await target.downloadToBuffer()).toString(), "secret");
    await container.setAccessPolicy("blob");
    assert.equal(await put(source.url), "201 undefined");
    const onContainer = generateBlobSASQueryParameters(
      {
        containerName: container.containerName,
        permissions: ContainerSASPermissions.parse("c"),
        expiresOn: new Date(kit.server.clock.now() + 3_600_000),
      },
      kit.credential,
    );
    assert.equal(await put(source.url, `${target.url}?${onContainer}`), "403 UnauthorizedBlobOverwrite");
  });

  test("blocks, appends and pages come from ranges of a source", async () => {
    const container = await kit.container();
    const source = container.getBlockBlobClient("source");
    const bytes = randomBytes(100_000);
    await source.upload(bytes, bytes.length);
    const from = sasUrl(kit, source, "r");
    const block = container.getBlockBlobClient("block");
    const id = Buffer.from("b1").toString("base64");
    await block.stageBlockFromURL(id, from, 10, 50_000, {
      sourceContentMD5: md5Of(bytes.subarray(10, 50_010)),
    });
    await block.commitBlockList([id]);
    assert.deepEqual(await block.downloadToBuffer(), bytes.subarray(10, 50_010));
    const append = container.getAppendBlobClient("append");
    await append.create();
    const appended = await append.appendBlockFromURL(from, 0, 3_000);
    assert.deepEqual([appended.blobAppendOffset, appended.blobCommittedBlockCount], ["0", 1]);
    await append.appendBlockFromURL(from, 3_000, 50, { conditions: { appendPosition: 3_000 } });
    assert.deepEqual(await append.downloadToBuffer(), bytes.subarray(0, 3_050));
    const page = container.getPageBlobClient("page");
    await page.create(1024);
    await page.uploadPagesFromURL(from, 7, 512, 512);
    assert.deepEqual(await page.downloadToBuffer(512, 512), bytes.subarray(7, 519));
    await assert.rejects(
      block.stageBlockFromURL(id, from, 0, 10, { sourceContentMD5: Buffer.alloc(16) }),
      refused(400, "Md5Mismatch"),
    );
    await assert.rejects(
      block.stageBlockFromURL(id, from, 200_000, 10),
      refused(416, "CannotVerifyCopySource"),
    );
    const wrong = { sourceConditions: { ifMatch: '"0x1"' } };
    await assert.rejects(
      append.appendBlockFromURL(from, 0, 10, wrong),
      refused(412, "CannotVerifyCopySource"),
    );
    await assert.rejects(
      page.uploadPagesFromURL(from, 0, 0, 512, wrong),
      refused(412, "CannotVerifyCopySource"),
    );
    const { etag } = await source.getProperties();
    const same = { sourceConditions: { ifNoneMatch: etag! } };
    await assert.rejects(append.appendBlockFromURL(from, 0, 10, same), refused(304));
    await assert.rejects(page.uploadPagesFromURL(from, 0, 0, 512, same), refused(304));
    assert.equal((await append.getProperties()).blobCommittedBlockCount, 2);
  });

  test("the owner's key opens a source of the account; the error reports every other refusal", async () => {
    const container = await kit.container();
    const source = container.getBlockBlobClient("source");
    await source.upload(Buffer.alloc(512, 1), 512);
    await container.getAppendBlobClient("append").create();
    await container.getPageBlobClient("page").create(512);
    const part = { "x-ms-source-range": "bytes=0-511" };
    const update = { ...part, "x-ms-page-write": "update", "x-ms-range": "bytes=0-511" };
    const writes: [string, Record<string, string>, Record<string, string>, number][] = [
      ["copied", {}, { "x-ms-requires-sync": "true" }, 202],
      ["put", {}, { "x-ms-blob-type": "BlockBlob" }, 201],
      ["block", { comp: "block", blockid: Buffer.from("b1").toString("base64") }, part, 201],
      ["append", { comp: "appendblock" }, part, 201],
      ["page", { comp: "page" }, update, 201],
    ];
    for (const [name, query, headers, ok] of writes) {
      const put = (from: string, version = "2025-07-05") =>
        kit.raw({
          method: "PUT",
          path: `/${container.containerName}/${name}`,
          query,
          headers: { ...headers, "x-ms-version": version, "x-ms-copy-source": from },
        });
      const older = await put(sasUrl(kit, source, "w"), "2025-05-05");
      assert.equal(said(older), "403 CannotVerifyCopySource", name);
      assert.equal(older.headers["x-ms-copy-source-status-code"], undefined, name);
      assert.ok(!older.text.includes("<CopySource"), older.text);
      const refusal = await put(sasUrl(kit, source, "w"));
      assert.equal(said(refusal), "403 CannotVerifyCopySource", name);
      assert.equal(refusal.headers["x-ms-copy-source-status-code"], "403", name);
      assert.equal(refusal.headers["x-ms-copy-source-error-code"], "AuthorizationPermissionMismatch", name);
      const elements = [
        "<CopySourceStatusCode>403</CopySourceStatusCode>",
        "<CopySourceErrorCode>AuthorizationPermissionMismatch</CopySourceErrorCode>",
        "<CopySourceErrorMessage>This request is not authorized",
      ];
      for (const element of elements) assert.ok(refusal.text.includes(element), `${name}: ${refusal.text}`);
      for (const url of [source.url, sasUrl(kit, source, "r")]) {
        assert.equal(said(await put(url)), `${ok} undefined`, name);
      }
      const missing = await put(sasUrl(kit, container.getBlockBlobClient("missing"), "r"));
      assert.equal(said(missing), "404 CannotVerifyCopySource", name);
      assert.equal(missing.headers["x-ms-copy-source-error-code"], "BlobNotFound", name);
    }
    const forbidden = container.getBlockBlobClient("put").syncUploadFromURL(sasUrl(kit, source, "w"));
    await assert.rejects(forbidden, ({ details }: { details: Record<string, string> }) => {
      assert.equal(details.copySourceErrorCode, "AuthorizationPermissionMismatch");
      assert.equal(String(details.copySourceStatusCode), "403");
      assert.match(details.copySourceErrorMessage!, /not authorized/);
      return true;
    });
    await (await container.getBlobClient("async").beginCopyFromURL(source.url)).pollUntilDone();
  });

  test("a digest that does not fit the source stores nothing, whichever operation it came with", async () => {
    const container = await kit.container();
    const bytes = randomBytes(70_000);
    const source = container.getBlockBlobClient("source");
    await source.upload(bytes, bytes.length);
    const address = sasUrl(kit, source, "r");
    await container.getAppendBlobClient("append").create();
    await container.getPageBlobClient("page").create(1024);
    const crc64 = (part: Buffer): string => new Crc64().update(part).base64();
    const id = Buffer.from("b1").toString("base64");
    const part = { "x-ms-source-range": "bytes=0-511" };
    const put = async (
      name: string,
      query: Record<string, string>,
      headers: Record<string, string>,
      from = address,
    ) => {
      const path = `/${container.containerName}/${name}`;
      return said(
        await kit.raw({ method: "PUT", path, query, headers: { ...headers, "x-ms-copy-source": from } }),
      );
    };
    const cases: [string, Record<string, string>, Record<string, string>, Buffer, number][] = [
      ["copied", {}, { "x-ms-requires-sync": "true" }, bytes, 202],
      ["put", {}, { "x-ms-blob-type": "BlockBlob" }, bytes, 201],
      ["block", { comp: "block", blockid: id }, part, bytes.subarray(0, 512), 201],
      ["append", { comp: "appendblock" }, part, bytes.subarray(0, 512), 201],
      [
        "page",
        { comp: "page" },
        { ...part, "x-ms-page-write": "update", "x-ms-range": "bytes=0-511" },
        bytes.subarray(0, 512),
        201,
      ],
    ];
    // The answer has one digest: the MD5 where the client declared it of the source, the CRC64 otherwise.
    const digestsIn = async (
      name: string,
      query: Record<string, string>,
      headers: Record<string, string>,
    ) => {
      const path = `/${container.containerName}/${name}`;
      const sent = { ...headers, "x-ms-copy-source": address };
      const reply = await kit.raw({ method: "PUT", path, query, headers: sent });
      return [reply.headers["content-md5"], reply.headers["x-ms-content-crc64"]];
    };
    for (const [name, query, headers, right, ok] of cases) {
      const md5 = (of: Buffer) => ({ ...headers, "x-ms-source-content-md5": md5Of(of).toString("base64") });
      const crc = (of: Buffer) => ({ ...headers, "x-ms-source-content-crc64": crc64(of) });
      const wrong = Buffer.from("other");
      assert.equal(await put(name, query, md5(wrong)), "400 Md5Mismatch", name);
      assert.equal(await put(name, query, crc(wrong)), "400 Crc64Mismatch", name);
      assert.equal(
        await put(name, query, { ...headers, "x-ms-source-content-md5": "abc" }),
        "400 InvalidMd5",
        name,
      );
      if (ok === 202 || name === "put") assert.equal(await container.getBlobClient(name).exists(), false);
      else if (name === "append")
        assert.equal((await container.getBlobClient(name).getProperties()).contentLength, 0);
      else if (name === "page")
        assert.deepEqual(await container.getBlobClient(name).downloadToBuffer(), Buffer.alloc(1024));
      assert.equal(await put(name, query, md5(right)), `${ok} undefined`, name);
      assert.equal(await put(name, query, crc(right)), `${ok} undefined`, name);
      const declared = md5Of(right).toString("base64");
      assert.deepEqual(await digestsIn(name, query, md5(right)), [declared, undefined], name);
      assert.deepEqual(await digestsIn(name, query, crc(right)), [undefined, crc64(right)], name);
      assert.deepEqual(await digestsIn(name, query, headers), [undefined, crc64(right)], name);
    }
    const sync = { "x-ms-requires-sync": "true" };
    const bad = { ...sync, "x-ms-source-content-md5": md5Of(bytes).toString("base64") };
    assert.equal(await put("sync", {}, bad, `${elsewhere.url}/text`), "400 Md5Mismatch");
    assert.deepEqual(await container.getBlobClient("copied").downloadToBuffer(), bytes);
    const fromElsewhere = await kit.raw({
      method: "PUT",
      path: `/${container.containerName}/fetched`,
      headers: { ...sync, "x-ms-copy-source": `${elsewhere.url}/text` },
    });
    const fetched = await container.getBlobClient("fetched").downloadToBuffer();
    assert.equal(fromElsewhere.headers["x-ms-content-crc64"], crc64(fetched));
    assert.equal(fromElsewhere.headers["content-md5"], undefined);
  });

  test("tags are copied, asked about and set only by a SAS that may touch tags", async () => {
    const container = await kit.container();
    const source = container.getBlockBlobClient("source");
    await source.upload("s", 1, { tags: { a: "b" } });
    const id = Buffer.from("b1").toString("base64");
    const list = `<BlockList><Latest>${id}</Latest></BlockList>`;
    const put = async (
      name: string,
      letters: string,
      request: { query?: Record<string, string>; headers?: Record<string, string>; body?: string },
    ): Promise<string> => {
      const target = container.getBlockBlobClient(name);
      const query = {
        ...request.query,
        ...Object.fromEntries(new URL(sasUrl(kit, target, letters)).searchParams),
      };
      const path = `/${container.containerName}/${name}`;
      return said(await kit.raw({ method: "PUT", path, ...request, query, sign: "none" }));
    };
    const tags = { "x-ms-tags": "a=b" };
    const from = (letters: string) => ({ "x-ms-copy-source": sasUrl(kit, source, letters) });
    const sync = { "x-ms-requires-sync": "true" };
    await container.getBlockBlobClient("list").stageBlock(id, "x", 1);
    const writes: [string, Parameters<typeof put>[2], number][] = [
      ["block", { headers: { ...tags, "x-ms-blob-type": "BlockBlob" }, body: "x" }, 201],
      ["append", { headers: { ...tags, "x-ms-blob-type": "AppendBlob" } }, 201],
      [
        "page",
        { headers: { ...tags, "x-ms-blob-type": "PageBlob", "x-ms-blob-content-length": "512" } },
        201,
      ],
      ["list", { query: { comp: "blocklist" }, headers: tags, body: list }, 201],
      ["copy", { headers: { ...tags, ...from("r") } }, 202],
      ["sync", { headers: { ...tags, ...sync, ...from("r") } }, 202],
      ["url", { headers: { ...tags, "x-ms-blob-type": "BlockBlob", ...from("r") } }, 201],
    ];
    for (const [name, request, ok] of writes) {
      assert.equal(await put(name, "cw", request), "403 AuthorizationPermissionMismatch", name);
      assert.equal(await container.getBlobClient(name).exists(), false, name);
      assert.equal(await put(name, "cwt", request), `${ok} undefined`, name);
      assert.deepEqual((await container.getBlobClient(name).getTags()).tags, { a: "b" }, name);
    }
    const bring = { ...sync, "x-ms-copy-source-tag-option": "COPY" };
    const ask = { "x-ms-source-if-tags": "a = 'b'" };
    assert.equal(await put("t", "cw", { headers: { ...bring, ...from("r") } }), "403 CannotVerifyCopySource");
    assert.equal(await put("t", "cw", { headers: { ...bring, ...from("rt") } }), "202 undefined");
    assert.equal(await put("u", "cw", { headers: { ...ask, ...from("r") } }), "403 CannotVerifyCopySource");
    assert.equal(await put("u", "cw", { headers: { ...ask, ...from("rt") } }), "202 undefined");
  });

  test("any http source is accepted, and the error reports its refusals", async () => {
    const container = await kit.container();
    const blob = container.getBlockBlobClient("fetched");
    await blob.syncUploadFromURL(`${elsewhere.url}/text`);
    assert.equal((await blob.downloadToBuffer()).toString(), "0123456789");
    assert.equal((await blob.getProperties()).contentType, "text/elsewhere");
    const id = Buffer.from("b1").toString("base64");
    await blob.stageBlockFromURL(id, `${elsewhere.url}/text`, 2, 3);
    await blob.commitBlockList([id]);
    assert.equal((await blob.downloadToBuffer()).toString(), "234");
    const from = (path: string, options = {}) => blob.syncUploadFromURL(`${elsewhere.url}${path}`, options);
    await assert.rejects(from("/absent"), refused(404, "CannotVerifyCopySource"));
    await assert.rejects(from("/broken"), refused(500, "CannotVerifyCopySource"));
    await assert.rejects(from("/moved"), refused(500, "CannotVerifyCopySource"));
    await assert.rejects(
      from("/text", { sourceConditions: { ifMatch: '"e2"' } }),
      refused(412, "SourceConditionNotMet"),
    );
    await assert.rejects(
      from("/text", { sourceConditions: { ifNoneMatch: '"e1"' } }),
      refused(304, "CannotVerifyCopySource"),
    );
    await assert.rejects(
      blob.syncUploadFromURL("http://127.0.0.1:1/x"),
      refused(500, "CannotVerifyCopySource"),
    );
    await assert.rejects(blob.syncUploadFromURL("ftp://127.0.0.1/x"), refused(400, "InvalidHeaderValue"));
    assert.equal((await blob.downloadToBuffer()).toString(), "234");
  });

  test("Copy Blob from elsewhere: at once when it is small, pending and then done when it is large", async () => {
    const container = await kit.container();
    const sync = await container.getBlobClient("sync").syncCopyFromURL(`${elsewhere.url}/text`);
    assert.equal(sync.copyStatus, "success");
    const blob = container.getBlobClient("async");
    const small = await blob.beginCopyFromURL(`${elsewhere.url}/text`);
    assert.equal((await small.pollUntilDone()).copyStatus, "success");
    assert.equal((await blob.downloadToBuffer()).toString(), "0123456789");
    const large = await blob.beginCopyFromURL(`${elsewhere.url}/large?sig=secret`, { intervalInMs: 20 });
    assert.equal((await large.pollUntilDone()).copyStatus, "success");
    const properties = await blob.getProperties();
    assert.deepEqual(
      [properties.contentLength, properties.copyStatus, properties.copyProgress, properties.copySource],
      [6 * MIB, "success", `${6 * MIB}/${6 * MIB}`, `${elsewhere.url}/large`],
    );
    assert.ok((await blob.downloadToBuffer()).every((byte) => byte === 3));
  });

  test("a pending copy keeps writers out until it is aborted, and leaves an empty blob", async () => {
    const container = await kit.container();
    const blob = container.getBlockBlobClient("pending");
    await blob.upload("before", 6);
    await blob.beginCopyFromURL(`${elsewhere.url}/slow`, { intervalInMs: 20 });
    const properties = await blob.getProperties();
    const { copyId } = properties;
    assert.deepEqual([properties.copyStatus, properties.contentLength], ["pending", 0]);
    await assert.rejects(blob.setMetadata({ a: "b" }), refused(409, "PendingCopyOperation"));
    await assert.rejects(blob.abortCopyFromURL(randomUUID()), refused(409, "CopyIdMismatch"));
    await assert.rejects(blob.abortCopyFromURL("no id"), refused(400, "InvalidQueryParameterValue"));
    await blob.abortCopyFromURL(copyId!);
    assert.equal((await blob.getProperties()).copyStatus, "aborted");
    await assert.rejects(blob.abortCopyFromURL(copyId!), refused(409, "NoPendingCopyOperation"));
    await blob.upload("after", 5);
    assert.equal((await blob.downloadToBuffer()).toString(), "after");
  });

  test("incremental copies make snapshots that differ as their sources do", async () => {
    const container = await kit.container();
    const source = container.getPageBlobClient("disk");
    await source.create(MIB);
    await source.uploadPages(Buffer.alloc(4096, 1), 0, 4096);
    const first = (await source.createSnapshot()).snapshot!;
    await source.uploadPages(Buffer.alloc(512, 2), 8192, 512);
    const second = (await source.createSnapshot()).snapshot!;
    const backup = container.getPageBlobClient("backup");
    await assert.rejects(
      backup.startCopyIncremental(source.url),
      refused(409, "IncrementalCopySourceMustBeSnapshot"),
    );
    await backup.startCopyIncremental(source.withSnapshot(first).url);
    const { destinationSnapshot: one, isIncrementalCopy } = await backup.getProperties();
    assert.equal(isIncrementalCopy, true);
    await backup.startCopyIncremental(source.withSnapshot(second).url);
    const { destinationSnapshot: two } = await backup.getProperties();
    const then = await backup.withSnapshot(one!).downloadToBuffer(0, 12_288);
    const now = await backup.withSnapshot(two!).downloadToBuffer(0, 12_288);
    assert.deepEqual([then[0], then[8192], now[0], now[8192]], [1, 0, 1, 2]);
    const difference = await backup.withSnapshot(two!).getPageRangesDiff(0, MIB, one!);
    assert.deepEqual(
      difference.pageRange?.map(({ offset }) => offset),
      [8192],
    );
    await assert.rejects(
      backup.startCopyIncremental(source.withSnapshot(first).url),
      refused(409, "IncrementalCopyOfEarlierSnapshotNotAllowed"),
    );
    await assert.rejects(
      backup.uploadPages(Buffer.alloc(512), 0, 512),
      refused(409, "OperationNotAllowedOnIncrementalCopyBlob"),
    );
    await source.uploadPages(Buffer.alloc(512, 9), 0, 512);
    assert.equal((await backup.withSnapshot(two!).downloadToBuffer(0, 512))[0], 1);
  });

  test("a copied page blob and its source go their own ways", async () => {
    const container = await kit.container();
    const source = container.getPageBlobClient("one");
    await source.create(MIB);
    await source.uploadPages(Buffer.alloc(MIB, 1), 0, MIB);
    const { snapshot } = await source.createSnapshot();
    await source.uploadPages(Buffer.alloc(512, 2), 0, 512);
    const copy = container.getPageBlobClient("two");
    await (await copy.beginCopyFromURL(source.withSnapshot(snapshot!).url)).pollUntilDone();
    await copy.uploadPages(Buffer.alloc(512, 3), 512, 512);
    await source.uploadPages(Buffer.alloc(512, 4), 1024, 512);
    const bytesOf = async (blob: { downloadToBuffer(at: number, count: number): Promise<Buffer> }) => {
      const bytes = await blob.downloadToBuffer(0, 2048);
      return [bytes[0], bytes[512], bytes[1024], bytes[1536]];
    };
    assert.deepEqual(await bytesOf(copy), [1, 3, 1, 1]);
    assert.deepEqual(await bytesOf(source), [2, 1, 4, 1]);
    assert.deepEqual(await bytesOf(source.withSnapshot(snapshot!)), [1, 1, 1, 1]);
  });
});
