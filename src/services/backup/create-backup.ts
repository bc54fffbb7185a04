import { DamagedData } from "../../base/faults.ts";
import { LIMITS } from "../../base/limits.ts";
import type { Random } from "../../base/random.ts";
import { CooperativeScheduler } from "../../base/yield-to-event-loop.ts";
import { crc32 } from "../../digest/crc32.ts";
import { fileNameOf } from "../../extents/format.ts";
import { ALL_EXTENTS, extentOfKey } from "../../store/keys/payload.ts";
import type { Entry, Reader } from "../../store/kv.ts";
import { type ExtentRecord, extentRecord } from "../../store/records/payload.ts";
import type { PayloadService } from "../payload/payload-service.ts";
import {
  BACKUP_FORMAT,
  CountedContent,
  MANIFEST,
  type Manifest,
  PLAN,
  packRecords,
  RECORDS_BYTES,
  type StoredExtent,
  type StoredFile,
} from "./format.ts";
import type { TarFile } from "./tar.ts";

/**
 * Writes a consistent snapshot of a store to `sink`, while others write to the store:
 *
 *   1. One read transaction copies the records, and pins the extents that they refer to.
 *   2. The plan lists the extents that follow, and the extents are copied. Bytes of an extent never change
 *      once a record refers to them, and a pinned file is not removed, so the files are as good as they were
 *      at the time of the snapshot.
 *   3. The manifest comes last.
 *
 * An extent of `have` is not copied when it is the same and was sealed: only the manifest names it.
 */
export interface CreateBackup {
  readonly payload: PayloadService;
  readonly random: Random;
  readonly have: readonly StoredExtent[];
  readonly sink: BackupSink;
}

export interface BackupSink {
  file(file: TarFile): Promise<void>;
}

interface Snapshot {
  readonly records: StoredFile[];
  recordCount: number;
  readonly extents: (readonly [bigint, ExtentRecord])[];
  release(): void;
}

const REST_MILLIS = 1;

export async function createBackup({ payload, random, have, sink }: CreateBackup): Promise<Manifest> {
  const { store } = payload;
  const createdAt = new Date(await store.read((read) => read.now())).toISOString();
  const snapshot = await copyRecords(payload, sink);
  try {
    const revision = await store.write(async (write) => write.revision());
    const earlierByName = new Map(have.map((extent) => [extent.name, extent]));
    const extents: StoredExtent[] = [];
    const missing: (Omit<StoredExtent, "crc"> & { readonly extent: bigint })[] = [];
    for (const [extent, { owner, state }] of snapshot.extents) {
      const bytes = await sizeOf(payload, extent);
      const isSealed = state === "sealed";
      const name = `extents/${fileNameOf(extent)}`;
      const earlier = earlierByName.get(name);
      if (isSealed && earlier?.isSealed === true && earlier.owner === owner && earlier.bytes === bytes)
        extents.push(earlier);
      else missing.push({ name, bytes, owner, isSealed, extent });
    }
    const plan = missing.map(({ extent: _, ...planned }) => planned);
    await sink.file(fileOf(PLAN, `${JSON.stringify(plan)}\n`));
    for (const { extent, ...planned } of missing) {
      const { name, bytes } = planned;
      const content = new CountedContent(contentOf(payload, extent, bytes));
      await sink.file({ name, bytes, content });
      extents.push({ ...planned, crc: content.crc });
    }
    const { records, recordCount } = snapshot;
    const manifest: Manifest = {
      format: BACKUP_FORMAT,
      id: random.uuid(),
      createdAt,
      recordCount,
      revision: String(revision),
      records,
      extents,
    };
    await sink.file(fileOf(MANIFEST, `${JSON.stringify(manifest)}\n`));
    return manifest;
  } finally {
    snapshot.release();
  }
}

/** The store may run the read again, when it met records that were not durable yet: the last run counts. */
async function copyRecords(payload: PayloadService, sink: BackupSink): Promise<Snapshot> {
  const scheduler = new CooperativeScheduler(REST_MILLIS);
  let run = 0;
  let unpin: (() => void) | undefined;
  return payload.store.read(async (read) => {
    run++;
    unpin?.();
    const extents = await liveExtents(read);
    unpin = payload.pins.pin(extents.map(([extent]) => extent));
    const snapshot: Snapshot = { records: [], recordCount: 0, extents, release: unpin };
    try {
      for await (const entries of batches(read, scheduler)) {
        const bytes = packRecords(entries);
        const name = `records/${run}-${String(snapshot.records.length + 1).padStart(8, "0")}`;
        await sink.file({ name, bytes: bytes.length, content: once(bytes) });
        snapshot.records.push({ name, bytes: bytes.length, crc: crc32(bytes) });
        snapshot.recordCount += entries.length;
      }
    } catch (error) {
      unpin();
      throw error;
    }
    return snapshot;
  });
}

async function* batches(read: Reader, scheduler: CooperativeScheduler): AsyncGenerator<readonly Entry[]> {
  let entries: Entry[] = [];
  let bytes = 0;
  let count = 0;
  for await (const entry of read.range({ from: "\x01", to: "\xff\xff\xff\xff" })) {
    entries.push(entry);
    bytes += entry.key.length + entry.value.length;
    if (++count % LIMITS.rangePageEntries === 0) await scheduler.yieldToEventLoop();
    if (bytes < RECORDS_BYTES) continue;
    yield entries;
    entries = [];
    bytes = 0;
  }
  if (entries.length > 0) yield entries;
}

async function liveExtents(read: Reader): Promise<(readonly [bigint, ExtentRecord])[]> {
  const found: (readonly [bigint, ExtentRecord])[] = [];
  for await (const { key, value } of read.range(ALL_EXTENTS)) {
    const record = extentRecord.unpack(value);
    if (record.liveBytes > 0) found.push([extentOfKey(key), record]);
  }
  return found;
}

async function sizeOf(payload: PayloadService, extent: bigint): Promise<number> {
  const file = await payload.files.check(extent);
  if (file.is !== "ok") throw new DamagedData(`${fileNameOf(extent)} holds payload and is ${file.is}`);
  return file.bytes;
}

async function* contentOf(payload: PayloadService, extent: bigint, bytes: number): AsyncGenerator<Buffer> {
  const file = await payload.files.device.open(fileNameOf(extent));
  try {
    for (let at = 0; at < bytes; at += LIMITS.extentReadBytes) {
      const chunk = Buffer.allocUnsafe(Math.min(LIMITS.extentReadBytes, bytes - at));
      const found = await file.read([chunk], at);
      if (found < chunk.length) throw new DamagedData(`${fileNameOf(extent)} ends at ${at + found}`);
      yield chunk;
    }
  } finally {
    await file.close();
  }
}

function fileOf(name: string, text: string): TarFile {
  const bytes = Buffer.from(text);
  return { name, bytes: bytes.length, content: once(bytes) };
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}
