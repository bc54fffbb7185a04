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

/** What the File service does in the background. Each step is one short transaction. */
export function fileJobs(files: FileService): readonly BackgroundJob[] {
  const interval = FILE_LIMITS.sweepIntervalMillis;
  return [
    { name: "deleted shares whose time is over", interval, run: () => purgeShares(files) },
    {
      name: "contents of files and shares that are gone",
      interval,
      wakeup: files.contentLeft,
      run: () => sweepGarbage(files),
    },
    fileCopies(files),
    { name: "marks of shares nobody has open", interval, run: () => forgetUnusedMarks(files) },
  ];
}

async function firstOf(read: Reader, range: Range, limit: number): Promise<Entry[]> {
  const found: Entry[] = [];
  for await (const entry of read.range({ ...range, limit })) found.push(entry);
  return found;
}

async function purgeShares(files: FileService): Promise<"more" | "done"> {
  const { store } = files.parts;
  const isAny = await store.read(
    async (read) => (await firstOf(read, purgesUntil(read.now()), 1)).length > 0,
  );
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

async function sweepGarbage(files: FileService): Promise<"more" | "done"> {
  const { store } = files.parts;
  const found = await store.read(async (read) => (await firstOf(read, GARBAGE, 1))[0]);
  if (found === undefined) return "done";
  const garbage = garbageRecord.unpack(found.value);
  await store.write(async (write) => {
    // Another process may have done it meanwhile.
    if ((await write.get(found.key)) === undefined) return;
    if ((await sweep(files, write, garbage)) === "done") write.delete(found.key);
  });
  return "more";
}

function sweep(files: FileService, write: Writer, garbage: GarbageRecord): Promise<"more" | "done"> {
  switch (garbage.what) {
    case "share":
      return sweepShare(files, write, garbage.share);
    case "content":
      return sweepContent(files, write, garbage);
    case "epoch":
      return sweepEpoch(files, write, garbage);
  }
}

const RANGE_FAMILY = "fr\0";
const RANGE_VERSION_FAMILY = "fv\0fr\0";

/** Slices that a record of the contents, or a version of one, holds on to. */
function slicesInRecord(key: Key, stored: Buffer): readonly SliceName[] {
  const isRange = key.startsWith(RANGE_FAMILY) || key.startsWith(RANGE_VERSION_FAMILY);
  return isRange ? slicesOf(rangeRecord.unpack(bodyOf(stored))) : [];
}

async function sweepShare(files: FileService, write: Writer, share: bigint): Promise<"more" | "done"> {
  const ranges = [
    ...contentsOfShare(share),
    epochIndexOfShare(share),
    permissionsOf(share),
    snapshotsOf(share),
  ];
  const dropped: SliceName[] = [];
  let room: number = FILE_LIMITS.sweptPerStep;
  for (const range of ranges) {
    if (room === 0) break;
    for (const { key, value } of await firstOf(write, range, room)) {
      dropped.push(...slicesInRecord(key, value));
      write.delete(key);
      room--;
    }
  }
  if (dropped.length > 0) await files.parts.payloads.drop(write, dropped);
  if (room === 0) return "more";
  write.delete(usageKey(share));
  return "done";
}

/**
 * The content of a file that was deleted or made anew. Snapshots that were there at that time may still see it;
 * later ones do not, so they get no version of it.
 */
async function sweepContent(
  files: FileService,
  write: Writer,
  { share, content, epoch }: Extract<GarbageRecord, { what: "content" }>,
): Promise<"more" | "done"> {
  const volume = { id: share, epoch: await epochUpTo(write, share, epoch) };
  const found = await firstOf(write, allRangesOf(share, content), FILE_LIMITS.sweptPerStep);
  const dropped: SliceName[] = [];
  for (const { key, value } of found) {
    if (deleteVersioned(write, volume, key, value) === "replaced")
      dropped.push(...slicesInRecord(key, value));
  }
  if (dropped.length > 0) await files.parts.payloads.drop(write, dropped);
  return found.length < FILE_LIMITS.sweptPerStep ? "done" : "more";
}

/** Versions of a snapshot that is gone: each is handed to the snapshot before, if that one sees it, or it goes. */
async function sweepEpoch(
  files: FileService,
  write: Writer,
  { share, epoch }: Extract<GarbageRecord, { what: "epoch" }>,
): Promise<"more" | "done"> {
  const before = await epochUpTo(write, share, epoch);
  const found = await firstOf(write, epochIndexOf(share, epoch), FILE_LIMITS.sweptPerStep);
  const dropped: SliceName[] = [];
  for (const { key: index } of found) {
    const key = keyOfEpochIndex(index);
    const versioned = versionKey(key, epoch);
    const stored = (await write.get(versioned))!;
    write.delete(index);
    write.delete(versioned);
    // Had that one a version of its own, this one would have been written after it, and would not be seen by it.
    if (before > 0n && sinceOf(stored) <= before) {
      write.put(versionKey(key, before), stored);
      write.put(epochIndexKey(share, before, key), Buffer.alloc(0));
    } else dropped.push(...slicesInRecord(versioned, stored));
  }
  if (dropped.length > 0) await files.parts.payloads.drop(write, dropped);
  return found.length < FILE_LIMITS.sweptPerStep ? "done" : "more";
}
