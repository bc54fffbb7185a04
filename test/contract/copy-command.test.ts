import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { BlobServiceClient } from "@azure/storage-blob";
import { FileSystemAttributes, ShareServiceClient } from "@azure/storage-file-share";
import { QueueServiceClient } from "@azure/storage-queue";
import { type Ended, runProgram } from "../kit/program.ts";
import { startTestServer, type TestServer } from "../kit/server.ts";
import { hasAzurite, launchAzurite } from "../support/azurite.ts";
import { type Description, describeAccount, differences } from "../support/describe-account.ts";
import { fillAccount } from "../support/fill-account.ts";

/** What no request of REST sets. */
const CHANGED = new Set([
  ...[
    "etag",
    "timestamp",
    "createdOn",
    "lastModified",
    "changedOn",
    "insertedOn",
    "expiresOn",
    "dequeueCount",
  ],
  ...["leaseState", "leaseStatus", "leaseDuration", "leaseAndTime", "approximateMessagesCount", "lists"],
  ...["copyId", "copySource", "copyStatus", "copyProgress", "copyCompletedOn"],
]);
/** Snapshots, blobs of uncommitted blocks, archived blobs and service properties stay behind. */
const LEFT = /^blob .* at 20\d\d-|^(blob|queue|table) service$/;
const LEFT_TEXT = /^{"blobType":"BlockBlob","contentLength":0}$|"accessTier":"Archive"/;

async function describe(connectionString: string): Promise<Description> {
  const found = await describeAccount(connectionString, { ignored: CHANGED, dequeues: false });
  return new Map([...found].filter(([name, text]) => !LEFT.test(name) && !LEFT_TEXT.test(text)));
}

function copy(direction: "pull" | "push", remote: string, local: string, ...more: string[]): Promise<Ended> {
  return runProgram([direction, "--connection-string", remote, "--local", local, ...more]);
}

suite("pull and push", () => {
  let source: TestServer;
  let target: TestServer;

  before(async () => {
    [source, target] = [await startTestServer(), await startTestServer()];
  });
  after(async () => {
    await source?.close();
    await target?.close();
  });

  test("pull copies blobs, queues and tables; a second run finds them there", async () => {
    await fillAccount({ connectionString: source.connectionString, objects: 64, seed: 5 });
    const first = await copy("pull", source.connectionString, target.connectionString);
    assert.match(first.stderr, /^blob container-0\/blob 10: .* 409 BlobArchived$/m);
    assert.match(first.stdout, /^copied \d+ objects, \d+ bytes, 2 failed$/m);
    assert.equal(first.code, 1);
    const expected = await describe(source.connectionString);
    assert.ok(expected.size > 140, `${expected.size} objects`);
    assert.deepEqual(differences(expected, await describe(target.connectionString)), []);

    const second = await copy("pull", source.connectionString, target.connectionString);
    assert.match(second.stdout, /, 62 already there, 2 failed/);
    assert.match(second.stderr, /queue queue-0: the target has 32 messages already, so none were copied/);
    assert.deepEqual(differences(expected, await describe(target.connectionString)), []);
  });

  test("a long blob is copied in blocks, and again when either side has changed", async () => {
    const [from, to] = [source, target].map(({ connectionString }) =>
      BlobServiceClient.fromConnectionString(connectionString).getContainerClient("long"),
    );
    await from!.create();
    const name = "folder/../a ? + %41 ü";
    const body = Buffer.alloc(21 * 1024 * 1024, "a long blob ");
    const blob = from!.getBlockBlobClient(name);
    await blob.uploadData(body, { metadata: { part: "1" }, tags: { part: "one of two" } });
    const run = (): Promise<Ended> =>
      copy("push", target.connectionString, source.connectionString, "--services", "blob");
    await run();
    const copied = to!.getBlockBlobClient(name);
    assert.ok((await copied.downloadToBuffer()).equals(body));
    assert.deepEqual((await copied.getTags()).tags, { part: "one of two" });

    await copied.setMetadata({ part: "other" });
    await run();
    assert.deepEqual((await copied.getProperties()).metadata, { part: "1" });
    body.write("changed", 9_000_000);
    await blob.uploadData(body, { metadata: { part: "1" } });
    await run();
    assert.ok((await copied.downloadToBuffer()).equals(body));
  });

  test("a page blob whose copy was interrupted is copied again", async () => {
    const [from, to] = [source, target].map(({ connectionString }) =>
      BlobServiceClient.fromConnectionString(connectionString).getContainerClient("pages"),
    );
    await from!.create();
    await to!.create();
    await from!.getPageBlobClient("page").create(4_096, { metadata: { m: "1" } });
    await from!.getPageBlobClient("page").uploadPages(Buffer.alloc(512, "p"), 1_024, 512);
    // As a copy leaves it that ended before its last request.
    await to!.getPageBlobClient("page").create(4_096, { metadata: { m: "1", holdfast_copying: "1" } });
    await copy("pull", source.connectionString, target.connectionString, "--services", "blob");
    const copied = to!.getPageBlobClient("page");
    assert.deepEqual((await copied.getProperties()).metadata, { m: "1" });
    assert.ok((await copied.downloadToBuffer(1_024, 512)).equals(Buffer.alloc(512, "p")));
  });

  test("--messages receive copies all visible messages, and the source has them again", async () => {
    const [from, to] = [source, target].map(({ connectionString }) =>
      QueueServiceClient.fromConnectionString(connectionString).getQueueClient("received"),
    );
    await from!.create();
    for (let index = 0; index < 40; index++) await from!.sendMessage(`message ${index}`);
    const flags = ["--services", "queue", "--messages", "receive"];
    await copy("pull", source.connectionString, target.connectionString, ...flags);
    assert.equal((await to!.getProperties()).approximateMessagesCount, 40);
    const again = await from!.receiveMessages({ numberOfMessages: 32 });
    assert.equal(again.receivedMessageItems.length, 32);
    assert.equal(again.receivedMessageItems[0]!.dequeueCount, 2);
  });

  test("pull copies shares with their directories, files, times and permissions", async () => {
    const [from, to] = [source, target].map(({ connectionString }) =>
      ShareServiceClient.fromConnectionString(connectionString).getShareClient("share"),
    );
    await from!.create({ quota: 7, metadata: { s: "1" } });
    const inner = from!.getDirectoryClient("outer dir").getDirectoryClient("ä");
    const creationTime = new Date(1.6e12);
    await from!.getDirectoryClient("outer dir").create({ metadata: { d: "1" }, creationTime });
    await inner.create();
    const file = inner.getFileClient("file %.bin");
    const lastWriteTime = new Date(1.61e12);
    await file.create(6_000_000, {
      metadata: { f: "1" },
      fileHttpHeaders: { fileContentType: "text/plain" },
    });
    await file.uploadRange(Buffer.alloc(2_048, "a"), 512, 2_048);
    await file.uploadRange(Buffer.alloc(1_024, "b"), 5_000_192, 1_024);
    const fileAttributes = new FileSystemAttributes();
    fileAttributes.readonly = true;
    fileAttributes.archive = true;
    await file.setProperties({ lastWriteTime, fileAttributes });

    const run = (): Promise<Ended> =>
      copy("pull", source.connectionString, target.connectionString, "--services", "file");
    const first = await run();
    assert.equal(first.code, 0, first.stderr);
    const share = await to!.getProperties();
    assert.deepEqual([share.quota, share.metadata], [7, { s: "1" }]);
    const directory = to!.getDirectoryClient("outer dir");
    const copied = directory.getDirectoryClient("ä").getFileClient("file %.bin");
    const [expected, found] = [await file.getProperties(), await copied.getProperties()];
    for (const name of [
      "contentLength",
      "contentType",
      "fileAttributes",
      "fileLastWriteOn",
      "metadata",
    ] as const)
      assert.deepEqual(found[name], expected[name], name);
    assert.equal(found.fileAttributes, "ReadOnly | Archive");
    assert.deepEqual((await directory.getProperties()).metadata, { d: "1" });
    assert.deepEqual((await directory.getProperties()).fileCreatedOn, creationTime);
    assert.ok((await copied.downloadToBuffer()).equals(await file.downloadToBuffer()));
    assert.match((await run()).stdout, /, 1 already there$/m);
  });

  test("wrong flags are refused with what is expected, and no key is printed", async () => {
    const refused = async (flags: string[], reason: RegExp): Promise<void> => {
      const { code, stderr } = await runProgram(flags, { AZURE_STORAGE_CONNECTION_STRING: "" });
      assert.notEqual(code, 0);
      assert.match(stderr, reason);
      assert.doesNotMatch(stderr, /c2VjcmV0/);
    };
    await refused(
      ["pull", "--connection-string", "AccountKey=c2VjcmV0"],
      /expected AccountName and AccountKey/,
    );
    const account = "AccountName=a;AccountKey=c2VjcmV0";
    await refused(["push", "--connection-string", account, "--services", "disk"], /found disk/);
    await refused(["push", "--connection-string", account, "--messages", "all"], /found all/);
    await refused(["push", "--connection-string", account, "--parallel", "0"], /expected 1 to 64/);
    assert.match((await runProgram(["pull", "--help"])).stdout, /Usage: holdfast pull/);
  });
});

test("an account of the real Azurite is pulled, and pushed back into an empty one", async (story) => {
  if (!hasAzurite()) return story.skip("npm cannot install azurite here");
  const directory = mkdtempSync(join(tmpdir(), "holdfast-copy-"));
  const holdfast = await startTestServer();
  const [full, empty] = [
    await launchAzurite(join(directory, "full")),
    await launchAzurite(join(directory, "empty")),
  ];
  try {
    await fillAccount({ connectionString: full.connectionString, objects: 64, seed: 9 });
    const pulled = await copy("pull", full.connectionString, holdfast.connectionString);
    assert.match(pulled.stdout, /, 2 failed$/m, pulled.stderr);
    const expected = await describe(full.connectionString);
    assert.deepEqual(differences(expected, await describe(holdfast.connectionString)), []);
    const pushed = await copy("push", empty.connectionString, holdfast.connectionString);
    assert.equal(pushed.code, 0, pushed.stderr);
    assert.deepEqual(differences(expected, await describe(empty.connectionString)), []);
  } finally {
    await full.stop();
    await empty.stop();
    await holdfast.close();
    rmSync(directory, { recursive: true, force: true });
  }
});
