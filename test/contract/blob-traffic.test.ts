import assert from "node:assert/strict";
import { connect } from "node:net";
import { Readable } from "node:stream";
import { test } from "node:test";
import { signed } from "../../bench/sign.ts";
import { seededRandom } from "../../src/base/random.ts";
import { onEachEngine } from "../kit/blob.ts";

const KIB = 1_024;
const BLOBS = 24;
const ROUNDS = 2;

/** Every four bytes encode their writer and their offset. */
function contentOf(blob: number, round: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at + 4 <= length; at += 4)
    bytes.writeUInt32LE((at ^ ((blob * 64 + round) << 24)) >>> 0, at);
  return bytes;
}

async function collect(stream: NodeJS.ReadableStream): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

onEachEngine("bodies that come and go at once, in memory that serves one after the other", (kit) => {
  test("each is stored and read as it was sent, beside others that break off", async () => {
    const container = await kit.container();
    const random = seededRandom(7);
    const lengths = Array.from({ length: BLOBS }, () => Math.floor(random.fraction() ** 2 * 3_000 * KIB));
    const port = Number(new URL(kit.server.endpoints.blob).port);
    const path = `/${container.containerName}/broken`;
    const headers = { "x-ms-blob-type": "BlockBlob" };
    const whole = signed({ method: "PUT", path, headers, body: Buffer.alloc(400 * KIB, "broken") }, port);
    const breakOff = (): void => {
      const socket = connect(port, "127.0.0.1");
      socket.on("error", () => {});
      socket.write(whole.subarray(0, 250 * KIB), () => socket.destroy());
    };
    const work = async (blob: number): Promise<void> => {
      const client = container.getBlockBlobClient(`b${blob}`);
      for (let round = 0; round < ROUNDS; round++) {
        const content = contentOf(blob, round, lengths[blob]!);
        if (blob % 3 === 0) breakOff();
        if (blob % 2 === 0) await client.upload(content, content.length);
        else await client.uploadStream(Readable.from(slicesOf(content, 70_001)), 300 * KIB, 3);
        const [all, from] = [await client.download(), Math.floor(content.length / 3)];
        assert.ok((await collect(all.readableStreamBody!)).equals(content), `b${blob} as a whole`);
        if (content.length === 0) continue;
        const part = await client.download(from, Math.min(100_003, content.length - from));
        const expected = content.subarray(from, from + 100_003);
        assert.ok((await collect(part.readableStreamBody!)).equals(expected), `a part of b${blob}`);
      }
    };
    await Promise.all(Array.from({ length: BLOBS }, (_, blob) => work(blob)));
    assert.equal(await container.getBlobClient("broken").exists(), false);
  });
});

function* slicesOf(content: Buffer, step: number): Generator<Buffer> {
  for (let at = 0; at < content.length; at += step) yield content.subarray(at, at + step);
}
