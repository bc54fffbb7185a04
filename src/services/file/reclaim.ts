import {
  allRangesOf,
  contentsOfShare,
  deletedShareKey,
  epochIndexKey,
  epochIndexOf,
  epochIndexOfShare,
  GARBAGE,
  keyOfEpochIndex,
  permissionsOf,
  purgesUntil,
  snapshotsOf,
  usageKey,
  versionKey,
} from "../../store/keys/file.ts";
import { KeyReader } from "../../store/keys/pack.ts";
import type { Entry, Key, Range, Reader, Writer } from "../../store/kv.ts";
import {
  type GarbageRecord,
  garbageRecord,
  purgeRecord,
  rangeRecord,
  type SliceName,
  shareRecord,
} from "../../store/records/file.ts";
import type { BackgroundJob } from "../reclaim/background-jobs.ts";
import { discardShare } from "./delete-share.ts";
import type { FileService } from "./file-service.ts";
import { FILE_LIMITS } from "./limits.ts";
import { forgetUnusedMarks } from "./opened-marks.ts";
import { slicesOf } from "./range-record.ts";
import { fileCopies } from "./run-copy.ts";
import { epochUpTo } from "./snapshots.ts";
import { bodyOf, deleteVersioned, sinceOf } from "./versions.ts";

/** The background jobs of the File service. Each step is one short transaction. */
export function fileJobs(files: FileService): readonly BackgroundJob[] {
  const interval = FILE_LIMITS.sweepIntervalMillis;
  return [
    { name: "purge deleted shares", interval, run: () => purgeShares(files) },
    {
      name: "free contents of deleted files, shares and snapshots",
      interval,
      wakeup: files.contentLeft,
      run: () => sweepGarbage(files),
    },
    fileCopies(files),
    { name: "clear the opened mark of unused shares", interval, run: () => forgetUnusedMarks(files) },
  ];
}

async function firstOf(read: Reader, range: Range, limit: number): Promise<Entry[]> {
  const found: Entry[] = [];
  for await (const entry of read.range({ ...range, limit })) found.push(entry);
  return found;
}

async function purgeShares({ parts: { store } }: FileService): Promise<"more" | "done"> {
  const isAny = await store.read(async (read) => (await read.take(purgesUntil(read.now()), 1)).length > 0);
  if (!isAny) return "done";
  return store.write(async (write) => {
    const due = await firstOf(write, purgesUntil(write.now()), FILE_LIMITS.sweptPerStep);
    for (const { key, value } of due) {
      const { account, name } = purgeRecord.unpack(value);
      const deletion = new KeyReader(key).skipText().skipWhole().whole();
      const deleted = deletedShareKey(account, name, deletion);
      const stored = await write.get(deleted);
      if (stored !== undefined) discardShare(write, shareRecord.unpack(stored).id);
      write.delete(deleted);
      write.delete(key);
    }
    return due.length < FILE_LIMITS.sweptPerStep ? "done" : "more";
  });
}

async function sweepGarbage({ parts: { store, payloads } }: FileService): Promise<"more" | "done"> {
  const found = await store.read(async (read) => (await read.take(GARBAGE, 1))[0]);
  if (found === undefined) return "done";
  await store.write(async (write) => {
    // Another process may have swept it since.
    if ((await write.get(found.key)) === undefined) return;
    const { slices, isDone } = await sweep(write, garbageRecord.unpack(found.value));
    if (slices.length > 0) await payloads.drop(write, slices);
    if (isDone) write.delete(found.key);
  });
  return "more";
}

/** One step of sweeping: the slices of the records it deleted, and whether it was the last step. */
interface Swept {
  readonly slices: readonly SliceName[];
  readonly isDone: boolean;
}

function sweep(write: Writer, garbage: GarbageRecord): Promise<Swept> {
  switch (garbage.what) {
    case "share":
      return sweepShare(write, garbage.share);
    case "content":
      return sweepContent(write, garbage);
    case "epoch":
      return sweepEpoch(write, garbage);
  }
}

const RANGE_FAMILY = "fr\0";
const RANGE_VERSION_FAMILY = "fv\0fr\0";

/** Slices that a record, or a version of one, references. */
function slicesInRecord(key: Key, stored: Buffer): readonly SliceName[] {
  const isRange = key.startsWith(RANGE_FAMILY) || key.startsWith(RANGE_VERSION_FAMILY);
  return isRange ? slicesOf(rangeRecord.unpack(bodyOf(stored))) : [];
}

async function sweepShare(write: Writer, share: bigint): Promise<Swept> {
  const slices: SliceName[] = [];
  let remaining: number = FILE_LIMITS.sweptPerStep;
  const rest = [epochIndexOfShare(share), permissionsOf(share), snapshotsOf(share)];
  for (const range of [...contentsOfShare(share), ...rest]) {
    for (const { key, value } of await firstOf(write, range, remaining)) {
      slices.push(...slicesInRecord(key, value));
      write.delete(key);
      remaining--;
    }
    if (remaining === 0) return { slices, isDone: false };
  }
  write.delete(usageKey(share));
  return { slices, isDone: true };
}

/**
 * The content of a file that was deleted or overwritten. Snapshots that existed then may still see it; later
 * ones do not, so they get no version of it.
 */
async function sweepContent(
  write: Writer,
  { share, content, epoch }: Extract<GarbageRecord, { what: "content" }>,
): Promise<Swept> {
  const volume = { id: share, epoch: await epochUpTo(write, share, epoch) };
  const found = await firstOf(write, allRangesOf(share, content), FILE_LIMITS.sweptPerStep);
  const slices = found.flatMap(({ key, value }) =>
    deleteVersioned(write, volume, key, value) === "replaced" ? slicesInRecord(key, value) : [],
  );
  return { slices, isDone: found.length < FILE_LIMITS.sweptPerStep };
}

/**
 * Moves the versions of a deleted snapshot to the snapshot before, if that one sees them, or deletes them.
 */
async function sweepEpoch(
  write: Writer,
  { share, epoch }: Extract<GarbageRecord, { what: "epoch" }>,
): Promise<Swept> {
  const before = await epochUpTo(write, share, epoch);
  const found = await firstOf(write, epochIndexOf(share, epoch), FILE_LIMITS.sweptPerStep);
  const slices: SliceName[] = [];
  for (const { key: index } of found) {
    const key = keyOfEpochIndex(index);
    const versioned = versionKey(key, epoch);
    const stored = (await write.get(versioned))!;
    write.delete(index);
    write.delete(versioned);
    // The snapshot before has no version of this record: this one would then be newer and invisible to it.
    if (before > 0n && sinceOf(stored) <= before) {
      write.put(versionKey(key, before), stored);
      write.put(epochIndexKey(share, before, key), Buffer.alloc(0));
    } else slices.push(...slicesInRecord(versioned, stored));
  }
  return { slices, isDone: found.length < FILE_LIMITS.sweptPerStep };
}
