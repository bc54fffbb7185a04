import assert from "node:assert/strict";
import { test } from "node:test";
import { collect } from "../../src/base/bytes.ts";
import { monotonic, pause, seconds } from "../../src/base/clock.ts";
import { DamagedData } from "../../src/base/faults.ts";
import { MIB } from "../../src/base/limits.ts";
import { seededRandom } from "../../src/base/random.ts";
import { silentLog } from "../../src/observability/log.ts";
import { Runtime } from "../../src/process/runtime.ts";
import type { Slice } from "../../src/services/payload/payloads.ts";
import { freshSchema, sharedDatabase } from "../kit/postgres.ts";

/** Payload in rows: streamed, verified, read by any member, freed when nothing refers to it. */
async function onMembers(story: (members: Runtime[], chunks: string) => Promise<void>): Promise<void> {
  const { address, drop } = await freshSchema();
  const onFatal = (error: unknown): void => {
    throw error;
  };
  const members = ["one", "two"].map(
    (owner) => new Runtime({ choice: { kind: "postgres", address }, owner, log: silentLog, onFatal }),
  );
  try {
    for (const member of members) {
      await member.recoverAll();
      await member.start();
    }
    await story(members, `${/schema=(\w+)/.exec(address)![1]}.chunks`);
  } finally {
    await Promise.all(members.map((member) => member.close()));
    await drop();
  }
}

async function countChunks(table: string): Promise<number> {
  const [row] = await (await sharedDatabase()).query(`SELECT count(*)::int AS count FROM ${table}`);
  return Number(row!.count);
}

async function keep({ parts: { store, payloads } }: Runtime, bytes: Buffer): Promise<readonly Slice[]> {
  const appended = await payloads.append(bytes);
  await store.write((write) => payloads.keep(write, appended.slices));
  appended.release();
  return appended.slices;
}

async function read(
  { parts: { store, payloads } }: Runtime,
  slices: readonly Slice[],
  from: number,
  length: number,
) {
  const opened = await store.read((reader) => payloads.open(reader, slices));
  try {
    return await collect(opened.stream(from, length));
  } finally {
    opened.close();
  }
}

test("payload written through one member is read through the other, whole and in part", () =>
  onMembers(async ([one, two]) => {
    for (const size of [9_000, 262_144, 5 * MIB + 17]) {
      const bytes = seededRandom(size).bytes(size);
      const slices = await keep(one!, bytes);
      assert.ok((await read(two!, slices, 0, size)).equals(bytes));
      for (const [from, length] of [
        [0, 1],
        [size - 1, 1],
        [Math.floor(size / 2), 4_000],
        [100, Math.min(size - 100, 700_000)],
      ] as const) {
        assert.ok((await read(two!, slices, from, length)).equals(bytes.subarray(from, from + length)));
      }
    }
  }));

test("a byte changed in the database is an error, never wrong bytes", () =>
  onMembers(async ([one, two], chunks) => {
    const slices = await keep(one!, seededRandom(7).bytes(300_000));
    await (await sharedDatabase()).query(
      `UPDATE ${chunks} SET data = set_byte(data, 1000, get_byte(data, 1000) # 1) WHERE length(data) > 100000`,
    );
    await assert.rejects(read(two!, slices, 0, 300_000), DamagedData);
  }));

test("space is freed when the last reference is gone, and not before the last reader", () =>
  onMembers(async ([one, two], chunks) => {
    const bytes = seededRandom(3).bytes(20 * MIB);
    const slices = await keep(one!, bytes);
    const { store, payloads } = two!.parts;
    const opened = await store.read((reader) => payloads.open(reader, slices));
    await one!.parts.store.write((write) => one!.parts.payloads.drop(write, slices));
    // Several rounds of the reclaimer: the reader on the other member keeps what it has opened.
    await pause(3_000);
    assert.ok((await collect(opened.stream(0, bytes.length))).equals(bytes));
    opened.close();
    const closed = monotonic();
    while ((await countChunks(chunks)) > 0) {
      assert.ok(monotonic() - closed < seconds(15), "the space was not freed");
      await pause(100);
    }
  }));
