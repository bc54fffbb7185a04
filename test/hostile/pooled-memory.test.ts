import assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "node:test";
import { signed } from "../../bench/sign.ts";
import { LIMITS, MIB } from "../../src/base/limits.ts";
import { bufferPool } from "../../src/memory/buffer-pool.ts";
import { commonMemory } from "../../src/memory/common-memory.ts";
import { type PooledBuffer, release } from "../../src/memory/pooled-buffer.ts";
import { raw } from "../kit/raw.ts";
import { startTestServer, type TestServer } from "../kit/server.ts";

/**
 * How much of the common memory is free for reads, and how much for bodies: what a transfer forgot is missing
 * here.
 */
function freeForReads(): number {
  const count = LIMITS.commonReadBytesMax / LIMITS.extentReadBytes;
  const reads = Array.from({ length: count }, () => bufferPool.acquireRead(LIMITS.extentReadBytes));
  const common = reads.filter((bytes) => commonMemory.includes(bytes)).length;
  reads.forEach(release);
  return common * LIMITS.extentReadBytes;
}

function freeForBodies(): number {
  const bodies: PooledBuffer[] = [];
  for (let next = bufferPool.acquireBodyBuffer(); next !== undefined; next = bufferPool.acquireBodyBuffer())
    bodies.push(next);
  const common = bodies.filter((bytes) => commonMemory.includes(bytes)).length;
  for (const body of bodies) bufferPool.releaseBodyBuffer(body);
  return common * LIMITS.bodyBufferBytes;
}

const ALL_READS = LIMITS.commonReadBytesMax;
const ALL_BODIES = LIMITS.bodyBuffersMax * LIMITS.bodyBufferBytes;

async function withServer(run: (server: TestServer) => Promise<void>): Promise<void> {
  const server = await startTestServer({ engine: "embedded" });
  try {
    const made = await raw(server, { method: "PUT", path: "/box", query: { restype: "container" } });
    assert.equal(made.status, 201);
    await run(server);
  } finally {
    await server.close();
  }
}

/**
 * Sends a request and goes away after so many bytes of the reply, or when so many of the request have left.
 */
function breakOff(port: number, bytes: Buffer, receivedMax: number): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    let received = 0;
    socket.on("data", (chunk) => {
      received += chunk.length;
      if (received > receivedMax) socket.destroy();
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve());
    socket.write(bytes, () => {
      if (receivedMax === 0) socket.destroy();
    });
  });
}

async function eventually(isTrue: () => boolean): Promise<boolean> {
  for (let tries = 0; tries < 50; tries++) {
    if (isTrue()) return true;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return false;
}

const portOf = (server: TestServer): number => Number(new URL(server.endpoints.blob).port);
const blockBlob = { "x-ms-blob-type": "BlockBlob" };

test("downloads that their clients break off leave nothing of the pooled memory in use", () =>
  withServer(async (server) => {
    const body = Buffer.alloc(32 * MIB, "x");
    const put = await raw(server, { method: "PUT", path: "/box/large", headers: blockBlob, body });
    assert.equal(put.status, 201);
    const get = signed({ method: "GET", path: "/box/large" }, portOf(server));
    await Promise.all(Array.from({ length: 16 }, () => breakOff(portOf(server), get, 100_000)));
    assert.ok(await eventually(() => freeForReads() === ALL_READS), `${freeForReads() / MIB} MiB are free`);
  }));

test("uploads that their clients break off leave nothing of it in use", () =>
  withServer(async (server) => {
    const whole = signed(
      { method: "PUT", path: "/box/half", headers: blockBlob, body: Buffer.alloc(4 * MIB) },
      portOf(server),
    );
    const half = whole.subarray(0, whole.length - 2.2 * MIB);
    for (let round = 0; round < 40; round++) await breakOff(portOf(server), half, 0);
    assert.ok(
      await eventually(() => freeForBodies() === ALL_BODIES),
      `${freeForBodies() / MIB} MiB are free`,
    );
  }));

test("neither do bodies that an operation has read whole, or refused", () =>
  withServer(async (server) => {
    const body = `<BlockList>${"<Latest>AAAA</Latest>".repeat(120_000)}</BlockList>`;
    for (let round = 0; round < 12; round++) {
      const { code } = await raw(server, {
        method: "PUT",
        path: "/box/list",
        query: { comp: "blocklist" },
        body,
      });
      assert.equal(code, "BlockListTooLong");
    }
    assert.ok(
      await eventually(() => freeForBodies() === ALL_BODIES),
      `${freeForBodies() / MIB} MiB are free`,
    );
  }));
