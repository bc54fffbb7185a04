import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { ShareServiceClient } from "@azure/storage-file-share";
import { KIB, MIB } from "../../src/base/limits.ts";
import { ReplyMemory } from "../../src/memory/reply-memory.ts";
import { Growth } from "../kit/growth.ts";
import { startTestServer, type TestServer } from "../kit/server.ts";
import { SmbTestClient } from "../kit/smb-test-client.ts";

const pause = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis));

/**
 * Clients that ask and never read, as in unread-replies.test.ts, over SMB: a process of its own shows its
 * size.
 */
const MEMORY = { bytesMax: 24 * MIB, stalledMillis: 300 };
const GROWTH_BYTES_MAX = 400 * MIB;

suite("unread SMB replies", () => {
  const smbReplyMemory = new ReplyMemory(MEMORY);
  let server: TestServer;
  before(async () => {
    server = await startTestServer({ engine: "embedded", smbReplyMemory });
  });
  after(() => server.close());

  test("of reads of a file, over SMB", async () => {
    const shares = ShareServiceClient.fromConnectionString(server.connectionString);
    const share = shares.getShareClient("public");
    await share.create();
    const content = Buffer.alloc(32 * MIB, "0123456789abcdef");
    const file = share.rootDirectoryClient.getFileClient("file");
    await file.create(content.length);
    await file.uploadData(content);
    const login = {
      port: server.server.ports.smb,
      user: server.account,
      password: server.key,
      share: "public",
    };
    const honest = await SmbTestClient.connect(login);
    const opened = await honest.open("file");

    const growth = new Growth(() => smbReplyMemory.bytes);
    const attackers = await Promise.all(
      Array.from({ length: 24 }, async () => {
        const client = await SmbTestClient.connect(login);
        const handle = await client.open("file");
        // Each reply brings credits, and a request that is sent ahead needs one.
        for (let count = 0; count < 10; count++) await client.read(handle, 0, 16);
        client.stopReading();
        for (let at = 0; at < 480; at++) client.read(handle, at * 64 * KIB, 64 * KIB).catch(() => {});
        return client;
      }),
    );
    for (let round = 0; round < 20; round++) {
      const from = round * 64 * KIB;
      const bytes = await honest.read(opened, from, 64 * KIB);
      assert.ok(bytes.equals(content.subarray(from, from + 64 * KIB)));
      await pause(50);
    }
    growth.end();
    for (const client of [...attackers, honest]) client.vanish();
    const { residentBytes, measured } = growth;
    assert.ok(residentBytes < GROWTH_BYTES_MAX, `grew by ${Math.round(residentBytes / MIB)} MiB`);
    assert.ok(
      measured > 0 && measured <= MEMORY.bytesMax + MIB,
      `${Math.round(measured / MIB)} MiB of replies`,
    );
    for (let wait = 0; wait < 200 && smbReplyMemory.bytes > 0; wait++) await pause(50);
    assert.equal(smbReplyMemory.bytes, 0);
  });
});
