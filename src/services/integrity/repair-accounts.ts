import { DamagedData } from "../../base/faults.ts";
import {
  blockPagesOf,
  contentKey,
  epochKey,
  epochOfKey,
  epochsOf,
  placeOfTagKey,
  tagKey,
} from "../../store/keys/blob.ts";
import {
  entryKey,
  epochIndexKey,
  inodeKey,
  readVersionKey,
  streamKey,
  usageKey,
} from "../../store/keys/file.ts";
import { KeyReader, packKey, prefixRange } from "../../store/keys/pack.ts";
import { extentKey, sliceKey } from "../../store/keys/payload.ts";
import { counterKey } from "../../store/keys/queue.ts";
import type { Key, Reader } from "../../store/kv.ts";
import {
  containerRecord,
  contentRecord,
  epochRecord,
  stagingRecord,
  tagRecord,
} from "../../store/records/blob.ts";
import { easRecord } from "../../store/records/extended-attributes.ts";
import { entryRecord, inodeRecord, purgeRecord, shareRecord, usageRecord } from "../../store/records/file.ts";
import { extentRecord, type HomeRecord, sliceRecord } from "../../store/records/payload.ts";
import { counterRecord } from "../../store/records/queue.ts";
import { eaSummary, withoutEas } from "../file/extended-attributes.ts";
import { foldName } from "../file/names.ts";
import { bodyOf, sinceOf } from "../file/versions.ts";
import type { PayloadService } from "../payload/payload-service.ts";
import type { Repair, UnevenAccount } from "./check-records.ts";
import { tagOfKey } from "./families-blob.ts";
import type { LedgerName } from "./relations.ts";

/**
 * What a repair may do about each ledger. It restates numbers and index entries from the records they are
 * derived from. It never lowers a count while something is lost (`mayLower`): a count that is too high costs
 * space, one that is too low would free the only copy of something.
 */
export interface RepairContext {
  readonly read: Reader;
  readonly payload: PayloadService;
  readonly uneven: readonly UnevenAccount[];
  readonly mayLower: boolean;
}

type LedgerRepair = (
  account: UnevenAccount,
  context: RepairContext,
) => Promise<Repair | undefined> | Repair | undefined;

const EMPTY = Buffer.alloc(0);
const put = (key: Key, value: Buffer): Repair => ({ put: { key, value } });
const numbersOf = (account: string): bigint[] => account.split("/").map(BigInt);

/** Whether a count may be set to what the other records say. */
const mayCount = ({ due, sum }: UnevenAccount, { mayLower }: RepairContext): boolean =>
  due > 0 && (sum > 0 || mayLower);

async function putHome(account: UnevenAccount, context: RepairContext): Promise<Repair | undefined> {
  const { due, stated } = account;
  const { read, payload, uneven } = context;
  const [extent, offset, length] = numbersOf(account.account) as [bigint, bigint, bigint];
  const home = { extent, offset: Number(offset) };
  const stored = await read.get(sliceKey(home));
  if (stated.length > 0) {
    if (!mayCount(account, context)) return undefined;
    return put(stated[0]!, sliceRecord.pack({ ...(sliceRecord.unpack(stored!) as HomeRecord), refs: due }));
  }
  if (stored !== undefined) return undefined;
  // The record of a slice that was moved still names its home.
  const moved = uneven.find(
    (other) => other.ledger === "movedSlice" && other.account.startsWith(`${account.account}/`),
  );
  const [atExtent, atOffset] = moved === undefined ? [extent, offset] : numbersOf(moved.account).slice(3);
  const at = { extent: atExtent!, offset: Number(atOffset) };
  const damage = await payload.files.verify(at.extent, [{ ...at, length: Number(length) }]);
  if (damage.length > 0) return undefined;
  const record = { length: Number(length), refs: due };
  return put(sliceKey(home), sliceRecord.pack(moved === undefined ? record : { ...record, at }));
}

async function putGuest(account: UnevenAccount, { read }: RepairContext): Promise<Repair | undefined> {
  const [extent, offset, length, toExtent, toOffset] = numbersOf(account.account) as bigint[];
  const home = { extent: extent!, offset: Number(offset) };
  const to = { extent: toExtent!, offset: Number(toOffset) };
  const guest = await read.get(sliceKey(to));
  if (account.owed.length > 0) {
    if (guest !== undefined) return undefined;
    return put(sliceKey(to), sliceRecord.pack({ length: Number(length), home }));
  }
  // Without its home, the ledger of references restores that first.
  return (await read.get(sliceKey(home))) === undefined ? undefined : { quarantine: account.stated[0]! };
}

async function putLiveBytes(account: UnevenAccount, context: RepairContext): Promise<Repair | undefined> {
  const { read, payload, uneven, mayLower } = context;
  const extent = BigInt(account.account);
  const stored = await read.get(extentKey(extent));
  if (stored === undefined) {
    const file = await payload.files.check(extent);
    if (file.is !== "ok") return undefined;
    const record = { owner: "repair", state: "sealed", bytes: file.bytes, liveBytes: account.due } as const;
    return put(extentKey(extent), extentRecord.pack(record));
  }
  const isSliceLost = uneven.some(({ ledger }) => ledger === "references" || ledger === "movedSlice");
  if (account.sum < 0 && (isSliceLost || !mayLower)) return undefined;
  return put(
    extentKey(extent),
    extentRecord.pack({ ...extentRecord.unpack(stored), liveBytes: account.due }),
  );
}

async function putContent(account: UnevenAccount, context: RepairContext): Promise<Repair | undefined> {
  if (!mayCount(account, context)) return undefined;
  const { read } = context;
  const id = BigInt(account.account);
  const stored = await read.get(contentKey(id));
  if (stored !== undefined)
    return put(contentKey(id), contentRecord.pack({ ...contentRecord.unpack(stored), refs: account.due }));
  const [newest] = await read.take({ ...epochsOf(id), reverse: true }, 1);
  const [page] = await read.take(blockPagesOf(id), 1);
  if (newest === undefined && page === undefined) return undefined;
  const head = newest === undefined ? {} : { head: epochOfKey(newest.key) };
  return put(contentKey(id), contentRecord.pack({ refs: account.due, ...head }));
}

async function putTag(
  { account, stated }: UnevenAccount,
  { read }: RepairContext,
): Promise<Repair | undefined> {
  if (stated.length > 0) return { quarantine: stated[0]! };
  const { tag } = tagOfKey(account);
  const place = placeOfTagKey(account);
  for (const family of ["bc", "bd"]) {
    for await (const { key, value } of read.range(prefixRange(packKey([family])))) {
      if (containerRecord.unpack(value).id !== place.container) continue;
      const names = new KeyReader(key).skipText();
      const storageAccount = names.text();
      return put(tagKey(storageAccount, tag, place), tagRecord.pack({ container: names.text() }));
    }
  }
  return undefined;
}

async function putEntry(account: UnevenAccount, { read }: RepairContext): Promise<Repair | undefined> {
  if (account.owed.length > 0) return { quarantine: account.owed[0]! };
  const [stored] = await read.getMany([account.stated[0]!]);
  const reader = new KeyReader(account.account);
  const [share, parent, inode] = [reader.whole(), reader.whole(), reader.whole()];
  const record = inodeRecord.unpack(bodyOf(stored!));
  const above = await read.get(inodeKey(share, parent));
  if (above === undefined) return undefined;
  const { kind, hasStreams } = inodeRecord.unpack(bodyOf(above));
  // A directory may have both: an inode does not say which of the two it is.
  if (kind === "directory" && hasStreams === true) return undefined;
  const key = (kind === "directory" ? entryKey : streamKey)(share, parent, foldName(record.name));
  if ((await read.get(key)) !== undefined) return undefined;
  return put(key, entryRecord.pack({ name: record.name, inode, kind: record.kind }, sinceOf(stored!)));
}

async function putEaSize(account: UnevenAccount, { read }: RepairContext): Promise<Repair | undefined> {
  const [share, id] = numbersOf(account.account) as [bigint, bigint];
  const key = inodeKey(share, id);
  const inode = await read.get(key);
  if (inode === undefined) return { quarantine: account.stated[0]! };
  const eas = account.stated[0] === undefined ? undefined : await read.get(account.stated[0]);
  const summary = eas === undefined ? {} : eaSummary(easRecord.unpack(bodyOf(eas)));
  const record = { ...withoutEas(inodeRecord.unpack(bodyOf(inode))), ...summary };
  return put(key, inodeRecord.pack(record, sinceOf(inode)));
}

const REPAIRS: Readonly<Record<LedgerName, LedgerRepair>> = {
  references: putHome,
  movedSlice: putGuest,
  liveBytes: putLiveBytes,
  contentReferences: putContent,
  epochReferences(account, context) {
    const [content, epoch] = numbersOf(account.account) as [bigint, bigint];
    if (!mayCount(account, context)) return undefined;
    return put(epochKey(content, epoch), epochRecord.pack({ holders: account.due }));
  },
  async stagedBlocks({ due, stated }, { read }) {
    const stored = stated[0] === undefined ? undefined : await read.get(stated[0]);
    return stored && put(stated[0]!, stagingRecord.pack({ ...stagingRecord.unpack(stored), count: due }));
  },
  staging: () => undefined,
  tag: putTag,
  guard: ({ account, stated }) => (stated.length > 0 ? { quarantine: stated[0]! } : put(account, EMPTY)),
  async messages({ account, due }, { read }) {
    const key = counterKey(BigInt(account));
    const stored = await read.get(key);
    const before =
      stored === undefined
        ? { headVisibleAt: 0, headSequence: 0n, sweepAt: 0 }
        : counterRecord.unpack(stored);
    return put(key, counterRecord.pack({ ...before, count: due }));
  },
  usage: ({ account, due }) => put(usageKey(BigInt(account)), usageRecord.pack({ bytes: due })),
  async snapshots({ due, stated }, { read }) {
    const stored = stated[0] === undefined ? undefined : await read.get(stated[0]);
    return stored && put(stated[0]!, shareRecord.pack({ ...shareRecord.unpack(stored), snapshots: due }));
  },
  entry: putEntry,
  eaSize: putEaSize,
  version({ account, stated }) {
    if (stated.length > 0) return { quarantine: stated[0]! };
    const { key, epoch } = readVersionKey(account);
    return put(epochIndexKey(new KeyReader(key).skipText().whole(), epoch, key), EMPTY);
  },
  purge({ account, owed, stated }) {
    if (owed[0] === undefined) return { quarantine: stated[0]! };
    const names = new KeyReader(owed[0]).skipText();
    return put(account, purgeRecord.pack({ account: names.text(), name: names.text() }));
  },
};

export async function repairOf(account: UnevenAccount, context: RepairContext): Promise<Repair | undefined> {
  try {
    return await REPAIRS[account.ledger](account, context);
  } catch (error) {
    // It depends on a record that cannot be read, which has a finding of its own.
    if (error instanceof DamagedData) return undefined;
    throw error;
  }
}
