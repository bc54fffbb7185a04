import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { BlobSASPermissions, BlobServiceClient } from "@azure/storage-blob";
import { FileSASPermissions, ShareServiceClient } from "@azure/storage-file-share";
import { startProgram } from "../kit/program.ts";
import { type RawReply, send } from "../kit/send.ts";
import { startTestServer, type TestServer } from "../kit/server.ts";

/** What copies and writes from URLs ask of other servers, and when. */
suite("a request that cannot succeed", () => {
  let server: TestServer;
  let source: string;
  let asked = 0;
  const resolved: string[] = [];
  const elsewhere = createServer((_, reply) => {
    asked++;
    reply.end(Buffer.alloc(512, 1));
  });
  const leaseId = "11111111-2222-3333-4444-555555555555";
  const put = (
    service: "blob" | "file",
    path: string,
    headers: Record<string, string>,
    query: Record<string, string> = {},
  ): Promise<RawReply> =>
    send(server, { service, method: "PUT", path, query, headers, body: Buffer.alloc(0) });
  const made = async (...given: Parameters<typeof put>): Promise<void> => {
    const { status, body } = await put(...given);
    assert.ok(status < 300, `${given[1]}: ${status} ${body}`);
  };
  before(async () => {
    elsewhere.on("connection", () => asked++);
    await new Promise<void>((resolve) => elsewhere.listen(0, "127.0.0.1", resolve));
    source = `http://somewhere.example:${(elsewhere.address() as AddressInfo).port}/thing`;
    const resolveName = async (name: string) => {
      resolved.push(name);
      return ["127.0.0.1"];
    };
    server = await startTestServer({ resolveName });
    await made("blob", "/there", {}, { restype: "container" });
    const size = { "x-ms-blob-content-length": "512" };
    for (const name of ["there", "leased"]) {
      await made("blob", `/there/block-${name}`, { "x-ms-blob-type": "BlockBlob" });
      await made("blob", `/there/append-${name}`, { "x-ms-blob-type": "AppendBlob" });
      await made("blob", `/there/page-${name}`, { "x-ms-blob-type": "PageBlob", ...size });
    }
    await made("file", "/there", {}, { restype: "share" });
    await made("file", "/there/directory", {}, { restype: "directory" });
    const file = { "x-ms-type": "file", "x-ms-content-length": "512" };
    for (const name of ["file", "leased"]) await made("file", `/there/${name}`, file);
    await made("file", "/there/fixed", { ...file, "x-ms-file-attributes": "ReadOnly" });
    const acquire = {
      "x-ms-lease-action": "acquire",
      "x-ms-lease-duration": "-1",
      "x-ms-proposed-lease-id": leaseId,
    };
    for (const kind of ["block", "append", "page"])
      await made("blob", `/there/${kind}-leased`, acquire, { comp: "lease" });
    await made("file", "/there/leased", acquire, { comp: "lease" });
  });
  after(async () => {
    await server.close();
    elsewhere.closeAllConnections();
    elsewhere.close();
  });

  const part = { "x-ms-source-range": "bytes=0-511", "x-ms-range": "bytes=0-511" };
  const operations = {
    copy: { service: "blob", headers: {}, query: {} },
    copyNow: { service: "blob", headers: { "x-ms-requires-sync": "true" }, query: {} },
    putBlob: { service: "blob", headers: { "x-ms-blob-type": "BlockBlob" }, query: {} },
    putBlock: {
      service: "blob",
      headers: {},
      query: { comp: "block", blockid: Buffer.from("b").toString("base64") },
    },
    append: { service: "blob", headers: {}, query: { comp: "appendblock" } },
    putPage: { service: "blob", headers: { ...part, "x-ms-page-write": "update" }, query: { comp: "page" } },
    copyFile: { service: "file", headers: {}, query: {} },
    putRange: { service: "file", headers: { ...part, "x-ms-write": "update" }, query: { comp: "range" } },
  } as const;
  type Name = keyof typeof operations;

  const cases: [Name, string, string, Record<string, string>?][] = [
    ...(["copy", "copyNow", "putBlob", "putBlock", "append", "putPage"] as const).map(
      (name): [Name, string, string] => [name, "/missing/blob", "404 ContainerNotFound"],
    ),
    ...(["copy", "copyNow", "putBlob", "putBlock"] as const).map((name): [Name, string, string] => [
      name,
      "/there/block-leased",
      "412 LeaseIdMissing",
    ]),
    ["append", "/there/append-leased", "412 LeaseIdMissing"],
    ["putPage", "/there/page-leased", "412 LeaseIdMissing"],
    ["copy", "/there/block-there", "409 BlobAlreadyExists", { "If-None-Match": "*" }],
    ["copyNow", "/there/block-there", "412 TargetConditionNotMet", { "If-Match": '"0x1"' }],
    ["putBlob", "/there/block-there", "412 TargetConditionNotMet", { "If-Match": '"0x1"' }],
    ["append", "/there/absent", "404 BlobNotFound"],
    ["append", "/there/block-there", "409 InvalidBlobType"],
    [
      "append",
      "/there/append-there",
      "412 AppendPositionConditionNotMet",
      { "x-ms-blob-condition-appendpos": "9" },
    ],
    ["putBlock", "/there/page-there", "409 InvalidBlobType"],
    ["putPage", "/there/absent", "404 BlobNotFound"],
    [
      "putPage",
      "/there/page-there",
      "412 SequenceNumberConditionNotMet",
      { "x-ms-if-sequence-number-eq": "7" },
    ],
    ["putPage", "/there/page-there", "416 InvalidPageRange", { "x-ms-range": "bytes=512-1023" }],
    ["copyFile", "/missing/file", "404 ShareNotFound"],
    ["copyFile", "/there/nowhere/file", "404 ParentNotFound"],
    ["copyFile", "/there/directory", "409 ResourceTypeMismatch"],
    ["copyFile", "/there/leased", "412 LeaseIdMissing"],
    ["copyFile", "/there/fixed", "409 ReadOnlyAttribute"],
    ["putRange", "/missing/file", "404 ShareNotFound"],
    ["putRange", "/there/absent", "404 ResourceNotFound"],
    ["putRange", "/there/leased", "412 LeaseIdMissing"],
    ["putRange", "/there/fixed", "409 ReadOnlyAttribute"],
    ["putRange", "/there/file", "416 InvalidRange", { "x-ms-range": "bytes=512-1023" }],
  ];

  test("asks no other server for anything, not even for its name", async () => {
    for (const [name, path, expected, more = {}] of cases) {
      const { service, headers, query } = operations[name];
      const reply = await put(service, path, { ...headers, "x-ms-copy-source": source, ...more }, query);
      assert.equal(`${reply.status} ${reply.code}`, expected, `${name} ${path}: ${reply.body}`);
      assert.deepEqual([asked, resolved], [0, []], `${name} ${path}`);
    }
    const signed = await put("blob", "/there/new", { "x-ms-copy-source": source });
    assert.equal(signed.status, 202, signed.body);
    assert.ok(asked > 0 && resolved.length === 1);
  });
});

test("a source at another service of this server is read inside it, by any caller who may read it", async () => {
  const server = await startTestServer({ flags: ["--copySources", "own"] });
  try {
    const container = BlobServiceClient.fromConnectionString(server.connectionString).getContainerClient(
      "copies",
    );
    await container.create();
    const share = ShareServiceClient.fromConnectionString(server.connectionString).getShareClient("share");
    await share.create();
    const content = Buffer.alloc(300_000, "x");
    const file = share.rootDirectoryClient.getFileClient("f");
    await file.uploadData(content, {
      fileHttpHeaders: { fileContentType: "text/file" },
      metadata: { of: "a file" },
    });
    const expiresOn = new Date(server.clock.now() + 3_600_000);
    const readable = await file.generateSasUrl({ permissions: FileSASPermissions.parse("r"), expiresOn });
    const blob = container.getBlockBlobClient("copied");
    await (await blob.beginCopyFromURL(readable)).pollUntilDone();
    assert.deepEqual(await blob.downloadToBuffer(), content);
    const { contentType, metadata } = await blob.getProperties();
    assert.deepEqual([contentType, metadata], ["text/file", { of: "a file" }]);
    await blob.stageBlockFromURL(Buffer.from("1").toString("base64"), readable, 10, 50_000);
    await blob.commitBlockList([Buffer.from("1").toString("base64")]);
    assert.equal((await blob.getProperties()).contentLength, 50_000);

    const back = share.rootDirectoryClient.getFileClient("back");
    const blobUrl = await blob.generateSasUrl({ permissions: BlobSASPermissions.parse("r"), expiresOn });
    await back.startCopyFromURL(blobUrl);
    assert.equal((await back.getProperties()).contentLength, 50_000);
    const refused = (from: string, status: number) =>
      assert.rejects(blob.syncUploadFromURL(from), (error: { statusCode: number; code: string }) => {
        assert.deepEqual([error.statusCode, error.code], [status, "CannotVerifyCopySource"]);
        return true;
      });
    await refused(file.url, 401);
    await refused(`${readable}x`, 403);
    await refused(readable.replace("/f?", "/absent?"), 403);
    // Only content is a source: no listing, no properties, and no message of a queue.
    const listing = new URL(share.url);
    listing.search = "?restype=directory&comp=list";
    await refused(listing.href, 403);
    await refused(`${server.endpoints.queue}/${server.account}/q/messages?peekonly=true`, 403);
    await refused("http://192.0.2.1/elsewhere", 403);
  } finally {
    await server.close();
  }
});

test("the admin port is no source for a copy, with one process and with several", async () => {
  for (const workers of ["1", "2"]) {
    const parent = mkdtempSync(join(tmpdir(), "holdfast-copies-"));
    const flags = ["--location", join(parent, "data"), "--workers", workers, "--silent"];
    const program = await startProgram(flags);
    try {
      const ask = (method: string, path: string, query = {}, headers = {}) =>
        send(program, {
          service: "blob",
          method,
          path,
          query,
          headers,
          ...(method === "PUT" ? { body: Buffer.alloc(0) } : {}),
        });
      assert.equal((await ask("PUT", "/copies", { restype: "container" })).status, 201);
      // Each request is a connection of its own: with two workers, each of them is asked.
      for (let round = 0; round < 4; round++) {
        for (const host of ["127.0.0.1", "localhost", "0.0.0.0", "[::ffff:127.0.0.1]"]) {
          const from = { "x-ms-copy-source": `http://${host}:${program.ports.admin}/metrics` };
          const copied = await ask("PUT", "/copies/metrics", {}, from);
          assert.equal(`${copied.status} ${copied.code}`, "403 CannotVerifyCopySource", copied.body);
        }
        const elsewhere = {
          Host: "spoofed.example",
          "x-ms-copy-source": `${program.endpoints.blob}/devstoreaccount1/copies/none`,
        };
        const own = await ask("PUT", "/copies/own", {}, elsewhere);
        assert.equal(own.status, 404, own.body);
      }
    } finally {
      await program.stop();
      rmSync(parent, { recursive: true, force: true });
    }
  }
});
