import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { OutOfSpace } from "../../src/base/faults.ts";
import { MIB } from "../../src/base/limits.ts";
import { EmbeddedStore } from "../../src/store/embedded/embedded-store.ts";
import type { Store, Writer } from "../../src/store/kv.ts";

/** Fills a small disk with records, looks at what is left, makes room again. In a process of its own. */
const disk = process.argv[2]!;
const ballast = join(disk, "ballast");
const open = (): EmbeddedStore =>
  new EmbeddedStore({
    directory: join(disk, "data"),
    owner: "full",
    onFatal: (error) => {
      console.log("fatal", error);
      process.exit(3);
    },
  });

const WRITERS = 8;
const acknowledged = new Set<string>();
const counts = new Map<string, number>();
let faults = 0;

async function increment(write: Writer, key: string): Promise<number> {
  const count = Number((await write.get(key))?.toString() ?? 0) + 1;
  write.put(key, Buffer.from(String(count)));
  return count;
}

/**
 * One record, large or small, and a counter: if either is there without the other, something is half done.
 */
async function writeOne(store: Store, writer: number, number: number): Promise<void> {
  const counter = `count ${writer % 2}`;
  const key = `record ${writer}.${number}`;
  const bytes = writer % 2 === 0 ? 40_000 : 10;
  try {
    const count = await store.write(async (write) => {
      write.put(key, Buffer.alloc(bytes, key));
      return increment(write, counter);
    });
    // Two transactions told of the same count, or of one that skips: somebody stood on a write that was
    // undone.
    assert.equal(count, (counts.get(counter) ?? 0) + 1);
    counts.set(counter, count);
    acknowledged.add(key);
  } catch (error) {
    if (!(error instanceof OutOfSpace)) throw error;
    faults++;
  }
}

async function fill(store: Store): Promise<void> {
  await Promise.all(
    Array.from({ length: WRITERS }, async (_, writer) => {
      for (let number = 0; faults < 200; number++) await writeOne(store, writer, number);
    }),
  );
}

async function verify(store: Store): Promise<void> {
  await store.read(async (read) => {
    let found = 0;
    for await (const { key, value } of read.range({ from: "record ", to: "record!" })) {
      assert.ok(acknowledged.has(key), `${key} is there and was refused`);
      assert.ok(value.equals(Buffer.alloc(value.length, key)));
      found++;
    }
    assert.equal(found, acknowledged.size, "an acknowledged record is lost");
    for (const [counter, count] of counts) {
      assert.equal((await read.get(counter))?.toString(), String(count));
    }
  });
}

writeFileSync(ballast, Buffer.alloc(4 * MIB));
let store = open();
await store.ephemeral.write(async (write) => write.put("handle", Buffer.from("open")));
await fill(store);
const whenFull = acknowledged.size;
assert.ok(whenFull > 0 && faults >= 200);

await verify(store);
// More readers than there ever were: each takes a slot in a file that LMDB maps into memory.
await Promise.all(
  Array.from({ length: 3_000 }, () =>
    store.read(async (read) => {
      await new Promise((resolve) => setImmediate(resolve));
      assert.ok((await read.get("count 0")) !== undefined);
    }),
  ),
);
assert.equal((await store.ephemeral.read((read) => read.get("handle")))?.toString(), "open");
const large = store.write(async (write) => write.put("large", Buffer.alloc(8 * MIB)));
await assert.rejects(large, (error) => error instanceof OutOfSpace);

rmSync(ballast);
for (let number = 1_000_000; number < 1_000_050; number++) await writeOne(store, number % 2, number);
assert.equal(acknowledged.size, whenFull + 50, "writing goes on when there is room");
await verify(store);
await store.close();
store = open();
await verify(store);
await store.close();
console.log(`${whenFull} acknowledged until full, ${faults} refused, 50 more once there was room, 0 lost`);
