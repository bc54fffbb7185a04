import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { type BlobKit, kitOf, refused } from "../kit/blob.ts";
import { raw } from "../kit/raw.ts";
import { startTestServer, type TestServer } from "../kit/server.ts";

const MIB = 1024 * 1024;

/** What flags of Azurite do beyond being accepted; how each is read is in src/process/options.test.ts. */
suite("flags of Azurite", () => {
  let server: TestServer;
  let kit: BlobKit;
  before(async () => {
    const flags = ["--extentMemoryLimit", "3", "--blobKeepAliveTimeout", "7"];
    server = await startTestServer({ engine: "memory", flags });
    kit = kitOf(server);
  });
  after(() => server.close());

  test("--extentMemoryLimit: what does not fit is refused, and what is there stays", async () => {
    const container = await kit.container();
    const small = container.getBlockBlobClient("small");
    await small.upload(Buffer.alloc(MIB, 1), MIB);
    const large = container.getBlockBlobClient("large");
    const write = large.upload(Buffer.alloc(4 * MIB), 4 * MIB);
    await assert.rejects(write, refused(409, "MemoryExtentStoreAtSizeLimit"));
    assert.equal(await large.exists(), false);
    assert.ok((await small.downloadToBuffer()).every((byte) => byte === 1));
  });

  test("--blobKeepAliveTimeout: how long an idle connection is kept", async () => {
    const asking = {
      method: "GET",
      path: "/",
      query: { comp: "list" },
      headers: { Connection: "keep-alive" },
    };
    const { headers } = await raw(server, asking);
    assert.equal(headers["keep-alive"], "timeout=7");
  });
});
