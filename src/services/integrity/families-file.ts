import {
  deletionOfKey,
  foldedOfEntryKey,
  offsetOfRangeKey,
  purgeKey,
  readVersionKey,
  timeOfSnapshotKey,
  versionKey,
} from "../../store/keys/file.ts";
import { KeyReader, packKey } from "../../store/keys/pack.ts";
import type { Entry, Key } from "../../store/kv.ts";
import { easRecord } from "../../store/records/extended-attributes.ts";
import {
  entryRecord,
  garbageRecord,
  inodeRecord,
  openedShareRecord,
  permissionRecord,
  purgeRecord,
  rangeRecord,
  shareRecord,
  snapshotRecord,
  usageRecord,
} from "../../store/records/file.ts";
import { eaSizeOf } from "../file/extended-attributes.ts";
import { ROOT } from "../file/inodes.ts";
import { foldName } from "../file/names.ts";
import { lengthOf, slicesOf } from "../file/range-record.ts";
import { bodyOf } from "../file/versions.ts";
import { postSlices } from "./families-payload.ts";
import type { Family, RelationSink } from "./relations.ts";

const shareName = (id: bigint): string => `share/${id}`;
/** The share, and the directory, inode or content below it. */
function idsOf(key: Key): { readonly share: bigint; readonly id: bigint } {
  const reader = new KeyReader(key).skipText();
  return { share: reader.whole(), id: reader.whole() };
}

/** A share whose contents are being removed, in an order of the reclaimer's own. */
const isGarbage = (share: bigint, to: RelationSink): boolean => to.isDeclared(`garbage/share/${share}`);

const entryAccount = (of: {
  readonly share: bigint;
  readonly parent: bigint;
  readonly folded: string;
  readonly inode: bigint;
  readonly kind: string;
}): string => packKey([of.share, of.parent, of.inode, of.kind, of.folded]);

function describeShare(value: Buffer, to: RelationSink): { readonly until: number | undefined } {
  const { id, snapshots = 0, deleted } = shareRecord.unpack(value);
  to.declare(shareName(id));
  to.post("snapshots", String(id), -snapshots);
  return { until: deleted?.until };
}

function describeEntry({ key, value }: Entry, to: RelationSink): bigint {
  const { share, id: parent } = idsOf(key);
  const { name, inode, kind } = entryRecord.unpack(bodyOf(value));
  to.need(shareName(share));
  const folded = foldedOfEntryKey(key);
  if (foldName(name) !== folded)
    to.problem({ kind: "entry-name", message: `the entry of ${folded} has the name ${name}` });
  if (!isGarbage(share, to)) {
    to.need(`inode/${share}/${parent}`);
    to.post("entry", entryAccount({ share, parent, folded, inode, kind }), 1);
  }
  return parent;
}

function endOfRange({ key, value }: Entry): number {
  return offsetOfRangeKey(key) + lengthOf(rangeRecord.unpack(bodyOf(value)));
}

/** Ranges reference payload whether they are live or kept for a snapshot. */
function describeRange(stored: Buffer, to: RelationSink): void {
  const range = rangeRecord.unpack(bodyOf(stored));
  if ("inline" in range) return;
  postSlices(to, slicesOf(range));
  const bytes = range.slices.reduce((sum, { length }) => sum + length, 0);
  if (range.skip + range.length > bytes)
    to.problem({ kind: "range-slice", message: `${range.length} bytes in slices of ${bytes}` });
}

const VERSIONED: Readonly<Record<string, (stored: Buffer, to: RelationSink) => void>> = {
  fe: (stored) => void entryRecord.unpack(bodyOf(stored)),
  fd: (stored) => void entryRecord.unpack(bodyOf(stored)),
  fn: (stored) => void inodeRecord.unpack(bodyOf(stored)),
  fx: (stored) => void easRecord.unpack(bodyOf(stored)),
  fr: describeRange,
};

export const FILE_FAMILIES: Readonly<Record<string, Family>> = {
  fs: { what: "share", declaresFirst: true, describe: ({ value }, to) => void describeShare(value, to) },
  fz: {
    what: "deleted share",
    declaresFirst: true,
    describe({ key, value }, to) {
      const { until } = describeShare(value, to);
      if (until !== undefined) to.post("purge", purgeKey(until, deletionOfKey(key)), 1);
    },
  },
  fy: {
    what: "end of a share's retention",
    describe({ key, value }, to) {
      purgeRecord.unpack(value);
      to.post("purge", key, -1);
    },
  },
  fp: {
    what: "share snapshot",
    describe({ key, value }, to) {
      snapshotRecord.unpack(value);
      timeOfSnapshotKey(key);
      const share = new KeyReader(key).skipText().whole();
      to.need(shareName(share));
      if (!isGarbage(share, to)) to.post("snapshots", String(share), 1);
    },
  },
  fu: {
    what: "bytes used in a share",
    describe({ key, value }, to) {
      const share = new KeyReader(key).skipText().whole();
      to.need(shareName(share));
      const { bytes } = usageRecord.unpack(value);
      if (!isGarbage(share, to)) to.post("usage", String(share), -bytes);
    },
  },
  fa: {
    what: "security descriptor",
    describe({ key, value }, to) {
      permissionRecord.unpack(value);
      to.need(shareName(new KeyReader(key).skipText().whole()));
    },
  },
  fe: { what: "directory entry", describe: (entry, to) => void describeEntry(entry, to) },
  fd: {
    what: "named stream",
    describe(entry, to) {
      const base = describeEntry(entry, to);
      const { share } = idsOf(entry.key);
      if (!isGarbage(share, to)) to.need(`streams/${share}/${base}`);
    },
  },
  fn: {
    what: "file or directory",
    declaresFirst: true,
    describe({ key, value }, to) {
      const { share, id } = idsOf(key);
      const { kind, parent, name, size, content, eaSize, hasStreams } = inodeRecord.unpack(bodyOf(value));
      to.declare(`inode/${share}/${id}`);
      to.declare(`content/${share}/${content}`);
      if (hasStreams === true) to.declare(`streams/${share}/${id}`);
      to.need(shareName(share));
      if (isGarbage(share, to)) return;
      to.post("usage", String(share), size);
      if (eaSize !== undefined) to.post("eaSize", `${share}/${id}`, eaSize);
      if (id !== ROOT)
        to.post("entry", entryAccount({ share, parent, folded: foldName(name), inode: id, kind }), -1);
    },
  },
  fx: {
    what: "extended attributes",
    describe({ key, value }, to) {
      const { share, id } = idsOf(key);
      const size = eaSizeOf(easRecord.unpack(bodyOf(value)));
      to.need(shareName(share));
      if (isGarbage(share, to)) return;
      to.post("eaSize", `${share}/${id}`, -size);
      to.post("usage", String(share), size);
    },
  },
  fr: {
    what: "range of a file",
    describe(entry, to, previous) {
      const { share, id: content } = idsOf(entry.key);
      to.need(shareName(share));
      if (!isGarbage(share, to)) to.need(`content/${share}/${content}`);
      describeRange(entry.value, to);
      const before = previous && idsOf(previous.key);
      if (before?.share !== share || before.id !== content) return;
      const [end, offset] = [endOfRange(previous!), offsetOfRangeKey(entry.key)];
      if (end > offset)
        to.problem({
          kind: "range-overlap",
          message: `begins at ${offset}, the range before ends at ${end}`,
        });
    },
  },
  fv: {
    what: "version kept for a snapshot",
    describe({ key, value }, to) {
      const { key: of, epoch } = readVersionKey(key);
      const family = new KeyReader(of).text();
      const { share } = idsOf(of);
      to.need(shareName(share));
      VERSIONED[family]!(value, to);
      if (!isGarbage(share, to)) to.post("version", versionKey(of, epoch), 1);
    },
  },
  fw: {
    what: "index of versions",
    describe({ key }, to) {
      const { share, id: epoch } = idsOf(key);
      to.need(shareName(share));
      const of = key.slice(packKey(["fw", 0n, 0n]).length);
      if (!isGarbage(share, to)) to.post("version", versionKey(of, epoch), -1);
    },
  },
  fg: {
    what: "file garbage",
    declaresFirst: true,
    describe({ value }, to) {
      const garbage = garbageRecord.unpack(value);
      if (garbage.what === "content") to.declare(`content/${garbage.share}/${garbage.content}`);
      if (garbage.what !== "share") return;
      to.declare(`garbage/share/${garbage.share}`);
      to.declare(shareName(garbage.share));
    },
  },
  fm: { what: "mark of an opened share", describe: ({ value }) => void openedShareRecord.unpack(value) },
};
