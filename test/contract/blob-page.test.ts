import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import type { PageBlobClient } from "@azure/storage-blob";
import { seededRandom } from "../../src/base/random.ts";
import { blobContext } from "../../src/services/blob/context.ts";
import { defragmentPagesStep } from "../../src/services/blob/defragment-pages.ts";
import { BLOB_LIMITS } from "../../src/services/blob/limits.ts";
import { reclaimStep } from "../../src/services/blob/reclaim-garbage.ts";
import { prefixRange } from "../../src/store/keys/pack.ts";
import { sliceRecord } from "../../src/store/records/payload.ts";
import { type BlobKit, onEachEngine, refused } from "../kit/blob.ts";

const KIB = 1024;
const MIB = 1024 * KIB;

async function pageBlob(kit: BlobKit, size: number): Promise<PageBlobClient> {
  const blob = (await kit.container()).getPageBlobClient("disk");
  await blob.create(size);
  return blob;
}

type Ranges = { readonly offset: number; readonly count: number }[];

/** The SDK gives the last byte minus the first as a count: one less than there are. */
const listed = (ranges: Ranges | undefined): Ranges =>
  (ranges ?? []).map(({ offset, count }) => ({ offset, count: count + 1 }));

const pairs = (ranges: Ranges | undefined): number[][] =>
  listed(ranges).map(({ offset, count }) => [offset, count]);

async function rangesOf(blob: PageBlobClient): Promise<Ranges> {
  return listed((await blob.getPageRanges()).pageRange as Ranges);
}

/** Records of a key family, for looking at what is left. */
async function countKeys(kit: BlobKit, family: string): Promise<number> {
  return kit.server.runtime.parts.store.read(async (read) => {
    let count = 0;
    for await (const _ of read.range(prefixRange(`${family}\0`))) count++;
    return count;
  });
}

onEachEngine("page blobs", (kit) => {
  test("pages are written, cleared and read, zeros where nothing was", async () => {
    const blob = await pageBlob(kit, 2 * MIB);
    const data = randomBytes(MIB);
    const written = await blob.uploadPages(data, 512 * 3, data.length);
    assert.equal(written.blobSequenceNumber, 0);
    await blob.uploadPages(Buffer.alloc(512, 7), 0, 512);
    const cleared = await blob.clearPages(600 * KIB, 100 * KIB);
    assert.notEqual(cleared.etag, written.etag);
    const expected = Buffer.alloc(2 * MIB);
    data.copy(expected, 512 * 3);
    expected.fill(7, 0, 512);
    expected.fill(0, 600 * KIB, 700 * KIB);
    assert.deepEqual(await blob.downloadToBuffer(), expected);
    assert.deepEqual(
      await blob.downloadToBuffer(599 * KIB, 102 * KIB),
      expected.subarray(599 * KIB, 701 * KIB),
    );
    assert.deepEqual(await rangesOf(blob), [
      { offset: 0, count: 512 },
      { offset: 1536, count: 600 * KIB - 1536 },
      { offset: 700 * KIB, count: MIB + 1536 - 700 * KIB },
    ]);
    const properties = await blob.getProperties();
    assert.deepEqual(
      [properties.blobType, properties.contentLength, properties.blobSequenceNumber],
      ["PageBlob", 2 * MIB, 0],
    );
  });

  test("random writes and clears leave what a plain buffer has, before and after they are put together", async () => {
    const size = 2 * MIB;
    const blob = await pageBlob(kit, size);
    const expected = Buffer.alloc(size);
    const isWritten = new Uint8Array(size / 512);
    const random = seededRandom(4711);
    const pick = (below: number): number => Math.floor(random.fraction() * below);
    for (let i = 0; i < 250; i++) {
      const pages = 1 + pick(random.fraction() < 0.1 ? 2_000 : 8);
      const first = pick(size / 512 - pages);
      const isClear = random.fraction() < 0.2;
      const bytes = isClear ? Buffer.alloc(pages * 512) : random.bytes(pages * 512);
      if (isClear) await blob.clearPages(first * 512, pages * 512);
      else await blob.uploadPages(bytes, first * 512, bytes.length);
      bytes.copy(expected, first * 512);
      isWritten.fill(isClear ? 0 : 1, first, first + pages);
    }
    const check = async (): Promise<void> => {
      assert.ok((await blob.downloadToBuffer()).equals(expected));
      const found = new Uint8Array(size / 512);
      for (const { offset, count } of await rangesOf(blob))
        found.fill(1, offset / 512, (offset + count) / 512);
      assert.deepEqual(found, isWritten);
    };
    await check();
    const blobs = blobContext(kit.server.runtime.parts);
    for (let more = "more"; more === "more"; ) more = await defragmentPagesStep(blobs);
    await check();
  });

  test("a segment of many slices is merged, and its bytes stay", async () => {
    const blob = await pageBlob(kit, MIB);
    for (let i = 0; i < 70; i++) await blob.uploadPages(Buffer.alloc(512, i + 1), i * 512, 512);
    const blobs = blobContext(kit.server.runtime.parts);
    assert.ok((await countKeys(kit, "bk")) > 0);
    for (let more = "more"; more === "more"; ) more = await defragmentPagesStep(blobs);
    assert.equal(await countKeys(kit, "bk"), 0);
    const whole = await blob.downloadToBuffer(0, 71 * 512);
    for (let i = 0; i < 71; i++) assert.equal(whole[i * 512 + 100], i < 70 ? i + 1 : 0);
    assert.deepEqual(await rangesOf(blob), [{ offset: 0, count: 70 * 512 }]);
  });

  test("writers of different pages do not lose each other's bytes, and a reader sees whole writes", async () => {
    const blob = await pageBlob(kit, MIB);
    const shared = 64 * KIB;
    let isOver = false;
    const reader = (async () => {
      while (!isOver) {
        const seen = await blob.downloadToBuffer(MIB - shared, shared);
        assert.ok(
          seen.every((byte) => byte === seen[0]),
          "a reader saw part of a write",
        );
      }
    })();
    await Promise.all(
      Array.from({ length: 16 }, async (_, i) => {
        await blob.uploadPages(Buffer.alloc(512 * 9, i + 1), i * 512 * 9, 512 * 9);
        await blob.uploadPages(Buffer.alloc(shared, i + 1), MIB - shared, shared);
      }),
    );
    isOver = true;
    await reader;
    const whole = await blob.downloadToBuffer(0, 16 * 512 * 9);
    for (let i = 0; i < 16; i++) {
      assert.ok(whole.subarray(i * 512 * 9, (i + 1) * 512 * 9).every((byte) => byte === i + 1));
    }
  });

  test("a snapshot keeps its pages, and a difference reports the changes since", async () => {
    const blob = await pageBlob(kit, 4 * MIB);
    await blob.uploadPages(Buffer.alloc(MIB, 1), 0, MIB);
    const first = (await blob.createSnapshot()).snapshot!;
    await blob.uploadPages(Buffer.alloc(1024, 2), 512, 1024);
    await blob.clearPages(MIB - 1024, 512);
    await blob.uploadPages(Buffer.alloc(512, 3), 3 * MIB, 512);
    const second = (await blob.createSnapshot()).snapshot!;
    await blob.uploadPages(Buffer.alloc(512, 4), 0, 512);
    assert.ok((await blob.withSnapshot(first).downloadToBuffer(0, MIB)).every((byte) => byte === 1));
    const middle = await blob.withSnapshot(second).downloadToBuffer();
    assert.deepEqual(
      [middle[0], middle[512], middle[1536], middle[MIB - 1024], middle[3 * MIB]],
      [1, 2, 1, 0, 3],
    );
    const since = await blob.getPageRangesDiff(0, 4 * MIB, first);
    assert.deepEqual(pairs(since.pageRange as Ranges), [
      [0, 1536],
      [3 * MIB, 512],
    ]);
    assert.deepEqual(pairs(since.clearRange as Ranges), [[MIB - 1024, 512]]);
    const between = await blob.withSnapshot(second).getPageRangesDiff(0, 4 * MIB, first);
    assert.deepEqual(
      between.pageRange?.map(({ offset }) => offset),
      [512, 3 * MIB],
    );
    const last = await blob.getPageRangesDiff(0, 4 * MIB, second);
    assert.deepEqual(pairs(last.pageRange as Ranges), [[0, 512]]);
    assert.deepEqual(last.clearRange ?? [], []);
    const path = new URL(blob.url).pathname.replace(`/${kit.server.account}`, "");
    const byUrl = await kit.raw({
      path,
      query: { comp: "pagelist" },
      headers: { "x-ms-previous-snapshot-url": `${blob.url}?snapshot=${first}` },
    });
    assert.match(byUrl.text, /<PageRange><Start>0<\/Start><End>1535<\/End><\/PageRange>/);
    await assert.rejects(
      blob.withSnapshot(first).getPageRangesDiff(0, MIB, second),
      refused(400, "PreviousSnapshotCannotBeNewer"),
    );
    await assert.rejects(
      blob.getPageRangesDiff(0, MIB, "2020-01-01T00:00:00.0000000Z"),
      refused(409, "PreviousSnapshotNotFound"),
    );
    await blob.create(4 * MIB);
    await assert.rejects(blob.getPageRangesDiff(0, MIB, first), refused(409, "BlobOverwritten"));
  });

  test("with a snapshot its pages go, and no others", async () => {
    const blob = await pageBlob(kit, 2 * MIB);
    const blobs = blobContext(kit.server.runtime.parts);
    const reclaim = async (): Promise<void> => {
      for (let more = "more"; more === "more"; ) more = await reclaimStep(blobs);
    };
    await reclaim();
    const idle = await countKeys(kit, "br");
    const snapshots: string[] = [];
    for (let i = 0; i < 5; i++) {
      await blob.uploadPages(Buffer.alloc(MIB, i + 1), (i % 2) * 512 * KIB, MIB);
      snapshots.push((await blob.createSnapshot()).snapshot!);
    }
    // Compaction, which may come at any time, adds the places it moves slices to: only their homes count.
    const slices = (): Promise<number> =>
      kit.server.runtime.parts.store.read(async (read) => {
        let homes = 0;
        for await (const { value } of read.range(prefixRange("xs\0")))
          if ("refs" in sliceRecord.unpack(value)) homes++;
        return homes;
      });
    const all = await slices();
    for (const middle of [1, 3, 2]) {
      await blob.withSnapshot(snapshots[middle]!).delete();
      await reclaim();
      for (const kept of [0, 4]) {
        const bytes = await blob.withSnapshot(snapshots[kept]!).downloadToBuffer(512 * KIB, 512 * KIB);
        assert.ok(bytes.every((byte) => byte === kept + 1));
      }
    }
    const left = await slices();
    assert.ok(left < all, `${left} of ${all} slices are left`);
    await blob.delete({ deleteSnapshots: "include" });
    await reclaim();
    assert.equal(await countKeys(kit, "br"), idle);
  });

  test("the first writes to a copy with a long map are as those to a short one, and leave nothing behind", async () => {
    const segments = BLOB_LIMITS.segmentsCopiedAtOnceMax + 6;
    const size = segments * BLOB_LIMITS.segmentBytes;
    const before = await recordsOf(kit);
    const disk = await pageBlob(kit, size);
    const page = (number: number): Buffer => Buffer.alloc(512, number);
    const at = (segment: number): number => segment * BLOB_LIMITS.segmentBytes;
    for (let segment = 0; segment < segments; segment++) {
      await disk.uploadPages(page(1 + segment), at(segment), 512);
    }
    const { snapshot } = await disk.createSnapshot();
    await disk.uploadPages(page(200), 0, 512);
    const container = kit.service.getContainerClient(disk.containerName);
    const copyTo = async (name: string): Promise<PageBlobClient> => {
      const copy = container.getPageBlobClient(name);
      await (await copy.beginCopyFromURL(disk.withSnapshot(snapshot!).url)).pollUntilDone();
      return copy;
    };
    const one = await copyTo("one");
    const { etag } = await one.getProperties();
    await assert.rejects(
      one.uploadPages(page(9), 512, 512, { conditions: { ifMatch: '"0x1"' } }),
      refused(412, "ConditionNotMet"),
    );
    const written = await one.uploadPages(page(201), at(1), 512, { conditions: { ifMatch: etag! } });
    assert.equal((await one.getProperties()).etag, written.etag);
    // Two first writers at the same time, and one that resizes: no bytes are lost.
    const two = await copyTo("two");
    const numbers = [2, 3, 4, 5, 6, 7];
    await Promise.all(numbers.map((segment) => two.uploadPages(page(100 + segment), at(segment), 512)));
    const three = await copyTo("three");
    await three.resize(at(segments - 1));
    const first = async (blob: { downloadToBuffer: PageBlobClient["downloadToBuffer"] }, segment: number) =>
      (await blob.downloadToBuffer(at(segment), 512))[0];
    for (let segment = 0; segment < segments; segment++) {
      const own = 1 + segment;
      assert.equal(await first(disk, segment), segment === 0 ? 200 : own);
      assert.equal(await first(disk.withSnapshot(snapshot!), segment), own);
      assert.equal(await first(one, segment), segment === 1 ? 201 : own);
      assert.equal(await first(two, segment), numbers.includes(segment) ? 100 + segment : own);
      if (segment < segments - 1) assert.equal(await first(three, segment), own);
    }
    assert.equal((await rangesOf(two)).length, segments);
    assert.equal((await rangesOf(three)).length, segments - 1);
    await container.delete();
    assert.deepEqual(await recordsOf(kit), before);
  });

  test("a page blob is resized, and what was cut off reads as zeros", async () => {
    const blob = await pageBlob(kit, MIB);
    await blob.uploadPages(Buffer.alloc(MIB, 9), 0, MIB);
    await blob.setHTTPHeaders({ blobContentType: "x/y" });
    await blob.resize(512);
    assert.equal((await blob.getProperties()).contentLength, 512);
    await blob.resize(2 * MIB);
    const properties = await blob.getProperties();
    assert.deepEqual([properties.contentLength, properties.contentType], [2 * MIB, "x/y"]);
    const whole = await blob.downloadToBuffer();
    assert.ok(whole.subarray(0, 512).every((byte) => byte === 9));
    assert.ok(whole.subarray(512).every((byte) => byte === 0));
    assert.deepEqual(await rangesOf(blob), [{ offset: 0, count: 512 }]);
    await assert.rejects(blob.resize(513), refused(400, "InvalidHeaderValue"));
  });

  test("sequence numbers are set, raised and counted, and page writes obey them", async () => {
    const container = await kit.container();
    const blob = container.getPageBlobClient("numbered");
    await blob.create(1024, { blobSequenceNumber: 5 });
    assert.equal((await blob.updateSequenceNumber("max", 3)).blobSequenceNumber, 5);
    assert.equal((await blob.updateSequenceNumber("max", 8)).blobSequenceNumber, 8);
    assert.equal((await blob.updateSequenceNumber("update", 2)).blobSequenceNumber, 2);
    assert.equal((await blob.updateSequenceNumber("increment")).blobSequenceNumber, 3);
    const page = Buffer.alloc(512, 1);
    const write = (conditions: object) => blob.uploadPages(page, 0, 512, { conditions });
    await write({
      ifSequenceNumberEqualTo: 3,
      ifSequenceNumberLessThan: 4,
      ifSequenceNumberLessThanOrEqualTo: 3,
    });
    const failed = refused(412, "SequenceNumberConditionNotMet");
    await assert.rejects(write({ ifSequenceNumberEqualTo: 2 }), failed);
    await assert.rejects(write({ ifSequenceNumberLessThan: 3 }), failed);
    await assert.rejects(write({ ifSequenceNumberLessThanOrEqualTo: 2 }), failed);
    await assert.rejects(blob.clearPages(0, 512, { conditions: { ifSequenceNumberEqualTo: 9 } }), failed);
    const path = `/${container.containerName}/numbered`;
    const set = (headers: Record<string, string>) =>
      kit.raw({ method: "PUT", path, query: { comp: "properties" }, headers });
    for (const bound of ["le", "lt", "eq"]) {
      const below = await kit.raw({
        method: "PUT",
        path,
        query: { comp: "page" },
        headers: {
          "x-ms-page-write": "clear",
          "x-ms-range": "bytes=0-511",
          [`x-ms-if-sequence-number-${bound}`]: "-1",
        },
      });
      assert.deepEqual([below.status, below.code], [400, "InvalidInput"], bound);
    }
    const both = await set({ "x-ms-sequence-number-action": "increment", "x-ms-blob-sequence-number": "4" });
    assert.deepEqual([both.status, both.code], [400, "InvalidHeaderValue"]);
    const max = String(2n ** 63n - 1n);
    await set({ "x-ms-sequence-number-action": "update", "x-ms-blob-sequence-number": max });
    const over = await set({ "x-ms-sequence-number-action": "increment" });
    assert.deepEqual([over.status, over.code], [409, "SequenceNumberIncrementTooLarge"]);
  });

  test("page ranges come in pages, cut to a range, and obey conditions", async () => {
    const blob = await pageBlob(kit, MIB);
    for (let i = 0; i < 10; i++) await blob.uploadPages(Buffer.alloc(512, 1), i * 2048, 512);
    const found: number[] = [];
    let pages = 0;
    for await (const page of blob.listPageRanges(0, MIB).byPage({ maxPageSize: 3 })) {
      pages++;
      for (const { start } of page.pageRange ?? []) found.push(start!);
    }
    assert.deepEqual([pages, found], [4, Array.from({ length: 10 }, (_, i) => i * 2048)]);
    const part = await blob.getPageRanges(2048, 2560);
    assert.deepEqual(pairs(part.pageRange as Ranges), [
      [2048, 512],
      [4096, 512],
    ]);
    assert.deepEqual((await blob.getPageRanges(MIB - 512, MIB)).pageRange, []);
    await assert.rejects(blob.getPageRanges(MIB, 512), refused(416, "InvalidRange"));
    const { etag } = await blob.getProperties();
    await assert.rejects(blob.getPageRanges(0, MIB, { conditions: { ifNoneMatch: etag! } }), refused(304));
    await assert.rejects(
      blob.getPageRanges(0, MIB, { conditions: { ifMatch: '"0x1"' } }),
      refused(412, "ConditionNotMet"),
    );
  });

  test("what is not whole pages, too much or beyond the end is refused", async () => {
    const container = await kit.container();
    const blob = container.getPageBlobClient("strict");
    await assert.rejects(blob.create(100), refused(400, "InvalidHeaderValue"));
    await assert.rejects(blob.create(8 * 1024 * 1024 * MIB + 512), refused(413, "RequestBodyTooLarge"));
    await blob.create(1024);
    const path = `/${container.containerName}/strict`;
    const put = async (headers: Record<string, string>, body?: Buffer): Promise<string> => {
      const request = { method: "PUT", path, query: { comp: "page" }, headers };
      const { status, code } = await kit.raw(body === undefined ? request : { ...request, body });
      return `${status} ${code}`;
    };
    const update = (range: string) => ({ "x-ms-page-write": "update", "x-ms-range": range });
    const page = Buffer.alloc(512);
    assert.equal(await put(update("bytes=1-512"), page), "416 InvalidPageRange");
    assert.equal(await put(update("bytes=0-510"), Buffer.alloc(511)), "416 InvalidPageRange");
    assert.equal(await put(update("bytes=1024-1535"), page), "416 InvalidPageRange");
    assert.equal(await put(update("bytes=0-1023"), page), "400 InvalidHeaderValue");
    assert.equal(await put(update("bytes=0-"), page), "400 InvalidHeaderValue");
    assert.equal(await put({ "x-ms-range": "bytes=0-511" }, page), "400 MissingRequiredHeader");
    assert.equal(await put({ "x-ms-page-write": "update" }, page), "400 MissingRequiredHeader");
    assert.equal(
      await put({ "x-ms-page-write": "clear", "x-ms-range": "bytes=0-511" }, page),
      "400 InvalidHeaderValue",
    );
    assert.equal(await put(update(`bytes=0-${4 * MIB + 511}`), page), "413 RequestBodyTooLarge");
    const md5 = { "content-md5": Buffer.alloc(16).toString("base64") };
    assert.equal(await put({ ...update("bytes=0-511"), ...md5 }, page), "400 Md5Mismatch");
    await container.getBlockBlobClient("block").upload("x", 1);
    await assert.rejects(
      container.getPageBlobClient("block").uploadPages(page, 0, 512),
      refused(409, "InvalidBlobType"),
    );
    await assert.rejects(
      container.getPageBlobClient("block").getPageRanges(),
      refused(409, "InvalidBlobType"),
    );
    await assert.rejects(
      container.getPageBlobClient("absent").uploadPages(page, 0, 512),
      refused(404, "BlobNotFound"),
    );
    assert.deepEqual(await rangesOf(blob), []);
  });
});

/** Counts records of maps, epochs, slices and reminders, when all background jobs are done. */
async function recordsOf(kit: BlobKit): Promise<Record<string, number>> {
  const blobs = blobContext(kit.server.runtime.parts);
  while ((await defragmentPagesStep(blobs)) === "more");
  while ((await reclaimStep(blobs)) === "more");
  return kit.server.runtime.parts.store.read(async (read) => {
    const counts: Record<string, number> = {};
    for (const family of ["bo", "br", "be", "bt", "bg", "xs"]) {
      counts[family] = 0;
      for await (const { value } of read.range(prefixRange(`${family}\0`))) {
        // Compaction records where it moved a slice.
        const isGuest = family === "xs" && "home" in sliceRecord.unpack(value);
        if (!isGuest) counts[family]++;
      }
    }
    return counts;
  });
}
