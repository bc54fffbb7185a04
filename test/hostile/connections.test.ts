import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import type { Timers } from "../../src/base/clock.ts";
import { LIMITS } from "../../src/base/limits.ts";
import { ClientGone } from "../../src/http/connection/incoming-body.ts";
import { type Handler, type Listener, listen } from "../../src/http/listener.ts";

/** Connections that only mean to be there: the listener's own sweeps are made here, by hand. */
interface Held {
  readonly listener: Listener;
  sweep(times: number): Promise<void>;
}

async function holding(handler: Handler, connectionsMax: number = LIMITS.connectionsMax): Promise<Held> {
  let sweep: () => void = () => {};
  const timers: Timers = {
    after: () => ({ cancel() {} }),
    every: (_, run) => {
      sweep = run;
      return { cancel() {} };
    },
  };
  const listener = await listen({ host: "127.0.0.1", port: 0, handler, timers, connectionsMax });
  return {
    listener,
    sweep: async (times) => {
      for (let i = 0; i < times; i++) sweep();
      await settled();
    },
  };
}

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 30));

class Client {
  readonly socket: Socket;
  isClosed = false;
  received = "";

  constructor(port: number) {
    this.socket = connect(port, "127.0.0.1");
    this.socket.on("error", () => {});
    this.socket.on("data", (piece) => {
      this.received += piece.toString("latin1");
    });
    this.socket.on("close", () => {
      this.isClosed = true;
    });
  }
}

const answer: Handler = async (_, connection) => {
  connection.sendWhole("HTTP/1.1 204 No Content\r\n\r\n", true);
};
const REQUEST = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

test("of too many connections the oldest that never asked for anything gives way, then the new ones do", async () => {
  const { listener } = await holding(answer, 3);
  const open = async (): Promise<Client> => {
    const client = new Client(listener.port);
    await settled();
    return client;
  };
  const [asking, silent, other] = [await open(), await open(), await open()];
  asking.socket.write(REQUEST);
  await settled();
  const fourth = await open();
  assert.deepEqual(
    [asking, silent, other, fourth].map(({ isClosed }) => isClosed),
    [false, true, false, false],
  );
  for (const client of [other, fourth]) client.socket.write(REQUEST);
  await settled();
  const fifth = await open();
  assert.equal(fifth.isClosed, true);
  asking.socket.write(REQUEST);
  await settled();
  assert.equal(asking.received.split("204").length, 3, "who has asked before is still served");
  for (const client of [asking, other, fourth]) client.socket.destroy();
  await listener.close();
});

test("a body that brings a few bytes now and then is ended, one that moves is not", async () => {
  const read: Handler = async (incoming, connection) => {
    try {
      while ((await incoming.body.next()) !== undefined);
    } catch (error) {
      if (error instanceof ClientGone) return;
      throw error;
    }
    connection.sendWhole("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", true);
  };
  const { listener, sweep } = await holding(read);
  const start = "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n";
  const [slow, moving] = [new Client(listener.port), new Client(listener.port)];
  for (const client of [slow, moving]) client.socket.write(start);
  await settled();
  const window = LIMITS.slowBodyMillis / LIMITS.connectionSweepMillis;
  for (let turn = 0; turn < 4; turn++) {
    slow.socket.write("x");
    moving.socket.write(Buffer.alloc(LIMITS.slowBodyBytesMin));
    await settled();
    await sweep(window / 2 - 1);
  }
  assert.equal(slow.isClosed, true);
  assert.equal(moving.isClosed, false);
  moving.socket.destroy();
  await settled();
  await listener.close();
});
