import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { freshSchema } from "../../test/kit/postgres.ts";
import { collect } from "../base/bytes.ts";
import { silentLog } from "../observability/log.ts";
import type { Slice } from "../services/payload/payloads.ts";
import { packKey } from "../store/keys/pack.ts";
import { openDataDirectory } from "./data-directory.ts";
import { type Migrated, type MigrationStep, migrate } from "./migrate.ts";
import type { StoreChoice } from "./options.ts";
import { Runtime } from "./runtime.ts";

const RECORDS = 2_500;
const PAYLOAD = Buffer.alloc(300_000, "payload ");

function open(choice: StoreChoice): Runtime {
  const onFatal = (error: unknown): void => {
    throw error;
  };
  return new Runtime({ choice, owner: "test", log: silentLog, onFatal });
}

async function serving<T>(choice: StoreChoice, story: (runtime: Runtime) => Promise<T>): Promise<T> {
  const directory = choice.kind === "embedded" ? await openDataDirectory(choice.directory) : undefined;
  const runtime = open(choice);
  try {
    await runtime.recoverAll();
    await runtime.start();
    return await story(runtime);
  } finally {
    await runtime.close();
    await directory?.release();
  }
}

const nameOf = (index: number): string => packKey(["t", BigInt(index)]);

/** Records short and long, payload in extents; returns what is needed to find it again. */
function fill(choice: StoreChoice): Promise<{ slices: readonly Slice[]; revision: bigint }> {
  return serving(choice, async ({ parts: { store, payloads } }) => {
    const appended = await payloads.append(PAYLOAD);
    const revision = await store.write(async (write) => {
      await payloads.keep(write, appended.slices);
      for (let index = 0; index < RECORDS; index++) write.put(nameOf(index), Buffer.from(`record ${index}`));
      write.put("u".repeat(5_000), Buffer.from("long key"));
      return write.revision();
    });
    appended.release();
    return { slices: appended.slices, revision };
  });
}

function check(
  choice: StoreChoice,
  { slices, revision }: { slices: readonly Slice[]; revision: bigint },
): Promise<void> {
  return serving(choice, async ({ parts: { store, payloads } }) => {
    const opened = await store.read(async (read) => {
      assert.equal((await read.get(nameOf(RECORDS - 1)))?.toString(), `record ${RECORDS - 1}`);
      assert.equal((await read.get("u".repeat(5_000)))?.toString(), "long key");
      return payloads.open(read, slices);
    });
    assert.ok((await collect(opened.stream(0, PAYLOAD.length))).equals(PAYLOAD));
    opened.close();
    assert.ok((await store.write(async (write) => write.revision())) > revision);
  });
}

async function onBoth(
  story: (directory: StoreChoice, database: StoreChoice) => Promise<void>,
): Promise<void> {
  const parent = mkdtempSync(join(tmpdir(), "holdfast-migrate-"));
  const { address, drop } = await freshSchema();
  try {
    await story({ kind: "embedded", directory: join(parent, "data") }, { kind: "postgres", address });
  } finally {
    await drop();
    rmSync(parent, { recursive: true, force: true });
  }
}

function move(
  from: StoreChoice,
  to: StoreChoice,
  progress = (_: MigrationStep): void => {},
): Promise<Migrated> {
  return migrate({ from, to, log: silentLog, progress });
}

test("a directory moves to a database and back, with its payload and its revisions", () =>
  onBoth(async (directory, database) => {
    const made = await fill(directory);
    const phases = new Set<string>();
    const { records, payloadBytes } = await move(directory, database, ({ phase }) => phases.add(phase));
    assert.ok(records > RECORDS && payloadBytes > PAYLOAD.length);
    assert.deepEqual([...phases], ["payload", "records", "verify"]);
    await check(database, made);
    const back = mkdtempSync(join(tmpdir(), "holdfast-migrate-"));
    try {
      const again: StoreChoice = { kind: "embedded", directory: join(back, "data") };
      await move(database, again);
      await check(again, made);
    } finally {
      rmSync(back, { recursive: true, force: true });
    }
  }));

test("an interrupted migration goes on where it stopped, and meanwhile the target serves no client", () =>
  onBoth(async (directory, database) => {
    const made = await fill(directory);
    let batches = 0;
    const interrupted = move(directory, database, ({ phase }) => {
      if (phase === "records" && ++batches === 2) throw new Error("pulled the plug");
    });
    await assert.rejects(interrupted, /pulled the plug/);
    await assert.rejects(
      serving(database, async () => {}),
      /is unfinished/,
    );
    const counts: number[] = [];
    await move(directory, database, ({ phase, done }) => {
      if (phase === "records") counts.push(done);
    });
    assert.ok(counts[0]! > 2_000, "the first batches are not copied again");
    await check(database, made);
  }));

test("a target that holds data of its own is refused", () =>
  onBoth(async (directory, database) => {
    await fill(directory);
    await fill(database);
    await assert.rejects(move(directory, database), /is not empty/);
  }));
