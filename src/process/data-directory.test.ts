import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { bundleScript } from "../../test/support/bundle.ts";
import { UnusableDirectory } from "../base/faults.ts";
import { dataDirectoryAt, openDataDirectory } from "./data-directory.ts";

const scratch = mkdtempSync(join(tmpdir(), "holdfast-directory-"));
const children = new Set<ChildProcess>();
after(() => {
  for (const child of children) child.kill("SIGKILL");
  rmSync(scratch, { recursive: true, force: true });
});

let made = 0;
const fresh = (): string => join(scratch, `data-${++made}`);
const refused = (expected: RegExp) => (error: unknown) => {
  assert.ok(error instanceof UnusableDirectory, String(error));
  assert.match(error.message, expected);
  assert.doesNotMatch(error.message, /\n/);
  return true;
};

const subject = join(scratch, "data-directory.mjs");
const bundled = bundleScript(fileURLToPath(new URL("./data-directory.ts", import.meta.url)), subject);
/** Opens the directory, says how it went, and stays. With "heir" a child of its own inherits the lock. */
const HOLDER = `
  import { spawn } from "node:child_process";
  const { openDataDirectory } = await import(${JSON.stringify(subject)});
  const [directory, heir] = process.argv.slice(1);
  try {
    const opened = await openDataDirectory(directory);
    const child = heir && spawn("sleep", ["600"], { stdio: ["ignore", "ignore", "ignore", opened.lockDescriptor] });
    console.log(JSON.stringify({ won: true, heir: child ? child.pid : undefined }));
    setInterval(() => {}, 1000);
  } catch (error) {
    console.log(JSON.stringify({ won: false, name: error.name, message: error.message }));
  }
`;

interface Report {
  readonly won: boolean;
  readonly message?: string;
  readonly heir?: number;
}

async function startHolder(
  directory: string,
  ...more: string[]
): Promise<{ child: ChildProcess; report: Report }> {
  await bundled;
  const child = spawn(process.execPath, ["--input-type=module", "-e", HOLDER, directory, ...more], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.add(child);
  let text = "";
  for await (const chunk of child.stdout!) {
    text += chunk;
    if (text.includes("\n")) break;
  }
  return { child, report: JSON.parse(text) };
}

async function kill(child: ChildProcess): Promise<void> {
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}

test("a new directory gets its marker, and can be opened again after it was released", async () => {
  const directory = join(fresh(), "deep", "er");
  const opened = await openDataDirectory(directory, { createdBy: "holdfast 1.2.3" });
  const marker = JSON.parse(readFileSync(join(directory, "holdfast.json"), "utf8"));
  assert.equal(marker.format, 3);
  assert.equal(marker.createdBy, "holdfast 1.2.3");
  assert.ok(Date.parse(marker.createdAt) > 0);
  await opened.release();
  assert.deepEqual(readdirSync(join(directory, "lock")), []);
  await (await openDataDirectory(directory)).release();
  assert.deepEqual(JSON.parse(readFileSync(join(directory, "holdfast.json"), "utf8")), marker);
});

test("a directory of the first format is taken over: who knows only that one must not open it again", async () => {
  const directory = fresh();
  mkdirSync(directory);
  writeFileSync(join(directory, "holdfast.json"), '{"format":1,"createdBy":"holdfast 0.1.0","more":true}');
  await (await openDataDirectory(directory)).release();
  assert.deepEqual(JSON.parse(readFileSync(join(directory, "holdfast.json"), "utf8")), {
    format: 3,
    createdBy: "holdfast 0.1.0",
    more: true,
  });
});

test("a directory can be locked however long its path is", async () => {
  const directory = join(fresh(), "x".repeat(120), "y".repeat(120));
  const opened = await openDataDirectory(directory);
  await assert.rejects(openDataDirectory(directory), refused(/is in use/));
  await opened.release();
});

test("a second Holdfast is refused with the pid of the first, and kill -9 of the first lets it in", async () => {
  const directory = fresh();
  const { child, report } = await startHolder(directory);
  assert.equal(report.won, true);
  await assert.rejects(
    openDataDirectory(directory),
    refused(new RegExp(`^${directory} is in use by another Holdfast \\(pid ${child.pid}\\)$`)),
  );
  await kill(child);
  assert.equal(readdirSync(join(directory, "lock")).length, 1, "the dead one left its socket behind");
  const opened = await openDataDirectory(directory);
  assert.equal(readdirSync(join(directory, "lock")).length, 1, "and it was removed");
  await opened.release();
});

test("a clock that went back makes a start wait, not win", async () => {
  const directory = fresh();
  const first = await openDataDirectory(directory);
  await assert.rejects(openDataDirectory(directory, { clock: { now: () => 1_000 } }), refused(/is in use/));
  await first.release();
});

test("workers that inherited the lock keep it when their supervisor is killed", async () => {
  const directory = fresh();
  const { child, report } = await startHolder(directory, "heir");
  await kill(child);
  await assert.rejects(openDataDirectory(directory), refused(/is in use/));
  process.kill(report.heir!, "SIGKILL");
  for (let i = 0; ; i++) {
    try {
      await (await openDataDirectory(directory)).release();
      break;
    } catch (error) {
      if (!(error instanceof UnusableDirectory) || i > 200) throw error;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
});

test("of twenty starts at the same moment exactly one wins, again and again after kill -9", async () => {
  const directory = fresh();
  for (let round = 0; round < 3; round++) {
    // Within one process, where they meet most closely; the rounds leave dead sockets of other processes
    // behind.
    const inside = await Promise.allSettled(Array.from({ length: 20 }, () => openDataDirectory(directory)));
    const winners = inside.filter((result) => result.status === "fulfilled");
    assert.equal(winners.length, 1, `round ${round}: ${winners.length} won`);
    for (const result of inside) if (result.status === "rejected") refused(/is in use/)(result.reason);
    await winners[0]!.value.release();
    const { child, report } = await startHolder(directory);
    assert.equal(report.won, true);
    await kill(child);
  }
});

test("of twenty processes started at the same moment exactly one wins", async () => {
  const directory = fresh();
  const started = await Promise.all(Array.from({ length: 20 }, () => startHolder(directory)));
  const winners = started.filter(({ report }) => report.won);
  assert.equal(winners.length, 1, JSON.stringify(started.map(({ report }) => report)));
  for (const { report } of started)
    if (!report.won) assert.match(report.message!, /is in use by another Holdfast/);
  await kill(winners[0]!.child);
});

test("a directory that another start makes its own at this very moment does not count as another program's", async () => {
  const go = new Int32Array(new SharedArrayBuffer(4));
  const other = new Worker(OTHER_START, { eval: true, workerData: { go, scratch } });
  try {
    for (let round = 1; round <= 300; round++) {
      const directory = join(scratch, `met-${round}`);
      mkdirSync(join(directory, "lock"), { recursive: true });
      Atomics.store(go, 0, round);
      Atomics.notify(go, 0);
      await (await openDataDirectory(directory)).release();
      while (Atomics.load(go, 0) === round) await new Promise((resolve) => setImmediate(resolve));
    }
  } finally {
    await other.terminate();
  }
});
/**
 * Writes what a start writes, in its order, as soon as it knows which directory is checked. It takes no
 * lock, so its draft has a name of its own.
 */
const OTHER_START = `
  const { mkdirSync, renameSync, writeFileSync } = require("node:fs");
  const { workerData: { go, scratch } } = require("node:worker_threads");
  for (let round = 1; round <= 300; round++) {
    while (Atomics.load(go, 0) !== round) Atomics.wait(go, 0, -(round - 1), 1000);
    const directory = scratch + "/met-" + round;
    writeFileSync(directory + "/draft.log", '{"format":2}');
    renameSync(directory + "/draft.log", directory + "/holdfast.json");
    mkdirSync(directory + "/store");
    Atomics.store(go, 0, -round);
  }
`;

test("what a newer Holdfast wrote is refused, and so is a damaged marker; nothing is changed", async () => {
  const cases: [string, RegExp][] = [
    ['{"format":4}', /was written by a newer Holdfast \(format 4, this build supports 3\)$/],
    ["", /holdfast\.json is damaged/],
    ['{"format":"1"}', /holdfast\.json is damaged/],
    ['{"form', /holdfast\.json is damaged/],
    ["null", /holdfast\.json is damaged/],
  ];
  for (const [text, expected] of cases) {
    const directory = fresh();
    mkdirSync(directory);
    writeFileSync(join(directory, "holdfast.json"), text);
    await assert.rejects(openDataDirectory(directory), refused(expected));
    assert.deepEqual(readdirSync(directory), ["holdfast.json"]);
    assert.equal(readFileSync(join(directory, "holdfast.json"), "utf8"), text);
  }
  const directory = fresh();
  mkdirSync(join(directory, "holdfast.json"), { recursive: true });
  await assert.rejects(openDataDirectory(directory), refused(/holdfast\.json cannot be read/));
});

test("a directory full of another program's files is left alone; a fresh disk is not", async () => {
  const foreign = fresh();
  mkdirSync(foreign);
  writeFileSync(join(foreign, "thesis.txt"), "words");
  await assert.rejects(
    openDataDirectory(foreign),
    refused(/is not empty \(it holds thesis\.txt\) and has no holdfast\.json/),
  );
  assert.deepEqual(readdirSync(foreign), ["thesis.txt"]);

  const disk = fresh();
  mkdirSync(join(disk, "lost+found"), { recursive: true });
  writeFileSync(join(disk, "debug.log"), "started\n");
  await (await openDataDirectory(disk)).release();
  assert.ok(existsSync(join(disk, "holdfast.json")));

  const azurite = fresh();
  mkdirSync(join(azurite, "__blobstorage__"), { recursive: true });
  for (const name of ["__azurite_db_blob__.json", "__azurite_db_table__.json", "AzuriteConfig"])
    writeFileSync(join(azurite, name), name);
  await (await openDataDirectory(azurite)).release();
  assert.equal(readFileSync(join(azurite, "__azurite_db_blob__.json"), "utf8"), "__azurite_db_blob__.json");
});

test("a directory with unrelated files stands for .holdfast inside it, others stand for themselves", () => {
  const make = (...names: string[]): string => {
    const directory = fresh();
    mkdirSync(directory);
    for (const name of names) mkdirSync(join(directory, name));
    return directory;
  };
  const missing = fresh();
  for (const directory of [
    missing,
    make(),
    make("lost+found", "debug.log", "__blobstorage__"),
    make("holdfast.json", "thesis.txt"),
    make("records", "extents"),
  ])
    assert.equal(dataDirectoryAt(directory), directory);
  for (const directory of [make("package.json"), make(".holdfast"), make("src", "debug.log")])
    assert.equal(dataDirectoryAt(directory), join(directory, ".holdfast"));
});

test("a place that cannot be a directory is refused", async () => {
  const file = fresh();
  writeFileSync(file, "");
  await assert.rejects(openDataDirectory(file), refused(/cannot be used: /));
  await assert.rejects(openDataDirectory(join(file, "below")), refused(/cannot be used: /));
});
