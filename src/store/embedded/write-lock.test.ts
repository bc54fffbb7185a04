import assert from "node:assert/strict";
import { test } from "node:test";
import {
  isWriteLockMessage,
  WriteLockArbiter,
  WriteLockClient,
  type WriteLockMessage,
  withWriteLocks,
} from "./write-lock.ts";

/** An arbiter and what it has sent, as `process:do`. */
function arbiter(): {
  arbiter: WriteLockArbiter;
  sent: string[];
  send: (process: number, what: WriteLockMessage["do"]) => void;
} {
  const sent: string[] = [];
  const it = new WriteLockArbiter((process, message) => sent.push(`${process}:${message.do}`));
  return { arbiter: it, sent, send: (process, what) => it.receive(process, { lock: "records", do: what }) };
}

test("the first to ask gets the lock at once; the next one makes it wanted", () => {
  const { sent, send } = arbiter();
  send(1, "want");
  send(2, "want");
  send(3, "want");
  assert.deepEqual(sent.splice(0), ["1:grant", "1:yield", "1:yield"]);
  send(1, "done");
  assert.deepEqual(sent.splice(0), ["2:grant", "2:yield"], "3 still waits");
  send(1, "want");
  send(2, "done");
  assert.deepEqual(sent.splice(0), ["2:yield", "3:grant", "3:yield"], "first come, first served");
  send(3, "done");
  send(1, "done");
  assert.deepEqual(sent.splice(0), ["1:grant"]);
  send(2, "want");
  assert.deepEqual(sent, ["2:grant"]);
});

test("a process without the lock cannot release it", () => {
  const { sent, send } = arbiter();
  send(1, "want");
  send(2, "want");
  send(2, "done");
  assert.deepEqual(sent, ["1:grant", "1:yield"]);
});

test("turns of different names know nothing of each other", () => {
  const { arbiter: it, sent } = arbiter();
  it.receive(1, { lock: "records", do: "want" });
  it.receive(2, { lock: "ephemeral", do: "want" });
  assert.deepEqual(sent, ["1:grant", "2:grant"]);
});

test("the lock of a process that dies is granted to the next; one that dies waiting is skipped", () => {
  const { arbiter: it, sent, send } = arbiter();
  for (const process of [1, 2, 3]) send(process, "want");
  sent.length = 0;
  it.forget(2);
  it.forget(1);
  assert.deepEqual(sent, ["3:grant"]);
});

test("a late message of a dead process is ignored: it would hold the lock for ever", () => {
  const { arbiter: it, sent, send } = arbiter();
  send(1, "want");
  it.forget(1);
  send(1, "want");
  send(2, "want");
  assert.deepEqual(sent, ["1:grant", "2:grant"]);
});

test("a client waits for its grant, and notifies its writer when it is wanted", async () => {
  const sent: WriteLockMessage[] = [];
  const client = new WriteLockClient("records", (message) => sent.push(message));
  let wakes = 0;
  client.onWanted(() => wakes++);
  let hasLock = false;
  const acquiring = client.acquire().then(() => {
    hasLock = true;
  });
  client.receive({ lock: "ephemeral", do: "grant" });
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(hasLock, false, "a grant of another turn is not ours");
  client.receive({ lock: "records", do: "grant" });
  await acquiring;
  assert.equal(client.isAcquired(), true);
  assert.equal(client.isWanted(), false);
  client.receive({ lock: "records", do: "yield" });
  assert.equal(client.isWanted(), true);
  assert.equal(wakes, 1);
  client.release();
  assert.equal(client.isAcquired(), false);
  assert.equal(client.isWanted(), false);
  assert.deepEqual(sent, [
    { lock: "records", do: "want" },
    { lock: "records", do: "done" },
  ]);
});

test("messages of others are recognized", () => {
  assert.ok(isWriteLockMessage({ lock: "records", do: "want" }));
  for (const other of [undefined, null, "turn", 7, {}, { lock: "records" }, { do: "want" }]) {
    assert.equal(isWriteLockMessage(other), false);
  }
});

test("opening a shared store holds all its locks, and releases them whatever happens", async () => {
  const log: string[] = [];
  const arbiter = new WriteLockArbiter((process, message) => {
    log.push(`${process} ${message.lock} ${message.do}`);
    for (const lock of process === 1 ? locks : []) lock.receive(message);
  });
  const client = (name: string): WriteLockClient =>
    new WriteLockClient(name, (message) => arbiter.receive(1, message));
  const locks = [client("records"), client("ephemeral")];
  arbiter.receive(2, { lock: "ephemeral", do: "want" });
  const opening = withWriteLocks(locks, () => {
    assert.ok(locks.every((lock) => lock.isAcquired()));
    throw new Error("cannot be opened");
  });
  await new Promise((resolve) => setImmediate(resolve));
  arbiter.receive(2, { lock: "ephemeral", do: "done" });
  await assert.rejects(opening, /cannot be opened/);
  assert.ok(locks.every((lock) => !lock.isAcquired()));
  arbiter.receive(3, { lock: "records", do: "want" });
  arbiter.receive(3, { lock: "ephemeral", do: "want" });
  assert.deepEqual(log.slice(-2), ["3 records grant", "3 ephemeral grant"]);
});
