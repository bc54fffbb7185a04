import assert from "node:assert/strict";
import type { PageBlobClient } from "@azure/storage-blob";
import type { Random } from "../../src/base/random.ts";
import { type BlobContext, blobContext } from "../../src/services/blob/context.ts";
import { defragmentPagesStep } from "../../src/services/blob/defragment-pages.ts";
import { reclaimStep } from "../../src/services/blob/reclaim-garbage.ts";
import { prefixRange } from "../../src/store/keys/pack.ts";
import type { BlobKit } from "../kit/blob.ts";

const PAGES = 3 * 1024;
const SIZE = PAGES * 512;

/** A page blob as a plain buffer, with which pages were written and when. */
interface Plain {
  readonly bytes: Buffer;
  /** For each page the step it was last written in; 0 for never, or cleared. */
  readonly writtenAt: Uint32Array;
}

const copyOf = ({ bytes, writtenAt }: Plain): Plain => ({
  bytes: Buffer.from(bytes),
  writtenAt: writtenAt.slice(),
});

interface Life {
  readonly blob: PageBlobClient;
  readonly now: Plain;
  readonly snapshots: Map<string, { readonly plain: Plain; readonly step: number }>;
}

/** A random history of page blobs beside plain buffers; throws at the first difference. */
export class PageHistory {
  readonly #kit: BlobKit;
  readonly #random: Random;
  readonly #blobs: BlobContext;
  readonly #lives: Life[] = [];
  #step = 1;

  constructor(kit: BlobKit, random: Random) {
    this.#kit = kit;
    this.#random = random;
    this.#blobs = blobContext(kit.server.runtime.parts);
  }

  #pick(below: number): number {
    return Math.floor(this.#random.fraction() * below);
  }

  async run(steps: number): Promise<void> {
    const container = await this.#kit.container();
    const first = container.getPageBlobClient("disk-0");
    await first.create(SIZE);
    const blank = { bytes: Buffer.alloc(SIZE), writtenAt: new Uint32Array(PAGES) };
    this.#lives.push({ blob: first, now: blank, snapshots: new Map() });
    for (; this.#step <= steps; this.#step++) await this.#act(this.#lives[this.#pick(this.#lives.length)]!);
    await this.#settle();
    for (const life of this.#lives) await this.#check(life);
    for (const { blob } of this.#lives) await blob.delete({ deleteSnapshots: "include" });
    await this.#settle();
    for (const family of ["br", "be", "bo", "bk"]) assert.equal(await this.#count(family), 0, family);
  }

  async #act(life: Life): Promise<void> {
    const choice = this.#random.fraction();
    if (choice < 0.55) await this.#write(life);
    else if (choice < 0.7) await this.#clear(life);
    else if (choice < 0.8) {
      const { snapshot } = await life.blob.createSnapshot();
      life.snapshots.set(snapshot!, { plain: copyOf(life.now), step: this.#step });
    } else if (choice < 0.87) await this.#deleteSnapshot(life);
    else if (choice < 0.9 && this.#lives.length < 4) await this.#copy(life);
    else if (choice < 0.95) await this.#settle();
    else await this.#check(life);
  }

  async #write({ blob, now }: Life): Promise<void> {
    const pages = 1 + this.#pick(this.#random.fraction() < 0.2 ? 1_500 : 6);
    const first = this.#pick(PAGES - pages);
    const bytes = this.#random.bytes(pages * 512);
    await blob.uploadPages(bytes, first * 512, bytes.length);
    bytes.copy(now.bytes, first * 512);
    now.writtenAt.fill(this.#step, first, first + pages);
  }

  async #clear({ blob, now }: Life): Promise<void> {
    const pages = 1 + this.#pick(400);
    const first = this.#pick(PAGES - pages);
    await blob.clearPages(first * 512, pages * 512);
    now.bytes.fill(0, first * 512, (first + pages) * 512);
    now.writtenAt.fill(0, first, first + pages);
  }

  async #deleteSnapshot({ blob, snapshots }: Life): Promise<void> {
    const ids = [...snapshots.keys()];
    if (ids.length === 0) return;
    const id = ids[this.#pick(ids.length)]!;
    await blob.withSnapshot(id).delete();
    snapshots.delete(id);
  }

  /** Of the present or of a snapshot: the copy goes its own way. */
  async #copy({ blob, now, snapshots }: Life): Promise<void> {
    const [id] = snapshots.keys();
    const source = id === undefined ? blob : blob.withSnapshot(id);
    const container = this.#kit.service.getContainerClient(blob.containerName);
    const copy = container.getPageBlobClient(`disk-${this.#lives.length}`);
    await (await copy.beginCopyFromURL(source.url)).pollUntilDone();
    const plain = id === undefined ? now : snapshots.get(id)!.plain;
    this.#lives.push({ blob: copy, now: copyOf(plain), snapshots: new Map() });
  }

  async #settle(): Promise<void> {
    for (let more = "more"; more === "more"; ) more = await defragmentPagesStep(this.#blobs);
    for (let more = "more"; more === "more"; ) more = await reclaimStep(this.#blobs);
  }

  async #check({ blob, now, snapshots }: Life): Promise<void> {
    assert.ok((await blob.downloadToBuffer()).equals(now.bytes), "the present bytes differ");
    for (const [id, { plain, step }] of snapshots) {
      const seen = await blob.withSnapshot(id).downloadToBuffer();
      assert.ok(seen.equals(plain.bytes), `the bytes of the snapshot of step ${step} differ`);
      const { pageRange, clearRange } = await blob.getPageRangesDiff(0, SIZE, id);
      const expected = (isChanged: (page: number) => boolean): number[] =>
        Array.from({ length: PAGES }, (_, page) => page).filter(isChanged);
      assert.deepEqual(
        pagesOf(pageRange),
        expected((page) => now.writtenAt[page]! > step),
      );
      // Zeros now, and written at this snapshot or at a later one.
      const since = [...snapshots.values()].filter((later) => later.step >= step);
      const wasCleared = (page: number): boolean =>
        now.writtenAt[page] === 0 && since.some((later) => later.plain.writtenAt[page]! > 0);
      assert.deepEqual(pagesOf(clearRange), expected(wasCleared));
    }
  }

  async #count(family: string): Promise<number> {
    return this.#kit.server.runtime.parts.store.read(async (read) => {
      let count = 0;
      for await (const _ of read.range(prefixRange(`${family}\0`))) count++;
      return count;
    });
  }
}

function pagesOf(ranges: readonly { readonly offset: number; readonly count?: number }[] = []): number[] {
  return ranges.flatMap(({ offset, count = 0 }) =>
    Array.from({ length: (count + 1) / 512 }, (_, i) => offset / 512 + i),
  );
}
