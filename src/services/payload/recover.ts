import { assert } from "../../base/assert.ts";
import { UnusableDirectory } from "../../base/faults.ts";
import { LIMITS } from "../../base/limits.ts";
import type { FileVerdict } from "../../extents/extent-files.ts";
import { EXTENT_FORMAT_VERSION, fileNameOf, storedBytes } from "../../extents/format.ts";
import { ALL_EXTENTS, extentKey, extentOfKey, wornExtentKey } from "../../store/keys/payload.ts";
import type { Reader, Writer } from "../../store/kv.ts";
import { type ExtentRecord, extentRecord } from "../../store/records/payload.ts";
import { putExtent } from "./extent-ledger.ts";
import type { PayloadService } from "./payload-service.ts";
import { walkExtent } from "./walk-extent.ts";

/** The owners of the extents to recover: all at the first start, or processes found dead. */
export type DeadOwners = "all" | ReadonlySet<string>;

export interface Recovered {
  /** Extents that dead owners left open, sealed now. The reclaimer removes the empty ones. */
  readonly sealed: number;
  /** Files without a record. */
  readonly removed: number;
}

interface Found {
  readonly extent: bigint;
  readonly record: ExtentRecord;
}

/**
 * Reconciles records and files after a crash. It first checks everything and changes nothing: the server does
 * not start when a file with live payload is missing or damaged. Then it seals the extents that dead owners
 * left open, and removes files without a record. With "all" it runs before the first append.
 */
export async function recover(payload: PayloadService, dead: DeadOwners): Promise<Recovered> {
  assert(
    dead !== "all" || payload.extents.openExtent === undefined,
    "recovery comes before the first append",
  );
  // Files are listed before records are read: a record is durable before its file is created, so a listed
  // file without a record belongs to no extent, even while other processes create new ones.
  const files = dead === "all" ? await payload.files.list() : new Map<bigint, number>();
  const isInDoubt = ({ state, owner }: ExtentRecord): boolean =>
    dead === "all" || (state === "open" && dead.has(owner));
  const found = await payload.store.read((read) => readExtents(read, isInDoubt));
  const sizes = await checkFiles(payload, found);

  const open = found.filter(({ record }) => record.state === "open").map(({ extent }) => extent);
  const sealed = await payload.store.write((write) => sealOpen(write, payload, { open, sizes }));
  const recorded = new Set(found.map(({ extent }) => extent));
  const strays = [...files.keys()].filter((extent) => !recorded.has(extent));
  for (const extent of strays) await payload.extents.remove(extent);
  return { sealed, removed: strays.length };
}

async function sealOpen(
  write: Writer,
  payload: PayloadService,
  { open, sizes }: { readonly open: readonly bigint[]; readonly sizes: ReadonlyMap<bigint, number> },
): Promise<number> {
  const records = await write.getMany(open.map(extentKey));
  let sealed = 0;
  for (const [i, extent] of open.entries()) {
    // Read again, because other processes may have dropped slices of it or sealed it already.
    const before = records[i] && extentRecord.unpack(records[i]);
    if (before?.state !== "open") continue;
    const after = { ...before, state: "sealed", bytes: sizes.get(extent)! } as const;
    putExtent(write, extent, { before, after }, payload.files.shape);
    sealed++;
  }
  return sealed;
}

/**
 * Deletes the records of an extent whose file is gone. The homes of slices that moved away stay in its key
 * range.
 */
export function forgetExtent(write: Writer, extent: bigint): void {
  write.delete(extentKey(extent));
  write.delete(wornExtentKey(extent));
}

async function readExtents(read: Reader, isInDoubt: (record: ExtentRecord) => boolean): Promise<Found[]> {
  const found: Found[] = [];
  for await (const { key, value } of read.range(ALL_EXTENTS)) {
    const record = extentRecord.unpack(value);
    if (isInDoubt(record)) found.push({ extent: extentOfKey(key), record });
  }
  return found;
}

/** The sizes of files with live payload and of those left open. An empty one may be missing or torn. */
async function checkFiles(payload: PayloadService, found: readonly Found[]): Promise<Map<bigint, number>> {
  const sizes = new Map<bigint, number>();
  const needed = found.filter(({ record }) => record.liveBytes > 0 || record.state === "open");
  for (let from = 0; from < needed.length; from += LIMITS.recoveryChecksAtOnce) {
    const some = needed.slice(from, from + LIMITS.recoveryChecksAtOnce);
    const verdicts = await Promise.all(some.map(({ extent }) => payload.files.check(extent)));
    for (const [i, entry] of some.entries()) {
      const verdict = verdicts[i]!;
      if (entry.record.liveBytes > 0) sizes.set(entry.extent, await usableSize(payload, entry, verdict));
      else sizes.set(entry.extent, verdict.is === "ok" ? verdict.bytes : 0);
    }
  }
  return sizes;
}

async function usableSize(payload: PayloadService, found: Found, verdict: FileVerdict): Promise<number> {
  const file = `${payload.files.device.place}/${fileNameOf(found.extent)}`;
  switch (verdict.is) {
    case "ok": {
      const isAsSealed = found.record.state === "sealed" && verdict.bytes >= found.record.bytes;
      const needed = isAsSealed ? 0 : await bytesNeeded(payload, found.extent);
      if (verdict.bytes >= needed) return verdict.bytes;
      throw new UnusableDirectory(
        `${file} holds payload and is cut off: ${verdict.bytes} of ${needed} bytes`,
      );
    }
    case "missing":
      throw new UnusableDirectory(`${file} holds payload and is missing`);
    case "damaged":
      throw new UnusableDirectory(`${file} holds payload and its header is damaged`);
    case "newer":
      throw new UnusableDirectory(
        `${file} was written by a newer Holdfast: this one knows extent format ${EXTENT_FORMAT_VERSION}`,
      );
  }
}

/** The minimum length of the file for the referenced slices; dead bytes after them may be lost. */
function bytesNeeded(payload: PayloadService, extent: bigint): Promise<number> {
  return payload.store.read(async (read) => {
    let end = 0;
    for await (const { slice } of walkExtent(read, extent)) {
      end = slice.offset + storedBytes(slice.length, payload.files.shape);
    }
    return end;
  });
}
