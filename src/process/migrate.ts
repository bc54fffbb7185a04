import { systemClock } from "../base/clock.ts";
import { ConfigError } from "../base/config-error.ts";
import { UnusableDirectory } from "../base/faults.ts";
import { LIMITS } from "../base/limits.ts";
import { systemRandom } from "../base/random.ts";
import type { Device } from "../extents/device.ts";
import type { Log } from "../observability/log.ts";
import { MIGRATION_KEY } from "../store/keys/migration.ts";
import type { Entry, Key, Reader, Store } from "../store/kv.ts";
import { type MigrationRecord, migrationRecord } from "../store/records/migration.ts";
import { type DataDirectory, openDataDirectory } from "./data-directory.ts";
import { openDevice, openStore } from "./open-store.ts";
import type { StoreChoice } from "./options.ts";
import { Runtime } from "./runtime.ts";

/**
 * Moves everything from one store to another: a directory to a database, or back. Payload first, as it is,
 * byte for byte; then the records, in batches, each with a note of how far it got; then everything is read
 * again on both sides and compared. Interrupted at any point, the same command goes on where it stopped.
 * Until it is finished the target refuses to serve. The source must be at rest and is not changed.
 */
export interface MigrateOptions {
  readonly from: StoreChoice;
  readonly to: StoreChoice;
  readonly log: Log;
  readonly progress: (step: MigrationStep) => void;
}

export interface MigrationStep {
  readonly phase: "payload" | "records" | "verify";
  readonly done: number;
  /** Unknown while records are counted for the first time. */
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
      const state = await begin(source.store, target.store);
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

function fail(error: unknown): never {
  throw error;
}

const ownName = (): string => `migrate-${process.pid}-${systemRandom.uuid()}`;

/** As a server would open it, so that what a crash left is brought in order, and serves nobody. */
async function openSource(choice: StoreChoice, log: Log): Promise<Side> {
  const directory = await lockDirectory(choice);
  const runtime = new Runtime({ choice, owner: ownName(), log, onFatal: fail });
  const close = async (): Promise<void> => {
    await runtime.close();
    await directory?.release();
  };
  try {
    await runtime.recoverAll();
    await runtime.waitUntilAlone();
    return { store: runtime.engine, device: openDevice(choice, runtime.engine), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openTarget(choice: StoreChoice, log: Log): Promise<Side> {
  const directory = await lockDirectory(choice);
  const store = openStore({ choice, owner: ownName(), clock: systemClock, log, onFatal: fail });
  return {
    store,
    device: openDevice(choice, store),
    close: async () => {
      await store.close();
      await directory?.release();
    },
  };
}

async function lockDirectory(choice: StoreChoice): Promise<DataDirectory | undefined> {
  return choice.kind === "embedded" ? openDataDirectory(choice.directory) : undefined;
}

/** The note that a migration is under way: made in an empty target, found in one that was interrupted. */
async function begin(source: Store, target: Store): Promise<MigrationRecord> {
  const first = await source.read((read) => firstEntries(read, EVERYTHING_FROM, 1));
  const origin = first.length === 0 ? "" : Buffer.from(first[0]!.key, "latin1").toString("hex");
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

/** The target's revisions go on above every one the source has made; then it may serve. */
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
        throw new UnusableDirectory(`${target.place}/${name} does not read as it was written`);
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
      const piece = Buffer.allocUnsafe(Math.min(LIMITS.extentReadBytes, bytes - at));
      await to.write([piece.subarray(0, await from.read([piece], at))], at);
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
      const [one, other] = [Buffer.alloc(size), Buffer.alloc(size)];
      const [read, readToo] = await Promise.all([from.read([one], at), to.read([other], at)]);
      if (read !== readToo || !one.equals(other)) return false;
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

/** What is ours goes along with each batch, so that a batch is never half remembered. */
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

/** Both sides from the first key to the last. */
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
    if (!isSame) throw new UnusableDirectory(`the copy differs from the source after record ${done}`);
    if (batch.length === 0) return;
    done += batch.length;
    from = to;
    progress({ phase: "verify", done, total });
  }
}
