import assert from "node:assert/strict";
import { test } from "node:test";
import { full, increment, open, settled } from "../../test/support/slow-disk.ts";
import { StorageFault } from "../base/faults.ts";
import { LIMITS } from "../base/limits.ts";
import type { Writer } from "./kv.ts";
import type { WriteLock } from "./serial-writer.ts";

test("transactions of one tick share a commit; the next batch runs during it", async () => {
  const { disk, writer } = open();
  const first = [writer.write(increment("a")), writer.write(increment("a"))];
  const commit = await disk.next();
  assert.deepEqual(commit.keys, ["a"]);
  const third = writer.write(increment("a"));
  const refused = writer.write(async (write) => {
    assert.equal((await write.get("a"))?.toString(), "3", "pending writes of both batches are seen");
    throw new Error("refused");
  });
  let isHeard = false;
  refused.catch(() => {
    isHeard = true;
  });
  await settled();
  commit.end();
  assert.deepEqual(await Promise.all(first), [1, 2]);
  await settled();
  assert.equal(isHeard, false, "the refusal reveals a pending write");
  (await disk.next()).end();
  assert.equal(await third, 3);
  await assert.rejects(refused, /refused/);
});

test("a transaction that waits for nothing has run when it is handed in; one that throws leaves nothing", async () => {
  const { disk, writer } = open();
  const first = writer.write(increment("a"));
  (await disk.next()).end();
  await first;
  const ran: string[] = [];
  let kept: Writer | undefined;
  const put = writer.write((write) => {
    kept = write;
    write.put("b", Buffer.from("1"));
    ran.push("put");
    return ran.length;
  });
  const refused = writer.write((write): void => {
    write.put("b", Buffer.from("2"));
    write.delete("a");
    ran.push("refused");
    throw new Error("refused");
  });
  assert.deepEqual(ran, ["put", "refused"]);
  assert.throws(() => kept?.put("b", Buffer.from("3")), /used after it has ended/);
  (await disk.next()).end();
  assert.equal(await put, 1);
  await assert.rejects(refused, /refused/);
  assert.equal(disk.map.snapshot().get("a")?.toString(), "1");
  assert.equal(disk.map.snapshot().get("b")?.toString(), "1");
});

test("what a long key leaves behind is tidied up in the transaction that deletes it, also where that does not wait", async () => {
  const { disk, writer } = open();
  const long = "k".repeat(LIMITS.engineKeyBytesMax + 1);
  const put = writer.write((write) => write.put(long, Buffer.from("1")));
  (await disk.next()).end();
  await put;
  const everything = { from: "", to: "\xff" };
  assert.equal(disk.map.snapshot().page(everything, 9).length, 2, "the value, and the link to it");
  const deleted = writer.write((write) => write.delete(long));
  (await disk.next()).end();
  await deleted;
  assert.deepEqual(disk.map.snapshot().page(everything, 9), []);
});

test("when a commit fails its callers hear the fault, and those on top of it run again", async () => {
  const { disk, writer } = open();
  const failing = [writer.write(increment("a")), writer.write(increment("b"))];
  const commit = await disk.next();
  const runs: number[] = [];
  const dependent = writer.write(async (write) => {
    const count = await increment("a")(write);
    runs.push(count);
    return count;
  });
  const after = writer.write(increment("a"));
  await settled();
  commit.end(full);
  for (const write of failing) await assert.rejects(write, full);
  (await disk.next()).end();
  assert.deepEqual([await dependent, await after], [1, 2]);
  assert.deepEqual(runs, [2, 1], "first on top of the lost write, then without it");
  assert.equal(disk.map.snapshot().get("a")?.toString(), "2");
  assert.equal(disk.map.snapshot().get("b"), undefined);
});

test("a transaction that is between two steps when a commit fails runs again, and keeps its place", async () => {
  const { disk, writer } = open();
  const failing = writer.write(increment("a"));
  const commit = await disk.next();
  const finished = writer.write(increment("a"));
  let go = (): void => {};
  const opened = new Promise<void>((resolve) => {
    go = resolve;
  });
  const order: string[] = [];
  const slow = writer.write(async (write) => {
    const count = await increment("a")(write);
    await opened;
    order.push(`slow ${count}`);
    return count;
  });
  const last = writer.write(async (write) => {
    const count = await increment("a")(write);
    order.push(`last ${count}`);
    return count;
  });
  await settled();
  commit.end(full);
  await assert.rejects(failing, full);
  go();
  (await disk.next()).end();
  assert.deepEqual(await Promise.all([finished, slow, last]), [1, 2, 3]);
  assert.deepEqual(order, ["slow 3", "slow 2", "last 3"]);
  assert.equal(disk.map.snapshot().get("a")?.toString(), "3");
});

test("what a transaction wrote before it threw is gone, for those behind it and for the disk", async () => {
  const { disk, writer } = open();
  const first = writer.write(increment("a"));
  const refused = writer.write(async (write) => {
    await increment("a")(write);
    write.put("b", Buffer.from("ghost"));
    const seen = await write.take({ from: "a", to: "z" }, 10);
    assert.deepEqual(
      seen.map(({ key }) => key),
      ["a", "b"],
      "it sees its own writes",
    );
    write.delete("a");
    throw new Error("refused");
  });
  refused.catch(() => {});
  const last = writer.write(async (write) => {
    const seen = await write.take({ from: "a", to: "z" }, 10);
    assert.deepEqual(
      seen.map(({ key, value }) => `${key}=${value}`),
      ["a=1"],
    );
    return increment("a")(write);
  });
  const commit = await disk.next();
  assert.deepEqual(commit.keys, ["a"]);
  commit.end();
  assert.deepEqual([await first, await last], [1, 2]);
  await assert.rejects(refused, /refused/);
  assert.equal(disk.map.snapshot().get("a")?.toString(), "2");
  assert.equal(disk.map.snapshot().get("b"), undefined);
});

test("a batch waits for the transaction that is writing into it", async () => {
  const { disk, writer } = open();
  const count = 4 * LIMITS.halfBatchMin;
  const all = (): Promise<number>[] =>
    Array.from({ length: count }, (_, i) => writer.write(increment(`k${i}`)));
  const first = all();
  const commit = await disk.next();
  const second = all();
  let go = (): void => {};
  const opened = new Promise<void>((resolve) => {
    go = resolve;
  });
  const slow = writer.write(async (write) => {
    write.put("left", Buffer.of(1));
    await opened;
    write.put("right", Buffer.of(1));
  });
  await settled();
  // Enough for a commit wait in the batch when the one before has ended.
  commit.end();
  await Promise.all(first);
  for (let writeLock = 0; writeLock < 5; writeLock++) await settled();
  assert.equal(disk.commits.length, 0);
  go();
  const { keys, end } = await disk.next();
  assert.ok(keys.includes("left") && keys.includes("right"), "both halves or none");
  end();
  await Promise.all([...second, slow]);
});

test("a disk that stays full refuses every batch, and accepts writes again when it has space", async () => {
  const { disk, writer } = open();
  for (let round = 0; round < 3; round++) {
    const write = writer.write(increment("a"));
    (await disk.next()).end(full);
    await assert.rejects(write, full);
  }
  const write = writer.write(increment("a"));
  (await disk.next()).end();
  assert.equal(await write, 1);
  await writer.close();
});

test("half of many writers make a batch, and the other half runs while it is on its way", async () => {
  const { disk, writer } = open();
  const count = 4 * LIMITS.halfBatchMin;
  const all = (): Promise<number>[] =>
    Array.from({ length: count }, (_, i) => writer.write(increment(`k${i}`)));
  const first = all();
  const whole = await disk.next();
  assert.equal(whole.keys.length, count, "the first batch knows of no others");
  whole.end();
  await Promise.all(first);
  const second = all();
  const half = await disk.next();
  assert.equal(half.keys.length, count / 2);
  // Those that follow see what is on its way; when that fails, they have seen ghosts and run again.
  const third = writer.write(increment("k0"));
  for (let writeLock = 0; writeLock < 5; writeLock++) await settled();
  half.end(full);
  const failed = await Promise.allSettled(second.slice(0, count / 2));
  assert.ok(failed.every(({ status }) => status === "rejected"));
  const isDone = Promise.all([...second.slice(count / 2), third]);
  for (;;) {
    if (await Promise.race([isDone.then(() => true), settled().then(() => false)])) break;
    disk.commits.shift()?.end();
  }
  assert.equal(await third, 2, "the write that failed is not counted");
});

test("few writers share one sync, however many turns they come in", async () => {
  const { disk, writer } = open();
  for (let round = 1; round <= 3; round++) {
    const few = Array.from({ length: LIMITS.halfBatchMin - 1 }, (_, i) => writer.write(increment(`k${i}`)));
    const commit = await disk.next();
    assert.equal(commit.keys.length, LIMITS.halfBatchMin - 1);
    commit.end();
    assert.deepEqual(
      await Promise.all(few),
      few.map(() => round),
    );
  }
});

test("a batch has a maximum of transactions and of bytes", async () => {
  const { disk, writer } = open();
  const many = Array.from({ length: LIMITS.batchTransactionsMax + 10 }, (_, index) =>
    writer.write(async (write) => write.put(String(index), Buffer.of(1))),
  );
  const first = await disk.next();
  assert.equal(first.keys.length, LIMITS.batchTransactionsMax);
  first.end();
  const second = await disk.next();
  assert.equal(second.keys.length, 10);
  second.end();
  await Promise.all(many);
  const large = Array.from({ length: 20 }, (_, index) =>
    writer.write(async (write) => write.put(String(index), Buffer.alloc(LIMITS.batchBytesMax / 10))),
  );
  const third = await disk.next();
  assert.ok(third.keys.length <= 10);
  third.end();
  for (const done = Promise.all(large); ; ) {
    const isDone = await Promise.race([done.then(() => true), settled().then(() => false)]);
    if (isDone) break;
    disk.commits.shift()?.end();
  }
});

test("a queue has a maximum, beyond which callers get a transient fault", async () => {
  const writeLock: WriteLock = {
    acquire: () => new Promise(() => {}),
    isAcquired: () => false,
    isWanted: () => false,
    release() {},
    onWanted() {},
  };
  const { writer } = open(writeLock);
  for (let index = 0; index < LIMITS.queuedTransactionsMax; index++) void writer.write(async () => {});
  await assert.rejects(
    writer.write(async () => {}),
    (error) => error instanceof StorageFault && error.isTransient,
  );
});

test("the lock is kept until another process wants it, and released between batches", async () => {
  let wake = (): void => {};
  let isWanted = false;
  const log: string[] = [];
  const writeLock: WriteLock = {
    acquire: async () => void log.push("acquire"),
    isAcquired: () => false,
    isWanted: () => isWanted,
    release: () => {
      isWanted = false;
      log.push("release");
    },
    onWanted: (call) => {
      wake = call;
    },
  };
  const { disk, writer } = open(writeLock);
  for (let round = 0; round < 3; round++) {
    const write = writer.write(increment("a"));
    (await disk.next()).end();
    await write;
  }
  assert.deepEqual(log, ["acquire"], "a process that writes alone asks once");
  isWanted = true;
  wake();
  assert.deepEqual(log, ["acquire", "release"], "an idle one hands over at once");
  assert.equal(disk.rests, 1, "and holds no snapshot while others write");

  const first = writer.write(increment("a"));
  const commit = await disk.next();
  isWanted = true;
  wake();
  const second = writer.write(increment("a"));
  await settled();
  assert.deepEqual(log, ["acquire", "release", "acquire"], "not during a commit");
  commit.end();
  assert.equal(await first, 4);
  (await disk.next()).end();
  assert.equal(await second, 5);
  assert.deepEqual(log, ["acquire", "release", "acquire", "release", "acquire"]);
});

test("a cached record is read again after another process had the lock", async () => {
  let wake = (): void => {};
  let isWanted = false;
  const writeLock: WriteLock = {
    acquire: async () => {},
    isAcquired: () => false,
    isWanted: () => isWanted,
    release: () => {
      isWanted = false;
    },
    onWanted: (call) => {
      wake = call;
    },
  };
  const { disk, writer } = open(writeLock);
  disk.map.set("a", Buffer.from("1"));
  const readOften = async (): Promise<string[]> => {
    const seen: string[] = [];
    for (let round = 0; round < 4; round++) {
      seen.push(await writer.write(async (write) => String(await write.get("a"))));
    }
    return seen;
  };
  assert.deepEqual(await readOften(), ["1", "1", "1", "1"]);
  const write = writer.write(increment("a"));
  (await disk.next()).end();
  await write;
  assert.deepEqual(await readOften(), ["2", "2", "2", "2"], "its own commits are followed");

  const failing = writer.write(increment("a"));
  (await disk.next()).end(full);
  await assert.rejects(failing);
  assert.deepEqual(await readOften(), ["2", "2", "2", "2"], "a commit that failed is not");

  isWanted = true;
  wake();
  disk.map.set("a", Buffer.from("7"));
  assert.deepEqual(await readOften(), ["7", "7", "7", "7"]);
});

test("close waits for transactions that wait for the lock, and releases it", async () => {
  let grant = (): void => {};
  let released = 0;
  const writeLock: WriteLock = {
    acquire: () =>
      new Promise<void>((resolve) => {
        grant = resolve;
      }),
    isAcquired: () => false,
    isWanted: () => false,
    release: () => void released++,
    onWanted() {},
  };
  const { disk, writer } = open(writeLock);
  const write = writer.write(increment("a"));
  let isClosed = false;
  const closing = writer.close().then(() => {
    isClosed = true;
  });
  await settled();
  assert.equal(isClosed, false);
  grant();
  (await disk.next()).end();
  assert.equal(await write, 1);
  assert.equal(released, 0, "it keeps the lock until another process wants it");
  await closing;
  assert.equal(released, 1, "no process could ask for the lock any more");
  await assert.rejects(writer.write(increment("a")), StorageFault);
});

test("a commit whose state cannot be read is never answered, and nothing runs after it", async () => {
  const { disk, writer } = open();
  const readable = disk.refresh;
  disk.refresh = () => new Promise<never>(() => {}) as never;
  const heard: string[] = [];
  for (const key of ["a", "b"])
    void writer.write(increment(key)).then(
      () => heard.push("done"),
      () => heard.push("refused"),
    );
  (await disk.next()).end();
  for (let writeLock = 0; writeLock < 20; writeLock++) await settled();
  assert.deepEqual(heard, []);
  assert.equal(readable().get("a")?.toString(), "1", "the commit itself was made");
  assert.equal(disk.commits.length, 0);
});
