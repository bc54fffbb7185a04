import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { BlobServiceClient } from "@azure/storage-blob";
import { ShareServiceClient } from "@azure/storage-file-share";
import { pause } from "../../src/base/clock.ts";
import { KIB, LIMITS, MIB } from "../../src/base/limits.ts";
import { WELL_KNOWN_ACCOUNT, WELL_KNOWN_KEY } from "../../src/services/account/account-list.ts";
import { SMB_LIMITS } from "../../src/smb/limits.ts";
import { Growth, unsentReplyBytes } from "../kit/growth.ts";
import { type Program, startProgram } from "../kit/program.ts";
import { SmbTestClient } from "../kit/smb-test-client.ts";

/** The replies, a young heap, and garbage: 190 MiB were seen. Without the bound, HTTP grows by 3,600 MiB. */
const GROWTH_BYTES_MAX = 4 * LIMITS.replyMemoryBytesMax;

/** Clients that request and never read. The process must not grow with them, and others must be served. */
suite("unread replies", () => {
  const directory = mkdtempSync(join(tmpdir(), "holdfast-unread-"));
  let program: Program;
  before(async () => {
    program = await startProgram(["--location", directory, "--silent"]);
  });
  after(async () => {
    await program.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  async function assertBounded(growth: Growth, frontEnd: "http" | "smb", bytesMax: number): Promise<void> {
    await growth.end();
    const { residentBytes, unsentBytes } = growth;
    const mib = (bytes: number): string => `${Math.round(bytes / MIB)} MiB`;
    assert.ok(residentBytes < GROWTH_BYTES_MAX, `grew by ${mib(residentBytes)}`);
    assert.ok(unsentBytes > bytesMax / 2 && unsentBytes <= bytesMax, `${mib(unsentBytes)} of replies`);
    // The server releases them when the clients have disconnected.
    for (let wait = 0; wait < 200 && (await unsentReplyBytes(program, frontEnd)) > 0; wait++) await pause(50);
    assert.equal(await unsentReplyBytes(program, frontEnd), 0);
  }

  test("of a public container's listing, over HTTP", async () => {
    const container = BlobServiceClient.fromConnectionString(program.connectionString).getContainerClient(
      "public",
    );
    await container.create({ access: "container" });
    const metadata = { long: "&".repeat(7_900) };
    const names = Array.from({ length: 240 }, (_, number) => `blob-${number}`);
    for (const name of names) await container.getBlockBlobClient(name).upload("x", 1, { metadata });
    const countBlobs = async (): Promise<number> => {
      let count = 0;
      for await (const _ of container.listBlobsFlat({ includeMetadata: true })) count++;
      return count;
    };
    assert.equal(await countBlobs(), names.length);

    const growth = new Growth(program, "http");
    const { hostname, port, pathname } = new URL(`${container.url}?`);
    const target = `${pathname}?restype=container&comp=list&include=metadata`;
    const request = `GET ${target} HTTP/1.1\r\nHost: x\r\nx-ms-version: 2021-12-02\r\n\r\n`;
    const attack = (): Socket => {
      const socket = connect(Number(port), hostname);
      socket.pause();
      socket.on("error", () => {});
      // Several requests at once: the replies to them would wait behind each other.
      socket.write(request.repeat(4));
      return socket;
    };
    const attackers = Array.from({ length: 40 }, attack);
    await pause(500);
    let counted = 0;
    for (let round = 0; round < 3; round++) counted += await countBlobs();
    for (const socket of attackers) socket.destroy();
    assert.equal(counted, 3 * names.length, "an honest client gets all of it");
    await assertBounded(growth, "http", LIMITS.replyMemoryBytesMax + 4 * MIB);
  });

  test("of reads of a file, over SMB", async () => {
    const share = ShareServiceClient.fromConnectionString(program.connectionString).getShareClient("public");
    await share.create();
    const content = Buffer.alloc(32 * MIB, "0123456789abcdef");
    const file = share.rootDirectoryClient.getFileClient("file");
    await file.create(content.length);
    await file.uploadData(content);
    const account = { user: WELL_KNOWN_ACCOUNT, password: WELL_KNOWN_KEY };
    const login = { port: program.ports.smb, share: "public", ...account };
    const honest = await SmbTestClient.connect(login);
    const opened = await honest.open("file");

    const growth = new Growth(program, "smb");
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
    for (const client of [...attackers, honest]) client.vanish();
    await assertBounded(growth, "smb", SMB_LIMITS.replyMemoryBytesMax + MIB);
  });
});
