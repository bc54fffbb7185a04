import assert from "node:assert/strict";
import { test } from "node:test";
import { InFlightWrites } from "./in-flight-writes.ts";

const INODE = { share: 1n, inode: 2n };
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Work that ends when it is told to, and says when it begins and ends. */
function work(seen: string[], name: string) {
  let end = (): void => {};
  const told = new Promise<void>((resolve) => {
    end = resolve;
  });
  const run = async (): Promise<void> => {
    seen.push(`${name} begins`);
    await told;
    seen.push(`${name} ends`);
  };
  return { run, end };
}

test("a lock is placed when the writes before it have ended, and later writes are checked after it", async () => {
  const under = new InFlightWrites();
  const seen: string[] = [];
  const [one, two, late, lock] = ["one", "two", "late", "lock"].map((name) => work(seen, name));
  const all = [under.run(INODE, one!.run), under.run(INODE, two!.run), under.alone(INODE, lock!.run)];
  all.push(
    under.run(INODE, late!.run),
    under.run({ share: 1n, inode: 3n }, async () => {}),
  );
  await turn();
  assert.deepEqual(seen, ["one begins", "two begins"]);
  one!.end();
  await turn();
  assert.deepEqual(seen.slice(2), ["one ends"]);
  two!.end();
  await turn();
  assert.deepEqual(seen.slice(3), ["two ends", "lock begins"]);
  lock!.end();
  late!.end();
  await Promise.all(all);
  assert.deepEqual(seen.slice(5), ["lock ends", "late begins", "late ends"]);
  assert.equal(under.ended(INODE), undefined);
});

test("locks are placed one after the other, and one that fails stands in nobody's way", async () => {
  const under = new InFlightWrites();
  const seen: string[] = [];
  const [first, second, write] = ["first", "second", "write"].map((name) => work(seen, name));
  const failing = under.alone(INODE, async () => {
    await first!.run();
    throw new Error("refused");
  });
  const rest = [under.alone(INODE, second!.run), under.run(INODE, write!.run)];
  await turn();
  first!.end();
  await assert.rejects(failing, /refused/);
  await turn();
  assert.deepEqual(seen, ["first begins", "first ends", "second begins"]);
  second!.end();
  write!.end();
  await Promise.all(rest);
  assert.deepEqual(seen.slice(3), ["second ends", "write begins", "write ends"]);
  await assert.rejects(
    under.run(INODE, () => Promise.reject(new Error("lost"))),
    /lost/,
  );
  await under.alone(INODE, async () => {});
  assert.equal(under.ended(INODE), undefined);
});
