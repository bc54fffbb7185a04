import { DamagedData } from "../../base/faults.ts";
import {
  blobOfKey,
  blockPagesOf,
  deletionOfKey,
  epochOfKey,
  guardKey,
  placeOfBlockPage,
  placeOfTagKey,
  segmentOfKey,
  type TagPlace,
  tagKey,
  versionsOfKey,
} from "../../store/keys/blob.ts";
import { KeyReader } from "../../store/keys/pack.ts";
import type { Entry, Key } from "../../store/kv.ts";
import {
  type BlobRecord,
  type BlockEntry,
  blockPageRecord,
  containerRecord,
  contentRecord,
  dueRecord,
  epochRecord,
  fragmentedSegmentRecord,
  garbageRecord,
  segmentRecord,
  stagedBlockRecord,
  stagingRecord,
  tagRecord,
} from "../../store/records/blob.ts";
import { blobRecord } from "../../store/records/blob-bytes.ts";
import { guardEndOf } from "../blob/immutability-index.ts";
import { searchableTags } from "../blob/tag-index.ts";
import { postSlices } from "./families-payload.ts";
import type { Family, RelationSink } from "./relations.ts";

/** Of every key whose first number names a container or a content. */
const idOf = (key: Key): bigint => new KeyReader(key).skipText().whole();

const containerName = (id: bigint): string => `container/${id}`;
const accountName = (id: bigint, account: string): string => `container/${id}/${account}`;
const garbageName = (what: string, id: bigint): string => `garbage/${what}/${id}`;
const PAGE_ORDER = 1_024n;

/** The account of a tag entry: its key without the name of the storage account. */
const tagAccount = (tag: string, place: TagPlace): string => tagKey("", tag, place);
export const tagOfKey = (key: Key): { readonly account: string; readonly tag: string } => {
  const reader = new KeyReader(key).skipText();
  return { account: reader.text(), tag: reader.text() };
};

function describeContainer(account: string, value: Buffer, to: RelationSink): void {
  const { id } = containerRecord.unpack(value);
  to.declare(containerName(id));
  to.declare(accountName(id, account));
}

function describeContent({ content, length, copy }: BlobRecord, to: RelationSink): void {
  let stored = length;
  if ("inline" in content) stored = content.inline.length;
  else if ("slices" in content) {
    postSlices(to, content.slices);
    stored = content.slices.reduce((sum, slice) => sum + slice.length, 0);
  } else if ("blocks" in content) {
    const { blocks } = content;
    to.post("contentReferences", String(blocks), 1);
    to.look({ ...blockPagesOf(blocks), reverse: true }, (last) => {
      const end = last === undefined ? 0 : endOfBlockPage(last);
      if (end < length) return lengthProblem(end, length);
    });
  } else {
    to.post("contentReferences", String(content.pages), 1);
    to.post("epochReferences", `${content.pages}/${content.epoch}`, 1);
  }
  if (stored !== length && copy?.status === undefined) to.problem(lengthProblem(stored, length));
}

const lengthProblem = (stored: number, length: number): { kind: string; message: string } => ({
  kind: "blob-length",
  message: `the blob has ${stored} bytes of ${length}`,
});

function describeState(
  { key, value }: Entry,
  to: RelationSink,
  at?: bigint,
): { readonly record: BlobRecord; readonly container: bigint; readonly blob: string } {
  const record = blobRecord.unpack(value);
  const [container, blob] = [idOf(key), blobOfKey(key)];
  to.need(containerName(container));
  describeContent(record, to);
  const until = guardEndOf(record);
  if (until !== undefined && !to.isDeclared(garbageName("container", container)))
    to.post("guard", guardKey(at === undefined ? { container, blob } : { container, blob, at }, until), 1);
  const tags = at === undefined ? record.tags : searchableTags(record)?.tags;
  for (const [tag, text] of Object.entries(tags ?? {})) {
    const place = { value: text, container, blob, ...(at === undefined ? {} : { version: at }) };
    to.post("tag", tagAccount(tag, place), 1);
  }
  return { record, container, blob };
}

function endOfBlockPage({ key, value }: Entry): number {
  const start = Number(placeOfBlockPage(key) / PAGE_ORDER);
  return blockPageRecord.unpack(value).blocks.reduce((sum, { length }) => sum + length, start);
}

function describeBlocks(blocks: readonly Omit<BlockEntry, "id">[], to: RelationSink): void {
  for (const { bytes, length } of blocks) {
    if ("slices" in bytes) postSlices(to, bytes.slices);
    const stored = "inline" in bytes ? bytes.inline.length : bytes.slices.reduce((n, s) => n + s.length, 0);
    if (stored !== length)
      to.problem({ kind: "block-length", message: `a block has ${stored} bytes of ${length}` });
  }
}

function describeTag({ key, value }: Entry, to: RelationSink): void {
  tagRecord.unpack(value);
  const { account, tag } = tagOfKey(key);
  const place = placeOfTagKey(key);
  to.post("tag", tagAccount(tag, place), -1);
  if (!to.isDeclared(accountName(place.container, account)))
    to.problem({ kind: "tag-account", message: "names a container of another account", isUseless: true });
}

export const BLOB_FAMILIES: Readonly<Record<string, Family>> = {
  bc: {
    what: "container",
    declaresFirst: true,
    describe: ({ key, value }, to) => describeContainer(new KeyReader(key).skipText().text(), value, to),
  },
  bd: {
    what: "deleted container",
    declaresFirst: true,
    describe({ key, value }, to) {
      deletionOfKey(key);
      describeContainer(new KeyReader(key).skipText().text(), value, to);
    },
  },
  bb: {
    what: "blob",
    describe(entry, to) {
      const { record } = describeState(entry, to);
      if (record.staging !== undefined) to.post("staging", String(record.staging), 1);
    },
  },
  bp: {
    what: "snapshot or version of a blob",
    describe: (entry, to) => void describeState(entry, to, versionsOfKey(entry.key).revision),
  },
  bo: {
    what: "content of a blob",
    declaresFirst: true,
    describe({ key, value }, to) {
      const { refs, head } = contentRecord.unpack(value);
      const id = idOf(key);
      to.declare(`${head === undefined ? "blocks" : "pages"}/${id}`);
      to.post("contentReferences", String(id), -refs);
      if (!(refs > 0)) to.problem({ kind: "content-unreferenced", message: `has ${refs} references` });
    },
  },
  bl: {
    what: "blocks of a blob",
    describe(entry, to, previous) {
      const { key } = entry;
      const content = idOf(key);
      to.need(`blocks/${content}`);
      describeBlocks(blockPageRecord.unpack(entry.value).blocks, to);
      const isFirst = previous === undefined || idOf(previous.key) !== content;
      // The reclaimer frees garbage from its beginning.
      if (isFirst && to.isDeclared(garbageName("content", content))) return;
      const expected = isFirst ? 0 : endOfBlockPage(previous);
      const start = Number(placeOfBlockPage(key) / PAGE_ORDER);
      if (start !== expected)
        to.problem({
          kind: "block-order",
          message: `begins at ${start}, the blocks before end at ${expected}`,
        });
    },
  },
  br: {
    what: "ranges of a page blob",
    describe({ key, value }, to) {
      segmentOfKey(key);
      to.need(`pages/${idOf(key)}`);
      const ranges = segmentRecord.unpack(value);
      postSlices(
        to,
        ranges.map(({ slice }) => slice),
      );
      let end = 0;
      for (const { start, length, slice, from } of ranges) {
        if (start < end) to.problem({ kind: "page-overlap", message: `two ranges overlap at ${start}` });
        if (from + length > slice.length)
          to.problem({ kind: "page-slice", message: `a range at ${start} is longer than its slice` });
        end = start + length;
      }
    },
  },
  be: {
    what: "epoch of a page blob",
    describe({ key, value }, to) {
      const content = idOf(key);
      const { holders } = epochRecord.unpack(value);
      to.need(`pages/${content}`);
      if (to.isDeclared(garbageName("content", content))) return;
      to.post("epochReferences", `${content}/${epochOfKey(key)}`, -holders);
    },
  },
  bk: { what: "fragmented segment", describe: ({ value }) => void fragmentedSegmentRecord.unpack(value) },
  bu: {
    what: "uncommitted blocks of a blob",
    declaresFirst: true,
    describe({ key, value }, to) {
      const id = idOf(key);
      const { count, container } = stagingRecord.unpack(value);
      to.declare(`staging/${id}`);
      if (to.isDeclared(garbageName("staging", id))) return;
      to.need(containerName(container));
      to.post("staging", String(id), -1);
      to.post("stagedBlocks", String(id), -count);
    },
  },
  bx: {
    what: "uncommitted block",
    describe({ key, value }, to) {
      const id = idOf(key);
      to.need(`staging/${id}`);
      describeBlocks([stagedBlockRecord.unpack(value)], to);
      if (!to.isDeclared(garbageName("staging", id))) to.post("stagedBlocks", String(id), 1);
    },
  },
  bi: { what: "entry of the tag index", describe: describeTag },
  bj: { what: "entry of the tag index of versions", describe: describeTag },
  bh: {
    what: "entry of the immutability index",
    describe({ key }, to) {
      if (!to.isDeclared(garbageName("container", idOf(key)))) to.post("guard", key, -1);
    },
  },
  bg: {
    what: "blob garbage",
    declaresFirst: true,
    describe({ value }, to) {
      const garbage = garbageRecord.unpack(value);
      to.declare(garbageName(garbage.what, garbage.id));
      if (garbage.what === "container") {
        to.declare(containerName(garbage.id));
        to.declare(accountName(garbage.id, garbage.account));
      } else if (garbage.what === "content") to.declare(`${garbage.form}/${garbage.id}`);
      else if (garbage.what === "staging") to.declare(`staging/${garbage.id}`);
    },
  },
  bt: {
    what: "deadline",
    describe({ value }, to) {
      const due = dueRecord.unpack(value);
      if (typeof due.what !== "string") throw new DamagedData("a deadline names nothing");
      if (due.what !== "prepared") return;
      to.post("contentReferences", String(due.id), 1);
      if (due.epoch !== undefined) to.post("epochReferences", `${due.id}/${due.epoch}`, 1);
    },
  },
};
