import { createReadStream, existsSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { collect } from "../base/bytes.ts";
import { systemClock } from "../base/clock.ts";
import { DamagedData, UnusableDirectory } from "../base/faults.ts";
import { LIMITS } from "../base/limits.ts";
import type { Device } from "../extents/device.ts";
import type { Log } from "../observability/log.ts";
import { type Manifest, type StoredFile, unpackRecords } from "../services/backup/format.ts";
import { readTar } from "../services/backup/tar.ts";
import { type CheckReport, check } from "../services/integrity/check.ts";
import { MIGRATION_KEY } from "../store/keys/migration.ts";
import type { Entry, Store } from "../store/kv.ts";
import { migrationRecord } from "../store/records/migration.ts";
import { BackupDirectory, readFileOf, readManifest } from "./backup-directory.ts";
import { openDataDirectory } from "./data-directory.ts";
import { fail, openOffline, ownerOf } from "./offline-store.ts";
import { openDevice, openStore } from "./open-store.ts";
import type { StoreChoice } from "./options.ts";

/**
 * Restores a backup into an empty directory or database: the extents, then the records, then a check of the
 * whole store. A note in the store keeps servers away until all of it is there; after an interruption the
 * same command begins again with what the files and records of the backup overwrite.
 */
export interface RestoreOptions {
  /** A backup directory or a tar file; a stream is unpacked beside the target first. */
  readonly from: { readonly path: string } | { readonly stream: AsyncIterable<Buffer> };
  readonly to: StoreChoice;
  /** Where a tar is unpacked before it is read. */
  readonly scratch: string;
  readonly log: Log;
  readonly progress: (step: RestoreStep) => void;
}

export interface RestoreStep {
  readonly phase: "unpack" | "payload" | "records" | "verify";
  readonly done: number;
  readonly total: number | undefined;
}

export async function restore({ from, to, scratch, log, progress }: RestoreOptions): Promise<CheckReport> {
  if ("path" in from && !existsSync(from.path)) throw new UnusableDirectory(`${from.path} does not exist`);
  const isDirectory = "path" in from && existsSync(join(from.path, "manifest.json"));
  if (isDirectory) return restoreDirectory(from.path, to, log, progress);
  const stream = "path" in from ? createReadStream(from.path) : from.stream;
  mkdirSync(dirname(scratch), { recursive: true });
  rmSync(scratch, { recursive: true, force: true });
  try {
    const unpacked = new BackupDirectory(scratch, undefined);
    let done = 0;
    for await (const file of readTar(stream as AsyncIterable<Buffer>)) {
      await unpacked.file(file);
      done += file.bytes;
      progress({ phase: "unpack", done, total: undefined });
    }
    return await restoreDirectory(scratch, to, log, progress);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function restoreDirectory(
  backup: string,
  to: StoreChoice,
  log: Log,
  progress: RestoreOptions["progress"],
): Promise<CheckReport> {
  const manifest = readManifest(backup);
  await copyInto(backup, manifest, to, log, progress);
  const { runtime, close } = await openOffline(to, "restore", log, { isMigrating: true });
  try {
    const report = await check(runtime.payload, ({ phase, done, total }) =>
      progress({ phase: "verify", done: phase === "payload" ? done : 0, total }),
    );
    await runtime.engine.write(async (write) => write.delete(MIGRATION_KEY));
    return { ...report, records: report.records - 1 };
  } finally {
    await close();
  }
}

async function copyInto(
  backup: string,
  manifest: Manifest,
  to: StoreChoice,
  log: Log,
  progress: RestoreOptions["progress"],
): Promise<void> {
  const directory = to.kind === "embedded" ? await openDataDirectory(to.directory) : undefined;
  try {
    const store = openStore({
      choice: to,
      owner: ownerOf("restore"),
      clock: systemClock,
      log,
      onFatal: fail,
    });
    try {
      await begin(store, manifest.id);
      await copyExtents(backup, manifest, openDevice(to, store), progress);
      await copyRecords(backup, manifest, store, progress);
      await store.write(async (write) => {
        write.revision(BigInt(manifest.revision));
      });
    } finally {
      await store.close();
    }
  } finally {
    await directory?.release();
  }
}

/** Refuses a store with anything in it but an interrupted restore of the same backup. */
async function begin(store: Store, id: string): Promise<void> {
  const origin = `backup ${id}`;
  await store.write(async (write) => {
    const stored = await write.get(MIGRATION_KEY);
    if (stored !== undefined) {
      if (migrationRecord.unpack(stored).origin === origin) return;
      throw new UnusableDirectory("the target holds an unfinished migration or restore of something else");
    }
    if ((await write.take({ from: "\x01", to: "\xff\xff\xff\xff" }, 1)).length > 0)
      throw new UnusableDirectory("the target is not empty");
    write.put(MIGRATION_KEY, migrationRecord.pack({ origin, lastKey: "", records: 0 }));
  });
}

async function copyExtents(
  backup: string,
  { extents }: Manifest,
  device: Device,
  progress: RestoreOptions["progress"],
): Promise<void> {
  const total = extents.reduce((sum, { bytes }) => sum + bytes, 0);
  const there = new Set((await device.list()).map(({ name }) => name));
  let done = 0;
  for (const extent of extents) {
    const name = extent.name.slice("extents/".length);
    if (there.has(name)) await device.remove(name);
    const file = await device.create(name);
    try {
      let at = 0;
      for await (const chunk of readFileOf(backup, extent)) {
        await file.write([chunk], at);
        at += chunk.length;
        progress({ phase: "payload", done: done + at, total });
      }
      await file.sync();
    } finally {
      await file.close();
    }
    done += extent.bytes;
  }
  await device.syncDirectory();
}

async function copyRecords(
  backup: string,
  { records, recordCount }: Manifest,
  store: Store,
  progress: RestoreOptions["progress"],
): Promise<void> {
  let done = 0;
  for (const file of records) {
    const entries = await readRecords(backup, file);
    for (let at = 0; at < entries.length; at += LIMITS.migrationBatchRecords) {
      const batch = entries.slice(at, at + LIMITS.migrationBatchRecords);
      await store.write(async (write) => {
        for (const { key, value } of batch) write.put(key, value);
      });
      done += batch.length;
      progress({ phase: "records", done, total: recordCount });
    }
  }
  if (done !== recordCount) throw new DamagedData(`the backup has ${done} records of ${recordCount}`);
}

async function readRecords(backup: string, file: StoredFile): Promise<Entry[]> {
  return unpackRecords(await collect(readFileOf(backup, file)));
}
