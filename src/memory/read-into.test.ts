import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { test } from "node:test";
import { connect as connectSecurely, createServer as createSecureServer } from "node:tls";
import { certificateFile } from "../../test/kit/certificates.ts";
import { KIB, LIMITS, MIB } from "../base/limits.ts";
import { readInto } from "./read-into.ts";

const WHERE_SUPPORTED = { skip: process.platform === "win32" && "on Windows every chunk is borrowed" };

test(
  "bytes go to the buffer that waits for them, the rest is borrowed; the listener sees the socket go",
  WHERE_SUPPORTED,
  async () => {
    const buffer = Buffer.alloc(200_000);
    let filled = 0;
    let borrowedBytes = 0;
    let filledBytes = 0;
    const listener = createServer((accepted: Socket) => {
      const socket = readInto(accepted, {
        // The first byte decides; then the buffer is filled; what comes after it is borrowed again.
        nextBuffer: () =>
          borrowedBytes === 0 || filled === buffer.length ? undefined : buffer.subarray(filled),
        onFilled: (count) => {
          filled += count;
          filledBytes += count;
        },
        onBorrowed: (chunk) => {
          borrowedBytes += chunk.length;
          if (borrowedBytes + filledBytes === 1 + buffer.length + 3) socket.end("done");
          else if (borrowedBytes === 1) socket.write("more");
        },
      });
    });
    listener.listen(0, "127.0.0.1");
    await once(listener, "listening");
    const client = connect((listener.address() as AddressInfo).port, "127.0.0.1");
    client.write("1");
    assert.equal(String((await once(client, "data"))[0]), "more");
    client.write(Buffer.concat([Buffer.alloc(buffer.length, 7), Buffer.from("end")]));
    assert.equal(String((await once(client, "data"))[0]), "done");
    client.end();
    assert.equal(filledBytes, buffer.length);
    assert.ok(buffer.every((byte) => byte === 7));
    listener.close();
    await once(listener, "close");
  },
);

const CHUNK = 64 * KIB;

/** How many bytes arrived in each tick of the event loop, from a client that sends as fast as it can. */
async function ticksOf(bytes: number, act: (socket: { pause(): void; resume(): void }) => void) {
  const ticks: number[] = [0];
  let received = 0;
  let done = (): void => {};
  const all = new Promise<void>((resolve) => {
    done = resolve;
  });
  const server = createServer({ allowHalfOpen: true }, (accepted) => {
    const memory = Buffer.allocUnsafe(CHUNK);
    const socket = readInto(accepted, {
      nextBuffer: () => memory,
      onFilled: (count) => {
        ticks[ticks.length - 1]! += count;
        received += count;
        act(socket);
        if (received === bytes) done();
      },
      onBorrowed: () => assert.fail("there was a buffer to read into"),
    });
    socket.resume();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  let isOver = false;
  const tick = (): void => {
    if (ticks.at(-1) !== 0) ticks.push(0);
    if (!isOver) setImmediate(tick);
  };
  tick();
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  client.write(Buffer.alloc(bytes));
  await all;
  isOver = true;
  client.destroy();
  server.close();
  return ticks;
}

test(
  "one connection is read up to a limit a tick, so that others are read too",
  WHERE_SUPPORTED,
  async () => {
    const ticks = await ticksOf(64 * MIB, () => {});
    assert.ok(Math.max(...ticks) < LIMITS.readBytesPerTick + CHUNK, `${Math.max(...ticks)}`);
  },
);

test("a connection that was paused is not read until it is resumed", WHERE_SUPPORTED, async () => {
  let pauses = 0;
  let isPaused = false;
  await ticksOf(16 * MIB, (socket) => {
    assert.ok(!isPaused, "read while paused");
    if (++pauses % 7 !== 0) return;
    isPaused = true;
    socket.pause();
    setTimeout(() => {
      isPaused = false;
      socket.resume();
    }, 2);
  });
  assert.ok(pauses > 10);
});

test("bytes that come over TLS go to the buffer that waits for them as well, and end where they end", async () => {
  const buffer = Buffer.alloc(2 * MIB);
  let filled = 0;
  let borrowedBytes = 0;
  const certificate = {
    cert: readFileSync(certificateFile("cert.pem")),
    key: readFileSync(certificateFile("key.pem")),
  };
  const hasEnded = new Promise<void>((resolve) => {
    const listener = createSecureServer(certificate, (accepted) => {
      const socket = readInto(accepted, {
        nextBuffer: () => (borrowedBytes === 0 ? undefined : buffer.subarray(filled)),
        onFilled: (count) => {
          filled += count;
          // A body may say so at any time; what was deciphered already comes nevertheless.
          socket.pause();
          setImmediate(() => socket.resume());
        },
        onBorrowed: (chunk) => {
          borrowedBytes += chunk.length;
          socket.write("more");
        },
        onOwned: () => assert.fail("there was a buffer to read into"),
      });
      socket.on("end", () => {
        listener.close();
        resolve();
      });
    });
    listener.listen(0, "127.0.0.1", async () => {
      const { port } = listener.address() as AddressInfo;
      const client = connectSecurely({ port, host: "127.0.0.1", rejectUnauthorized: false });
      client.write("1");
      assert.equal(String((await once(client, "data"))[0]), "more");
      client.end(Buffer.alloc(buffer.length - 1, 7));
    });
  });
  await hasEnded;
  assert.equal(borrowedBytes, 1);
  assert.equal(filled, buffer.length - 1);
  assert.ok(buffer.subarray(0, filled).every((byte) => byte === 7));
});
