import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { seededRandom } from "../../src/base/random.ts";
import { openPowerDisk } from "../support/power-disk.ts";
import { Product } from "../support/product.ts";
import { seedOfThisRun } from "../support/seed.ts";
import type { WireClient, WireReply } from "../support/wire-client.ts";
import { type Cell, Entry, isClean, newStats, printStats } from "./ledger/cell.ts";
import { Ledger } from "./ledger/ledger.ts";

const temporary = (): string => mkdtempSync(join(tmpdir(), "holdfast-ledger-"));

/** The beginnings of the proofs `kill` and `power-cut`, short enough for every day. */
test("a program that is killed under load has everything it acknowledged", async (t) => {
  const root = temporary();
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const product = new Product({ directory: join(root, "data"), workers: 1 });
  await product.start();
  const ledger = new Ledger(product, 4, seedOfThisRun(t));
  try {
    await ledger.prepare();
    for (let cycle = 0; cycle < 3; cycle++) {
      await ledger.cycle(150, async () => {
        await product.killAll();
        await product.start();
      });
    }
  } finally {
    ledger.close();
    await product.stop("SIGKILL");
  }
  t.diagnostic(printStats(ledger.stats));
  assert.ok(ledger.isClean, printStats(ledger.stats));
  assert.ok(ledger.stats.acknowledged > 10);
});

test("a program whose disk loses everything unsynced has everything it acknowledged", async (t) => {
  const root = temporary();
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const disk = await openPowerDisk(join(root, "power"), 128);
  if (typeof disk === "string") return t.skip(disk);
  const product = new Product({ directory: join(disk.path, "data"), workers: 1 });
  await product.start();
  const ledger = new Ledger(product, 4, seedOfThisRun(t));
  try {
    await ledger.prepare();
    for (let cut = 0; cut < 2; cut++) {
      await ledger.cycle(150, async () => {
        disk.cut();
        await product.killAll();
        await disk.restore();
        await product.start();
      });
    }
  } finally {
    ledger.close();
    await product.stop("SIGKILL");
    await disk.remove();
  }
  t.diagnostic(printStats(ledger.stats));
  assert.ok(ledger.isClean, printStats(ledger.stats));
});

test("the ledger tells lost, torn and resurrected from what may be", async () => {
  const stats = newStats();
  let present = "";
  const cell: Cell = {
    name: "cell",
    initial: "",
    change: (state) => ({
      next: state === "" ? "one" : "two",
      service: "blob",
      requests: [{ method: "PUT", path: "/" }],
    }),
    read: async () => present,
  };
  const answers: (WireReply | "no reply")[] = [];
  const client = { send: async () => answers.shift() } as unknown as WireClient;
  const yes: WireReply = { status: 201, headers: new Map(), body: Buffer.alloc(0), code: undefined };
  const entry = new Entry(cell, stats);
  const random = seededRandom(1);
  answers.push(yes, "no reply");
  await entry.write(client, random);
  await entry.write(client, random);
  assert.equal(entry.isCertain, false, "the second may be there or not");
  present = "two";
  await entry.check(client);
  assert.ok(isClean(stats) && stats.keptUnacknowledged === 1);
  present = "one";
  await entry.check(client);
  assert.equal(stats.lost, 1);
  present = "torn";
  await entry.check(client);
  assert.equal(stats.torn, 1);
  present = "one";
  await entry.check(client);
  assert.equal(stats.resurrected, 1);
  assert.equal(stats.acknowledged, 1);
});
