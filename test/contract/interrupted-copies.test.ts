import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, suite, test } from "node:test";
import { ShareServiceClient } from "@azure/storage-file-share";
import { blobContext } from "../../src/services/blob/context.ts";
import { interruptedBlobCopies } from "../../src/services/blob/interrupted-copies.ts";
import { FileService } from "../../src/services/file/file-service.ts";
import { fileCopies } from "../../src/services/file/run-copy.ts";
import { pendingCopies } from "../../src/store/keys/copies.ts";
import { kitOf } from "../kit/blob.ts";
import { startTestServer, type TestServer } from "../kit/server.ts";

const MIB = 1024 * 1024;

suite("copies that their process did not survive", () => {
  let elsewhere: Server;
  let source: string;
  let server: TestServer;
  before(async () => {
    // Says how much there is, sends a little of it, and leaves it at that.
    elsewhere = createServer((_, response) => {
      response.writeHead(200, { "content-length": String(8 * MIB) });
      response.write("begin");
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, "127.0.0.1", resolve));
    source = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/slow`;
    server = await startTestServer({ engine: "embedded" });
  });
  after(async () => {
    await server.close();
    elsewhere.closeAllConnections();
    elsewhere.close();
  });

  const lookAfter = async (): Promise<void> => {
    await interruptedBlobCopies(blobContext(server.runtime.parts)).run();
    await fileCopies(new FileService(server.runtime.parts)).run();
  };
  const entries = (): Promise<number> =>
    server.runtime.parts.store.read(async (read) => {
      let count = 0;
      for (const service of ["blob", "file"] as const) {
        for await (const _ of read.range(pendingCopies(service))) count++;
      }
      return count;
    });

  test("go on while it lives, and fail when it is gone", async () => {
    const container = await kitOf(server).container();
    const name = container.containerName;
    await container.getBlobClient("copied").beginCopyFromURL(source);
    const share = ShareServiceClient.fromConnectionString(server.connectionString).getShareClient("share");
    await share.create();
    await share.getDirectoryClient("").getFileClient("copied").startCopyFromURL(source);
    await lookAfter();
    assert.equal((await container.getBlobClient("copied").getProperties()).copyStatus, "pending");
    assert.equal(await entries(), 2);

    server = await server.restart();
    const blob = kitOf(server).service.getContainerClient(name).getBlockBlobClient("copied");
    const file = ShareServiceClient.fromConnectionString(server.connectionString)
      .getShareClient("share")
      .getDirectoryClient("")
      .getFileClient("copied");
    assert.equal((await blob.getProperties()).copyStatus, "pending");
    await lookAfter();
    for (const left of [await blob.getProperties(), await file.getProperties()]) {
      assert.equal(left.copyStatus, "failed");
      assert.match(left.copyStatusDescription ?? "", /interrupted/);
    }
    assert.equal(await entries(), 0);
    await blob.upload("anew", 4);
    assert.equal((await blob.downloadToBuffer()).toString(), "anew");
  });

  test("leave nothing to look after when they ended by themselves", async () => {
    const blob = (await kitOf(server).container()).getBlobClient("aborted");
    await blob.beginCopyFromURL(source);
    const { copyId } = await blob.getProperties();
    await blob.abortCopyFromURL(copyId!);
    assert.equal(await entries(), 1);
    await lookAfter();
    assert.equal(await entries(), 0);
    assert.equal((await blob.getProperties()).copyStatus, "aborted");
  });
});
