import assert from "node:assert/strict";
import { test } from "node:test";
import { type Announcement, LocalMessages, MESSAGE_BYTES_MAX, RelayedMessages } from "./messages.ts";

const twoTicks = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

test("a message reaches the listeners of its topic, asynchronously, until they stop", async () => {
  const messages = new LocalMessages();
  const heard: string[] = [];
  const stop = messages.listen("a", (bytes) => heard.push(bytes.toString()));
  messages.listen("b", () => heard.push("other topic"));
  messages.announce("a", Buffer.from("one"));
  assert.deepEqual(heard, []);
  await twoTicks();
  assert.deepEqual(heard, ["one"]);
  stop();
  messages.announce("a", Buffer.from("two"));
  await twoTicks();
  assert.deepEqual(heard, ["one"]);
  assert.throws(() => messages.announce("a", Buffer.alloc(MESSAGE_BYTES_MAX + 1)), RangeError);
});

test("between workers each hears the others and itself, once", async () => {
  const workers: RelayedMessages[] = [];
  const relay = (from: number) => (message: Announcement) => {
    for (const [index, worker] of workers.entries()) if (index !== from) worker.receive(message);
  };
  workers.push(new RelayedMessages(relay(0)), new RelayedMessages(relay(1)));
  const heard: string[] = [];
  for (const [index, worker] of workers.entries())
    worker.listen("t", (bytes) => heard.push(`${index} ${bytes.toString()}`));
  workers[0]!.announce("t", Buffer.from("x"));
  await twoTicks();
  assert.deepEqual(heard.sort(), ["0 x", "1 x"]);
});
