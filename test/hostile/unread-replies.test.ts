import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { after, before, suite, test } from "node:test";
import { BlobServiceClient } from "@azure/storage-blob";
import { MIB } from "../../src/base/limits.ts";
import { ReplyMemory } from "../../src/memory/reply-memory.ts";
import { Growth } from "../kit/growth.ts";
import { send } from "../kit/send.ts";
import { startTestServer, type TestServer } from "../kit/server.ts";

const pause = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis));

/** Clients that ask and never read. The process must not grow with them, and others must be served. */
const MEMORY = { bytesMax: 24 * MIB, stalledMillis: 300 };
/** The replies, and what the collector has not looked at. Without a bound the process grows by 3,600 MiB. */
const GROWTH_BYTES_MAX = 400 * MIB;

suite("unread replies", () => {
  const replyMemory = new ReplyMemory(MEMORY);
  let server: TestServer;
  let blobs: BlobServiceClient;
  before(async () => {
    server = await startTestServer({ engine: "embedded", replyMemory });
    blobs = BlobServiceClient.fromConnectionString(server.connectionString);
  });
  after(() => server.close());

  async function countBlobs(): Promise<number> {
    let count = 0;
    let marker: string | undefined = "";
    while (marker !== undefined) {
      const query = { restype: "container", comp: "list", include: "metadata", marker };
      const { status, body } = await send(server, { service: "blob", method: "GET", path: "/public", query });
      assert.equal(status, 200, body.slice(0, 300));
      count += body.split("<Blob>").length - 1;
      marker = /<NextMarker>([^<]+)</.exec(body)?.[1];
    }
    return count;
  }

  test("of a public container's listing, over HTTP", async () => {
    const container = blobs.getContainerClient("public");
    await container.create({ access: "container" });
    const metadata = { long: "&".repeat(7_900) };
    const names = Array.from({ length: 240 }, (_, number) => `blob-${number}`);
    for (const name of names) await container.getBlockBlobClient(name).upload("x", 1, { metadata });
    assert.equal(await countBlobs(), names.length);

    const growth = new Growth(() => replyMemory.bytes);
    const { hostname, port } = new URL(server.endpoints.blob);
    const target = `/${server.account}/public?restype=container&comp=list&include=metadata`;
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
    let counted = 0;
    for (let round = 0; round < 3; round++) {
      await pause(500);
      counted += await countBlobs();
    }
    growth.end();
    for (const socket of attackers) socket.destroy();
    assert.equal(counted, 3 * names.length, "an honest client gets all of it");
    const { residentBytes, measured } = growth;
    assert.ok(residentBytes < GROWTH_BYTES_MAX, `grew by ${Math.round(residentBytes / MIB)} MiB`);
    assert.ok(
      measured > 0 && measured <= MEMORY.bytesMax + 4 * MIB,
      `${Math.round(measured / MIB)} MiB of replies`,
    );
    // Whatever is left of them is given back when they are gone.
    for (let wait = 0; wait < 200 && replyMemory.bytes > 0; wait++) await pause(50);
    assert.equal(replyMemory.bytes, 0);
  });
});
