import assert from "node:assert/strict";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { KIB } from "../../src/base/limits.ts";
import { fillWriteBuffers } from "../../src/extents/write-buffers.ts";
import { checkedBody } from "../../src/http/wire/digest.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** A client that sends one part and then nothing for long. */
function slowSource(bytes: number): { source: AsyncIterable<Buffer>; sent: () => object | undefined } {
  let sent: WeakRef<object> | undefined;
  const next = async (): Promise<IteratorResult<Buffer>> => {
    if (sent !== undefined) return new Promise(() => {});
    const part = Buffer.alloc(bytes, "x");
    sent = new WeakRef(part);
    return { done: false, value: part };
  };
  return { source: { [Symbol.asyncIterator]: () => ({ next }) }, sent: () => sent?.deref() };
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
}

/** In a function of its own, so that nothing of the test holds what it was given. */
async function acquire(buffers: AsyncIterator<unknown>): Promise<void> {
  await buffers.next();
}

test("a body that waits for its next chunk keeps nothing of the last one", async () => {
  const { source, sent } = slowSource(128 * KIB);
  const body = checkedBody(source, { declared: {} });
  const buffers = body[Symbol.asyncIterator]();
  await acquire(buffers);
  void acquire(buffers);
  await settle();
  assert.equal(sent(), undefined);
});

test("an append that waits for more keeps nothing of what it has passed on", async () => {
  const { source, sent } = slowSource(128 * KIB);
  const buffers = fillWriteBuffers(source, () => 64 * KIB);
  await acquire(buffers);
  await acquire(buffers);
  void acquire(buffers);
  await settle();
  assert.equal(sent(), undefined);
});
