import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { test } from "node:test";
import { ManualClock, type Timers } from "../base/clock.ts";
import { LIMITS } from "../base/limits.ts";
import { ConnectionWatch } from "./connection-watch.ts";

const NEVER: Timers = { after: () => ({ cancel() {} }), every: () => ({ cancel() {} }) };

/** As much of a connection as the watch looks at. */
class FakeSocket extends EventEmitter {
  destroyed = false;
  bytesRead = 0;
  _httpMessage: { req: { complete: boolean; readableLength: number } } | null = null;

  destroy(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.emit("close");
  }
}

const asSocket = (fake: FakeSocket): Socket => fake as unknown as Socket;
const asked = (fake: FakeSocket) => ({ socket: asSocket(fake) }) as never;

test("of too many connections, the oldest that never asked for anything gives way", () => {
  const watch = new ConnectionWatch(NEVER, { connectionsMax: 3 });
  const sockets = Array.from({ length: 5 }, () => new FakeSocket());
  const [first, second, third, fourth, fifth] = sockets as [
    FakeSocket,
    FakeSocket,
    FakeSocket,
    FakeSocket,
    FakeSocket,
  ];
  for (const socket of [first, second, third]) watch.opened(asSocket(socket));
  watch.asked(asked(first));
  watch.opened(asSocket(fourth));
  assert.deepEqual(
    sockets.map(({ destroyed }) => destroyed),
    [false, true, false, false, false],
  );
  for (const socket of [third, fourth]) watch.asked(asked(socket));
  watch.opened(asSocket(fifth));
  assert.deepEqual(
    sockets.map(({ destroyed }) => destroyed),
    [false, true, false, false, true],
    "where all have asked for something, the new one goes",
  );
  assert.equal(watch.sockets.size, 3);
});

test("a body that hardly moves is ended, one that moves or that we do not read is not", () => {
  const clock = new ManualClock();
  const watch = new ConnectionWatch(NEVER, { clock });
  const waitingFor = (): FakeSocket => {
    const socket = new FakeSocket();
    socket._httpMessage = { req: { complete: false, readableLength: 0 } };
    watch.opened(asSocket(socket));
    return socket;
  };
  const [slow, moving, unread, done] = [waitingFor(), waitingFor(), waitingFor(), waitingFor()];
  unread._httpMessage!.req.readableLength = 16_384;
  done._httpMessage!.req.complete = true;
  for (let time = 0; time <= 2 * LIMITS.slowBodyMillis; time += LIMITS.slowBodySweepMillis) {
    slow.bytesRead += 5;
    moving.bytesRead += LIMITS.slowBodyBytesMin / 3;
    watch.endSlow();
    assert.equal(slow.destroyed, time >= LIMITS.slowBodyMillis, `after ${time} ms`);
    clock.advance(LIMITS.slowBodySweepMillis);
  }
  assert.deepEqual([moving.destroyed, unread.destroyed, done.destroyed], [false, false, false]);
});
