import { systemClock } from "../base/clock.ts";
import { ConfigError } from "../base/config-error.ts";
import { UnusableDirectory } from "../base/faults.ts";
import { LIMITS } from "../base/limits.ts";
import type { Device } from "../extents/device.ts";
import type { Log } from "../observability/log.ts";
import { MIGRATION_KEY } from "../store/keys/migration.ts";
import type { Entry, Key, Reader, Store } from "../store/kv.ts";
import { type MigrationRecord, migrationRecord } from "../store/records/migration.ts";
import { openDataDirectory } from "./data-directory.ts";
import { fail, openOffline, ownerOf } from "./offline-store.ts";
import { openDevice, openStore } from "./open-store.ts";
import type { StoreChoice } from "./options.ts";

/**
 * Copies everything from one store to another: from a directory to a database, or back. It copies the payload
 * byte for byte, then the records in batches, each with a note of the last key, and then reads both sides
 * again and compares them. After an interruption the same command continues where it stopped. The target
 * refuses to serve until the migration is finished. No server may use the source, which is not changed.
 */
export interface MigrateOptions {
  readonly from: StoreChoice;
  readonly to: StoreChoice;
  readonly log: Log;
  readonly progress: (step: MigrationStep) => void;
}

export interface MigrationStep {
  readonly phase: "payload" | "records" | "import" | "compare" | "verify";
  readonly done: number;
  /** undefined while records are copied: their number is not known yet. */
  readonly total: number | undefined;
}

export interface Migrated {
  readonly records: number;
  readonly payloadBytes: number;
}

const EVERYTHING_FROM: Key = "\x01";
const EVERYTHING_TO: Key = "\xff\xff\xff\xff";

interface Side {
  readonly store: Store;
  readonly device: Device;
  close(): Promise<void>;
}

export async function migrate({ from, to, log, progress }: MigrateOptions): Promise<Migrated> {
  if (from.kind === "memory" || to.kind === "memory")
    throw new ConfigError("migrate", "expected a directory or a postgres:// address on both sides");
  const source = await openSource(from, log);
  try {
    const target = await openTarget(to, log);
    try {
      const state = await beginMigration(target.store, await originOf(source.store));
      const payloadBytes = await copyPayload(source.device, target.device, progress);
      const records = await copyRecords(source.store, target.store, state, progress);
      await verifyRecords(source.store, target.store, records, progress);
      await finish(source.store, target.store);
      return { records, payloadBytes };
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

async function openSource(choice: StoreChoice, log: Log): Promise<Side> {
  const { runtime, close } = await openOffline(choice, "migrate", log);
  return { store: runtime.engine, device: openDevice(choice, runtime.engine), close };
}

async function openTarget(choice: StoreChoice, log: Log): Promise<Side> {
  const directory = choice.kind === "embedded" ? await openDataDirectory(choice.directory) : undefined;
  const store = openStore({ choice, owner: ownerOf("migrate"), clock: systemClock, log, onFatal: fail });
  return {
    store,
    device: openDevice(choice, store),
    close: async () => {
      await store.close();
      await directory?.release();
    },
  };
}

/** Identifies the source by its first key: enough to notice that another one is meant. */
async function originOf(source: Store): Promise<string> {
  const first = await source.read((read) => firstEntries(read, EVERYTHING_FROM, 1));
  return first.length === 0 ? "" : Buffer.from(first[0]!.key, "latin1").toString("hex");
}

/** The state of the migration: created in an empty target, read from one that was interrupted. */
export function beginMigration(target: Store, origin: string): Promise<MigrationRecord> {
  return target.write(async (write) => {
    const stored = await write.get(MIGRATION_KEY);
    if (stored !== undefined) {
      const state = migrationRecord.unpack(stored);
      if (state.origin === origin) return state;
      throw new UnusableDirectory("the target holds an unfinished migration from another source");
    }
    if ((await firstEntries(write, EVERYTHING_FROM, 1)).length > 0)
      throw new UnusableDirectory("the target is not empty");
    const state = { origin, lastKey: "", records: 0 };
    write.put(MIGRATION_KEY, migrationRecord.pack(state));
    return state;
  });
}

/** The target's revisions continue above those of the source; then it may serve. */
async function finish(source: Store, target: Store): Promise<void> {
  const highest = await source.write(async (write) => write.revision());
  await target.write(async (write) => {
    write.revision(highest);
    write.delete(MIGRATION_KEY);
  });
}

async function copyPayload(
  source: Device,
  target: Device,
  progress: MigrateOptions["progress"],
): Promise<number> {
  const extents = await source.list();
  const there = new Map((await target.list()).map(({ name, bytes }) => [name, bytes]));
  const total = extents.reduce((sum, { bytes }) => sum + bytes, 0);
  let done = 0;
  for (const { name, bytes } of extents) {
    const isThere = there.get(name) === bytes && (await isSameFile(source, target, name, bytes));
    if (!isThere) {
      if (there.has(name)) await target.remove(name);
      await copyFile(source, target, name, bytes);
      if (!(await isSameFile(source, target, name, bytes)))
        throw new UnusableDirectory(`${target.place}/${name} differs from the source after it was copied`);
    }
    done += bytes;
    progress({ phase: "payload", done, total });
  }
  return total;
}

async function copyFile(source: Device, target: Device, name: string, bytes: number): Promise<void> {
  const from = await source.open(name);
  const to = await target.create(name);
  try {
    for (let at = 0; at < bytes; at += LIMITS.extentReadBytes) {
      const chunk = Buffer.allocUnsafe(Math.min(LIMITS.extentReadBytes, bytes - at));
      await to.write([chunk.subarray(0, await from.read([chunk], at))], at);
    }
    await to.sync();
  } finally {
    await to.close();
    await from.close();
  }
  await target.syncDirectory();
}

async function isSameFile(source: Device, target: Device, name: string, bytes: number): Promise<boolean> {
  const [from, to] = [await source.open(name), await target.open(name)];
  try {
    for (let at = 0; at < bytes; at += LIMITS.extentReadBytes) {
      const size = Math.min(LIMITS.extentReadBytes, bytes - at);
      const [original, copy] = [Buffer.alloc(size), Buffer.alloc(size)];
      const [read, readToo] = await Promise.all([from.read([original], at), to.read([copy], at)]);
      if (read !== readToo || !original.equals(copy)) return false;
    }
    return true;
  } finally {
    await from.close();
    await to.close();
  }
}

async function firstEntries(read: Reader, from: Key, limit: number): Promise<Entry[]> {
  const found: Entry[] = [];
  let bytes = 0;
  for await (const entry of read.range({ from, to: EVERYTHING_TO, limit })) {
    found.push(entry);
    bytes += entry.key.length + entry.value.length;
    if (bytes >= LIMITS.migrationBatchBytes) break;
  }
  return found;
}

/** Each transaction writes a batch and the migration's state, so that the two always agree. */
async function copyRecords(
  source: Store,
  target: Store,
  begun: MigrationRecord,
  progress: MigrateOptions["progress"],
): Promise<number> {
  let state = begun;
  for (;;) {
    const from = state.lastKey === "" ? EVERYTHING_FROM : `${state.lastKey}\0`;
    const batch = await source.read((read) => firstEntries(read, from, LIMITS.migrationBatchRecords));
    if (batch.length === 0) return state.records;
    const next = { ...state, lastKey: batch.at(-1)!.key, records: state.records + batch.length };
    await target.write(async (write) => {
      for (const { key, value } of batch) write.put(key, value);
      write.put(MIGRATION_KEY, migrationRecord.pack(next));
    });
    state = next;
    progress({ phase: "records", done: state.records, total: undefined });
  }
}

async function verifyRecords(
  source: Store,
  target: Store,
  total: number,
  progress: MigrateOptions["progress"],
): Promise<void> {
  let from = EVERYTHING_FROM;
  let done = 0;
  for (;;) {
    const batch = await source.read((read) => firstEntries(read, from, LIMITS.migrationBatchRecords));
    const to = batch.length === 0 ? EVERYTHING_TO : `${batch.at(-1)!.key}\0`;
    const copies = await target.read(async (read) => {
      const found: Entry[] = [];
      for await (const entry of read.range({ from, to })) if (entry.key !== MIGRATION_KEY) found.push(entry);
      return found;
    });
    const isSame =
      copies.length === batch.length &&
      copies.every(({ key, value }, i) => key === batch[i]!.key && value.equals(batch[i]!.value));
    if (!isSame) throw new UnusableDirectory(`the copy differs from the source after ${done} records`);
    if (batch.length === 0) return;
    done += batch.length;
    from = to;
    progress({ phase: "verify", done, total });
  }
}
