import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { DamagedRecord } from "../../src/base/faults.ts";
import { then } from "../../src/base/maybe-promise.ts";
import { check, checkAndRepair } from "../../src/services/integrity/check.ts";
import { RecordCheck } from "../../src/services/integrity/check-records.ts";
import { QUARANTINE, quarantineRecord } from "../../src/services/integrity/quarantine.ts";
import { packKey, prefixRange } from "../../src/store/keys/pack.ts";
import type { Entry, Key, KeySpace, Store } from "../../src/store/kv.ts";
import {
  containerRecord,
  contentRecord,
  epochRecord,
  segmentRecord,
  stagingRecord,
} from "../../src/store/records/blob.ts";
import { blobRecord } from "../../src/store/records/blob-bytes.ts";
import { entryRecord, shareRecord, usageRecord } from "../../src/store/records/file.ts";
import {
  type ExtentRecord,
  extentRecord,
  type HomeRecord,
  lastExtentRecord,
  sliceRecord,
} from "../../src/store/records/payload.ts";
import { counterRecord } from "../../src/store/records/queue.ts";
import { tableRecord } from "../../src/store/records/table.ts";
import { startTestServer, type TestServer } from "../kit/server.ts";
import { fillStore } from "../support/filled-store.ts";

/** Puts a value at a key, or deletes it. */
type Edit = readonly [Key, Buffer | undefined];

interface Inconsistency {
  readonly what: string;
  /** The kind of finding that must report it. */
  readonly kind: string;
  /** What a repair makes of it: the records as they were, or fewer findings, or nothing. */
  readonly repair: "restores" | "quarantines" | "nothing";
  edit(records: Records): readonly Edit[];
}

class Records {
  readonly #entries: readonly Entry[];

  constructor(entries: readonly Entry[]) {
    this.#entries = entries;
  }

  all(family: string): Entry[] {
    const prefix = packKey([family]);
    return this.#entries.filter(({ key }) => key.startsWith(prefix));
  }

  first(family: string, isMeant: (value: Buffer, key: Key) => boolean = () => true): Entry {
    const found = this.all(family).find(({ key, value }) => isMeant(value, key));
    assert(found !== undefined, `there is no record of family ${family}`);
    return found;
  }
}

const drop =
  (family: string, isMeant?: (value: Buffer, key: Key) => boolean) =>
  (records: Records): Edit[] => [[records.first(family, isMeant).key, undefined]];

function change(family: string, changed: (value: Buffer) => Buffer, isMeant?: (value: Buffer) => boolean) {
  return (records: Records): Edit[] => {
    const { key, value } = records.first(family, isMeant);
    return [[key, Buffer.from(changed(Buffer.from(value)))]];
  };
}

const since = (stored: Buffer): bigint => stored.readBigUInt64BE(0);
const isDirectory = (stored: Buffer): boolean => stored[9] === 1;
const hasPages = (value: Buffer): boolean => contentRecord.unpack(value).head !== undefined;
const homeOf = (value: Buffer): HomeRecord => sliceRecord.unpack(value) as HomeRecord;
/** The staging before it was committed, and waits for the reclaimer. */
const uncommitted = (records: Records): Entry => records.all("bu").at(-1)!;
const CUT = (value: Buffer): Buffer => value.subarray(0, 3);

const INCONSISTENCIES: readonly Inconsistency[] = [
  {
    what: "a blob that cannot be decoded",
    kind: "undecodable",
    repair: "quarantines",
    edit: change("bb", CUT),
  },
  {
    what: "a message that cannot be decoded",
    kind: "undecodable",
    repair: "quarantines",
    edit: change("qv", CUT),
  },
  {
    what: "a record of a family that does not exist",
    kind: "unknown-family",
    repair: "nothing",
    edit: () => [[packKey(["nosuch", 1n]), Buffer.from("x")]],
  },
  {
    what: "a slice with a reference too many",
    kind: "references",
    repair: "restores",
    edit: change("xs", (value) => sliceRecord.pack({ ...homeOf(value), refs: homeOf(value).refs + 1 })),
  },
  {
    what: "a slice without its references",
    kind: "references",
    repair: "restores",
    edit: change(
      "xs",
      (value) => sliceRecord.pack({ ...homeOf(value), refs: 1 }),
      (value) => homeOf(value).refs > 1,
    ),
  },
  { what: "a slice without a record", kind: "references", repair: "restores", edit: drop("xs") },
  {
    what: "a slice of two extents",
    kind: "orphan",
    repair: "nothing",
    edit: () => [[packKey(["xs", 99n, 32]), sliceRecord.pack({ length: 5, refs: 1 })]],
  },
  {
    what: "live bytes that are too few",
    kind: "liveBytes",
    repair: "restores",
    edit: change("xe", (value) => {
      const record: ExtentRecord = extentRecord.unpack(value);
      return extentRecord.pack({ ...record, liveBytes: record.liveBytes - 100 });
    }),
  },
  { what: "an extent without a record", kind: "liveBytes", repair: "quarantines", edit: drop("xe") },
  {
    what: "a last extent id below one in use",
    kind: "last-number",
    repair: "restores",
    edit: change("xn", () => lastExtentRecord.pack({ id: 0n })),
  },
  { what: "a container without a record", kind: "orphan", repair: "nothing", edit: drop("bc") },
  {
    what: "a container with another id",
    kind: "orphan",
    repair: "nothing",
    edit: change("bc", (value) => containerRecord.pack({ ...containerRecord.unpack(value), id: 7n })),
  },
  {
    what: "a blob that is longer than its bytes",
    kind: "blob-length",
    repair: "nothing",
    edit: change("bb", (value) => {
      const record = blobRecord.unpack(value);
      return blobRecord.pack({ ...record, length: record.length + 1 });
    }),
  },
  {
    what: "a content with too many references",
    kind: "contentReferences",
    repair: "restores",
    edit: change("bo", (value) => contentRecord.pack({ ...contentRecord.unpack(value), refs: 9 })),
  },
  {
    what: "a content without a record",
    kind: "contentReferences",
    repair: "restores",
    edit: drop("bo", (value) => !hasPages(value)),
  },
  {
    what: "a page map without a record",
    kind: "contentReferences",
    repair: "restores",
    edit: drop("bo", hasPages),
  },
  {
    what: "an epoch with too many references",
    kind: "epochReferences",
    repair: "restores",
    edit: change("be", () => epochRecord.pack({ holders: 5 })),
  },
  { what: "an epoch without a record", kind: "epochReferences", repair: "restores", edit: drop("be") },
  {
    what: "blocks that are missing in the middle of a blob",
    kind: "block-order",
    repair: "nothing",
    // The second append.
    edit: (records) => {
      const appended = records.all("bl").filter(({ key, value }) => value.length < 400 && key.length > 0);
      const contents = appended.map(({ key }) => key.slice(0, 11));
      const at = contents.findIndex((content, i) => i > 0 && contents[i - 1] === content);
      return [[appended[at]!.key, undefined]];
    },
  },
  {
    what: "page ranges that overlap",
    kind: "page-overlap",
    repair: "nothing",
    edit: change("br", (value) => {
      const ranges = segmentRecord.unpack(value);
      return segmentRecord.pack([...ranges, ranges[0]!]);
    }),
  },
  { what: "a tag that the index lacks", kind: "tag", repair: "restores", edit: drop("bi") },
  {
    what: "a tag in the index that no blob has",
    kind: "tag",
    repair: "quarantines",
    edit: (records) => {
      const { key, value } = records.first("bi");
      return [[key.replace("red", "tan").replace("blue", "gray").replace("color", "hue"), value]];
    },
  },
  {
    what: "a state in the immutability index that is not protected",
    kind: "guard",
    repair: "quarantines",
    edit: (records) => {
      const { id } = containerRecord.unpack(records.first("bc").value);
      return [[packKey(["bh", id, 5, "small", 0n]), Buffer.alloc(0)]];
    },
  },
  {
    what: "uncommitted blocks that are not counted",
    kind: "stagedBlocks",
    repair: "restores",
    edit: (records) => {
      const { key, value } = uncommitted(records);
      return [[key, Buffer.from(stagingRecord.pack({ ...stagingRecord.unpack(value), count: 9 }))]];
    },
  },
  {
    what: "uncommitted blocks without their record",
    kind: "staging",
    repair: "nothing",
    edit: (records) => [[uncommitted(records).key, undefined]],
  },
  {
    what: "a queue that counts too many messages",
    kind: "messages",
    repair: "restores",
    edit: change("qc", (value) => counterRecord.pack({ ...counterRecord.unpack(value), count: 17 })),
  },
  {
    what: "a message before the head of its queue",
    kind: "queue-head",
    repair: "quarantines",
    edit: change("qc", (value) =>
      counterRecord.pack({ ...counterRecord.unpack(value), headVisibleAt: 2 ** 50, headSequence: 0n }),
    ),
  },
  { what: "a sweep that is missing", kind: "queue-sweep", repair: "restores", edit: drop("qe") },
  { what: "a queue without a record", kind: "orphan", repair: "nothing", edit: drop("q") },
  { what: "a table without a record", kind: "orphan", repair: "nothing", edit: drop("tt") },
  {
    what: "a table under another name",
    kind: "table-name",
    repair: "nothing",
    edit: change("tt", (value) => tableRecord.pack({ ...tableRecord.unpack(value), name: "Other" })),
  },
  {
    what: "a share that counts its bytes wrongly",
    kind: "usage",
    repair: "restores",
    edit: change("fu", () => usageRecord.pack({ bytes: 1 })),
  },
  {
    what: "a share that counts its snapshots wrongly",
    kind: "snapshots",
    repair: "restores",
    edit: change("fs", (value) => shareRecord.pack({ ...shareRecord.unpack(value), snapshots: 4 })),
  },
  { what: "a share without a record", kind: "orphan", repair: "nothing", edit: drop("fs") },
  { what: "a file without its directory entry", kind: "entry", repair: "restores", edit: drop("fe") },
  {
    what: "a directory entry without its file",
    kind: "entry",
    repair: "quarantines",
    edit: (records) => {
      const { key, value } = records.first("fe", (stored) => !isDirectory(stored));
      const stored = entryRecord.unpack(value.subarray(8));
      const packed = entryRecord.pack({ ...stored, name: "GHOST", inode: 99n }, since(value));
      return [[`${key.slice(0, 19)}GHOST\0`, packed]];
    },
  },
  {
    what: "a directory entry under another name",
    kind: "entry-name",
    repair: "nothing",
    edit: change("fe", (value) => {
      const stored = entryRecord.unpack(value.subarray(8));
      return entryRecord.pack({ ...stored, name: "another" }, since(value));
    }),
  },
  {
    what: "a version that the index of its epoch lacks",
    kind: "version",
    repair: "restores",
    edit: drop("fw"),
  },
  { what: "a version that is lost", kind: "version", repair: "quarantines", edit: drop("fv") },
  {
    what: "ranges of a file that overlap",
    kind: "range-overlap",
    repair: "nothing",
    edit: (records) => {
      const { key, value } = records.first("fr", (stored) => stored[8] === 2);
      return [[key.slice(0, -1) + String.fromCharCode(key.charCodeAt(key.length - 1) + 1), value]];
    },
  },
];

async function recordsOf(store: Store): Promise<Entry[]> {
  return store.read(async (read) => {
    const found: Entry[] = [];
    for await (const { key, value } of read.range({ from: "\x01", to: "\xff\xff" }))
      found.push({ key, value: Buffer.from(value) });
    return found;
  });
}

/** The store has these records again, and no others. */
async function reset(store: Store, entries: readonly Entry[]): Promise<void> {
  const before = new Map(entries.map(({ key, value }) => [key, value]));
  const now = await recordsOf(store);
  await store.write(async (write) => {
    for (const { key } of now) if (!before.has(key)) write.delete(key);
    for (const [key, value] of before) write.put(key, value);
  });
}

suite("integrity", () => {
  let server: TestServer;
  let entries: Entry[];
  before(async () => {
    server = await startTestServer({ engine: "memory" });
    await fillStore(server);
    entries = await recordsOf(server.runtime.engine);
  });
  after(() => server.close());

  test("a store that clients have filled has no findings", async () => {
    const report = await check(server.runtime.payload, () => {});
    assert.deepEqual(report.findings, []);
    assert.equal(report.records, entries.length);
    assert.ok(report.payloadBytes > 400_000);
  });

  for (const { what, kind, repair, edit } of INCONSISTENCIES) {
    test(`a check finds ${what}`, async () => {
      const { payload, engine } = server.runtime;
      const edits = edit(new Records(entries));
      assert.ok(edits.length > 0);
      await engine.write(async (write) => {
        for (const [key, value] of edits) {
          if (value === undefined) write.delete(key);
          else write.put(key, value);
        }
      });
      try {
        const damaged = await recordsOf(engine);
        const { findings } = await check(payload, () => {});
        assert.ok(
          findings.some((finding) => finding.kind === kind),
          `${kind} is not among ${JSON.stringify(findings.map((finding) => [finding.kind, finding.message]))}`,
        );
        assert.deepEqual(await recordsOf(engine), damaged, "a check changes nothing");

        const { report, repaired } = await checkAndRepair(payload, () => {});
        const isIn = (list: readonly { readonly kind: string }[]): boolean =>
          list.some((finding) => finding.kind === kind);
        if (repair === "nothing") assert.ok(isIn(report.findings));
        else {
          assert.ok(isIn(repaired));
          assert.deepEqual(
            isIn(report.findings),
            false,
            JSON.stringify(report.findings.map((f) => f.message)),
          );
        }
        const repairedRecords = await recordsOf(engine);
        if (repair === "restores") assert.deepEqual(repairedRecords, entries);
        // Whatever was there before the repair is there after it, in its place or in quarantine.
        const quarantined = new Set(
          repairedRecords
            .filter(({ key }) => key >= QUARANTINE.from && key < QUARANTINE.to)
            .map(({ value }) => quarantineRecord.unpack(value).key.latin1Slice()),
        );
        const keys = new Set(repairedRecords.map(({ key }) => key));
        for (const { key } of damaged) assert.ok(keys.has(key) || quarantined.has(key));
      } finally {
        await reset(engine, entries);
      }
    });
  }
});

test("a check finds a flipped bit in payload", async () => {
  const server = await startTestServer({ engine: "memory" });
  try {
    await fillStore(server);
    const { payload, engine } = server.runtime;
    const slices = await engine.read((read) => read.take(prefixRange(packKey(["xs"])), 1));
    const offset = Number(Buffer.from(slices[0]!.key, "latin1").readBigUInt64BE(11));
    const [extent] = await payload.files.device.list();
    const file = await payload.files.device.open(extent!.name);
    const byte = Buffer.alloc(1);
    await file.read([byte], offset + 100);
    await file.write([Buffer.of(byte[0]! ^ 4)], offset + 100);
    await file.close();
    const { findings } = await check(payload, () => {});
    assert.deepEqual(
      findings.map(({ kind }) => kind),
      ["damaged-payload"],
    );
    assert.match(findings[0]!.message, /does not match its checksum/);
  } finally {
    await server.close();
  }
});

test("a check steps over a record whose checksum is wrong, and checks the others", async () => {
  const server = await startTestServer({ engine: "memory" });
  try {
    await fillStore(server);
    const { engine } = server.runtime;
    const entries = await recordsOf(engine);
    const damaged = entries.find(({ key }) => key.startsWith("bb\0"))!.key;
    const fail = (): never => {
      throw new DamagedRecord("its checksum is wrong", damaged);
    };
    const store: KeySpace = {
      write: (work) => engine.write(work),
      read: (work) =>
        engine.read((read) =>
          work({
            ...read,
            now: () => read.now(),
            view: (decide) => read.view(decide),
            range: (range) => read.range(range),
            get: (key) => (key === damaged ? fail() : read.get(key)),
            getMany: (keys) => (keys.includes(damaged) ? fail() : read.getMany(keys)),
            take: (range, count) =>
              then(read.take(range, count), (found) =>
                found.some(({ key }) => key === damaged) ? fail() : found,
              ),
          }),
        ),
    };
    const report = await new RecordCheck(store, () => {}).run();
    assert.equal(report.records, entries.length - 1);
    assert.deepEqual(
      report.findings.map(({ kind, key }) => [kind, key]),
      [["damaged-record", damaged]],
    );
  } finally {
    await server.close();
  }
});
