import assert from "node:assert/strict";
import { test } from "node:test";
import { findBlob } from "../../src/services/blob/blobs.ts";
import { blobContext } from "../../src/services/blob/context.ts";
import { blobJobs } from "../../src/services/blob/jobs.ts";
import { BLOB_LIMITS } from "../../src/services/blob/limits.ts";
import { blocksVersionOf, prepareBlockList } from "../../src/services/blob/prepare-block-list.ts";
import { prefixRange } from "../../src/store/keys/pack.ts";
import { type BlobKit, onEachEngine } from "../kit/blob.ts";

/** Lists that are made ready before they are committed: what is seen of them, and what they leave behind. */
const COUNT = BLOB_LIMITS.blocksAtOnceMax + 60;
const id = (number: number): string => Buffer.from(String(number).padStart(6, "0")).toString("base64");
const text = (number: number, round = "a"): string => `${round}${number}.`;
const ALL = Array.from({ length: COUNT }, (_, number) => number);

onEachEngine("long lists of blocks", (kit) => {
  const put = (path: string, number: number, body: string | Buffer) =>
    kit.raw({ method: "PUT", path, query: { comp: "block", blockid: id(number) }, body });
  const commit = (path: string, entries: readonly string[], headers: Record<string, string> = {}) =>
    kit.raw({
      method: "PUT",
      path,
      query: { comp: "blocklist" },
      headers,
      body: `<BlockList>${entries.join("")}</BlockList>`,
    });
  const entry = (number: number, kind = "Latest"): string => `<${kind}>${id(number)}</${kind}>`;

  const stage = async (path: string, round = "a"): Promise<void> => {
    await Promise.all(ALL.map((number) => put(path, number, bytesOf(number, round))));
  };
  // Some in extents, so that references are counted.
  const bytesOf = (number: number, round = "a"): Buffer =>
    number === 3 || number === 200
      ? Buffer.alloc(2_000, `${round}${number}`)
      : Buffer.from(text(number, round));
  const whole = (numbers: readonly number[], round = "a"): Buffer =>
    Buffer.concat(numbers.map((number) => bytesOf(number, round)));

  test("a list that takes several steps to read is that of one moment, whatever is written meanwhile", async () => {
    const container = await kit.container();
    const blob = container.getBlockBlobClient("steps");
    const path = `/${container.containerName}/steps`;
    const count = (BLOB_LIMITS.listedPagesPerStep + 1) * BLOB_LIMITS.blocksPerPage + 5;
    await Promise.all([put(path, 1, "a"), put(path, 2, "bb")]);
    const order = Array.from({ length: count }, (_, at) => 1 + (at % 2));
    const entries = order.map((number) => entry(number));
    assert.equal((await commit(path, entries)).status, 201);
    const staged = BLOB_LIMITS.listedBlocksPerStep + 50;
    for (let number = 0; number < staged; number++) await put(path, 1_000 + number, "c");
    const quiet = await blob.getBlockList("all");
    assert.deepEqual(
      quiet.committedBlocks?.map(({ name }) => name),
      order.map(id),
    );
    assert.deepEqual(
      quiet.uncommittedBlocks?.map(({ name }) => name),
      Array.from({ length: staged }, (_, at) => id(1_000 + at)).sort(),
    );
    // Each round commits as many blocks as its number says, and leaves one uncommitted: no list mixes two
    // rounds.
    const writer = async (): Promise<void> => {
      for (let round = 1; round <= 4; round++) {
        const numbers = order.slice(0, count - round);
        assert.equal(
          (
            await commit(
              path,
              numbers.map((number) => entry(number)),
            )
          ).status,
          201,
        );
        await put(path, 2_000 + round, "d");
      }
    };
    let isWriting = true;
    const writing = writer().finally(() => {
      isWriting = false;
    });
    do {
      const seen = await blob.getBlockList("all");
      const round = count - (seen.committedBlocks?.length ?? 0);
      const left = seen.uncommittedBlocks?.map(({ name }) => name) ?? [];
      if (round === 0) assert.equal(left.length, staged);
      else
        assert.ok(
          left.length === 0 || (left.length === 1 && left[0] === id(2_000 + round)),
          `${round} ${left}`,
        );
    } while (isWriting);
    await writing;
  });

  test("committed, replaced in part, read in ranges, and nothing is left of what it was", async () => {
    const container = await kit.container();
    const blob = container.getBlockBlobClient("long");
    const path = `/${container.containerName}/long`;
    const before = await settledRecordsOf(kit);
    await stage(path);
    const order = [...ALL].reverse();
    order.push(3, 3, 7);
    assert.equal(
      (
        await commit(
          path,
          order.map((number) => entry(number)),
        )
      ).status,
      201,
    );
    assert.ok((await blob.downloadToBuffer()).equals(whole(order)));
    const middle = whole(order).subarray(1_000, 1_700);
    assert.ok((await blob.downloadToBuffer(1_000, 700)).equals(middle));
    const lists = await blob.getBlockList("all");
    assert.deepEqual(
      lists.committedBlocks?.map(({ name }) => name),
      order.map(id),
    );
    assert.deepEqual(lists.uncommittedBlocks ?? [], []);

    await put(path, 5, Buffer.alloc(3_000, "n"));
    const mixed = ALL.map((number) => entry(number, number === 5 ? "Uncommitted" : "Committed"));
    assert.equal((await commit(path, mixed)).status, 201);
    const expected = Buffer.concat(ALL.map((n) => (n === 5 ? Buffer.alloc(3_000, "n") : bytesOf(n))));
    assert.ok((await blob.downloadToBuffer()).equals(expected));
    await blob.delete();
    assert.deepEqual(await settledRecordsOf(kit), before);
  });

  test("one that is refused, early or at its last block, changes nothing and leaves nothing", async () => {
    const container = await kit.container();
    const path = `/${container.containerName}/refused`;
    await stage(path);
    const before = await settledRecordsOf(kit);
    const list = ALL.map((number) => entry(number));
    assert.equal((await commit(path, [...list, entry(9_999)])).code, "InvalidBlockList");
    assert.equal((await commit(path, [...list, entry(1, "Committed")])).code, "InvalidBlockList");
    assert.equal((await commit(path, [...list, entry(1, "Uncommitted")])).code, "InvalidBlockList");
    assert.equal((await commit(path, list, { "If-Match": '"0x8D0000000000000"' })).code, "ConditionNotMet");
    assert.deepEqual(await settledRecordsOf(kit), before);
    assert.equal((await commit(path, list, { "If-None-Match": "*" })).status, 201);
    const again = await commit(
      path,
      ALL.map((number) => entry(number, "Committed")),
      { "If-None-Match": "*" },
    );
    assert.equal(again.status, 409);
  });

  test("blanks, comments and references in a list are read; a text no id could have is refused", async () => {
    const container = await kit.container();
    const path = `/${container.containerName}/spaced`;
    await stage(path);
    const references = [...id(1)].map((char) => `&#${char.charCodeAt(0)};`).join("");
    const spaced = `\r\n  <Latest>\n ${references} </Latest> <!-- the rest -->`;
    const list = ALL.map((number) => `\r\n\t${entry(number)}`);
    assert.equal((await commit(path, [spaced, ...list])).status, 201);
    const blob = container.getBlobClient("spaced");
    assert.ok((await blob.downloadToBuffer()).equals(whole([1, ...ALL])));
    const bomb = await commit(path, ["&#x41;".repeat(100_000)]);
    assert.equal(bomb.code, "InvalidXmlDocument");
  });

  test("blocks put while it is made ready are in it or not, and no reader sees a mixture of two lists", async () => {
    const container = await kit.container();
    const blob = container.getBlockBlobClient("raced");
    const path = `/${container.containerName}/raced`;
    const before = await settledRecordsOf(kit);
    await stage(path);
    const list = ALL.map((number) => entry(number));
    for (const round of ["b", "c", "d", "e"]) {
      const [committed] = await Promise.all([commit(path, list), stage(path, round)]);
      assert.equal(committed.status, 201);
      const bytes = await blob.downloadToBuffer();
      const { committedBlocks = [] } = await blob.getBlockList("committed");
      assert.equal(committedBlocks.length, COUNT);
      assert.equal(
        committedBlocks.reduce((sum, { size }) => sum + size, 0),
        bytes.length,
      );
      let at = 0;
      for (const [number, { size }] of committedBlocks.entries()) {
        const found = bytes.subarray(at, at + size);
        const isExpected = ["a", "b", "c", "d", "e"].some((letter) => found.equals(bytesOf(number, letter)));
        assert.ok(isExpected, `block ${number} is ${found.subarray(0, 20)}`);
        at += size;
      }
      await stage(path, round);
    }
    await blob.delete();
    assert.deepEqual(await settledRecordsOf(kit), before);
  });

  test("what a dead process had prepared is reclaimed in time, and can no longer be committed", async () => {
    const container = await kit.container();
    const path = `/${container.containerName}/died`;
    await stage(path);
    const before = await settledRecordsOf(kit);
    const { parts } = kit.server.runtime;
    const blobs = blobContext(parts);
    const ref = { account: kit.server.account, container: container.containerName, blob: "died" };
    const version = await parts.store.read(async (read) =>
      blocksVersionOf(read, (await findBlob(read, ref)).stored),
    );
    const blocks = ALL.map((number) => ({ id: id(number), from: "latest" as const }));
    const prepared = await prepareBlockList(blobs, { ref, blocks }, version);
    assert.equal(prepared?.length, whole(ALL).length);
    assert.notDeepEqual(await recordsOf(kit), before);
    kit.server.clock.advance(BLOB_LIMITS.preparedListMillis + 1_000);
    assert.deepEqual(await settledRecordsOf(kit), before);
    const isThere = await parts.store.read((read) => read.get(prepared.deadline));
    assert.equal(isThere, undefined);
    kit.server.clock.set(Date.now());
    assert.equal(
      (
        await commit(
          path,
          ALL.map((number) => entry(number)),
        )
      ).status,
      201,
    );
    assert.ok((await container.getBlobClient("died").downloadToBuffer()).equals(whole(ALL)));
  });
});

async function settledRecordsOf(kit: BlobKit): Promise<Record<string, number>> {
  const jobs = blobJobs(blobContext(kit.server.runtime.parts));
  for (const job of [jobs[1]!, jobs[0]!]) while ((await job.run()) === "more");
  return recordsOf(kit);
}

/**
 * How many records there are of what lists are made of: contents, pages, staged blocks, slices in extents.
 */
function recordsOf(kit: BlobKit): Promise<Record<string, number>> {
  return kit.server.runtime.parts.store.read(async (read) => {
    const counts: Record<string, number> = {};
    for (const family of ["bo", "bl", "bu", "bx", "bg", "xs"]) {
      counts[family] = 0;
      for await (const _ of read.range(prefixRange(`${family}\0`))) counts[family]++;
    }
    return counts;
  });
}
