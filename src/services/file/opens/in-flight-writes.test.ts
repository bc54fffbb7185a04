import assert from "node:assert/strict";
import { test } from "node:test";
import { InFlightWrites } from "./in-flight-writes.ts";

const INODE = { share: 1n, inode: 2n };
const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Work that ends when the test calls `end`, and notes when it begins and ends. */
function work(seen: string[], name: string) {
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const run = async (): Promise<void> => {
    seen.push(`${name} begins`);
    await ended;
    seen.push(`${name} ends`);
  };
  return { run, end };
}

test("a lock is placed when earlier writes have ended, and later writes are checked after it", async () => {
  const writes = new InFlightWrites();
  const seen: string[] = [];
  const [one, two, late, lock] = ["one", "two", "late", "lock"].map((name) => work(seen, name));
  const all = [writes.run(INODE, one!.run), writes.run(INODE, two!.run), writes.alone(INODE, lock!.run)];
  all.push(
    writes.run(INODE, late!.run),
    writes.run({ share: 1n, inode: 3n }, async () => {}),
  );
  await tick();
  assert.deepEqual(seen, ["one begins", "two begins"]);
  one!.end();
  await tick();
  assert.deepEqual(seen.slice(2), ["one ends"]);
  two!.end();
  await tick();
  assert.deepEqual(seen.slice(3), ["two ends", "lock begins"]);
  lock!.end();
  late!.end();
  await Promise.all(all);
  assert.deepEqual(seen.slice(5), ["lock ends", "late begins", "late ends"]);
  assert.equal(writes.ended(INODE), undefined);
});

test("locks are placed one after the other, and a failed one delays no other", async () => {
  const writes = new InFlightWrites();
  const seen: string[] = [];
  const [first, second, write] = ["first", "second", "write"].map((name) => work(seen, name));
  const failing = writes.alone(INODE, async () => {
    await first!.run();
    throw new Error("refused");
  });
  const rest = [writes.alone(INODE, second!.run), writes.run(INODE, write!.run)];
  await tick();
  first!.end();
  await assert.rejects(failing, /refused/);
  await tick();
  assert.deepEqual(seen, ["first begins", "first ends", "second begins"]);
  second!.end();
  write!.end();
  await Promise.all(rest);
  assert.deepEqual(seen.slice(3), ["second ends", "write begins", "write ends"]);
  await assert.rejects(
    writes.run(INODE, () => Promise.reject(new Error("lost"))),
    /lost/,
  );
  await writes.alone(INODE, async () => {});
  assert.equal(writes.ended(INODE), undefined);
});
