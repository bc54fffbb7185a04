import assert from "node:assert/strict";
import { collect } from "../../src/base/bytes.ts";
import { ManualClock, seconds } from "../../src/base/clock.ts";
import { KIB } from "../../src/base/limits.ts";
import { type Random, seededRandom } from "../../src/base/random.ts";
import { Refusal } from "../../src/base/refusals.ts";
import { MemoryDevice } from "../../src/extents/memory-device.ts";
import { silentLog } from "../../src/observability/log.ts";
import { copyFile } from "../../src/services/file/copy-file.ts";
import { createFile } from "../../src/services/file/create-file.ts";
import { createShare } from "../../src/services/file/create-share.ts";
import { deleteFile } from "../../src/services/file/delete-file.ts";
import { deleteShare } from "../../src/services/file/delete-share.ts";
import { createDirectory, deleteDirectory } from "../../src/services/file/directories.ts";
import { setFileProperties } from "../../src/services/file/file-properties.ts";
import { FileService } from "../../src/services/file/file-service.ts";
import { getFile } from "../../src/services/file/get-file.ts";
import { type ListedInode, listDirectory } from "../../src/services/file/list-directory.ts";
import { listRanges } from "../../src/services/file/list-ranges.ts";
import type { PathRef } from "../../src/services/file/names.ts";
import type { HandleId } from "../../src/services/file/opens/open-request.ts";
import { changeEasByHandle, readEasByHandle } from "../../src/services/file/opens/properties-by-handle.ts";
import { findInodeAt } from "../../src/services/file/opens/share-queries.ts";
import { clearRange, putRange } from "../../src/services/file/put-range.ts";
import { fileJobs } from "../../src/services/file/reclaim.ts";
import { rename } from "../../src/services/file/rename.ts";
import { getShareUsage } from "../../src/services/file/share-properties.ts";
import { findShare } from "../../src/services/file/shares.ts";
import { createSnapshot } from "../../src/services/file/snapshots.ts";
import { bodyOf } from "../../src/services/file/versions.ts";
import { ItemPage } from "../../src/services/page.ts";
import { ingest } from "../../src/services/payload/content.ts";
import { PayloadService } from "../../src/services/payload/payload-service.ts";
import { packKey, prefixRange } from "../../src/store/keys/pack.ts";
import { MemoryStore } from "../../src/store/memory/memory-store.ts";
import { rangeRecord } from "../../src/store/records/file.ts";
import { sliceRecord } from "../../src/store/records/payload.ts";
import { eaBytes, type ModelEa, ModelShare, spansOf, type Tree } from "./file-model.ts";

/** Random histories of one share, carried out by the service and by the model, and compared. */
const NAMES = ["a", "B", "c"];
const EA_NAMES = ["x", "X", "why", "z"];
const SIZE_MAX = 40 * KIB;
const SHAPE = { chunkBytes: 1 * KIB, writeBufferBytes: 4 * KIB, extentBytesMax: 64 * KIB };
const SHARE = { account: "account", share: "share" };

export interface HistoryOptions {
  readonly seed: number;
  readonly steps: number;
}

class History {
  readonly #random: Random;
  readonly #clock = new ManualClock();
  readonly #store = new MemoryStore({ clock: this.#clock });
  readonly #payloads: PayloadService;
  readonly #files: FileService;
  readonly #model = new ModelShare();

  constructor(seed: number) {
    this.#random = seededRandom(seed);
    const onSyncFailure = (error: unknown): void => {
      throw error;
    };
    this.#payloads = new PayloadService({
      store: this.#store,
      device: new MemoryDevice(),
      shape: SHAPE,
      log: silentLog,
      onSyncFailure,
    });
    const parts = {
      store: this.#store,
      payloads: this.#payloads,
      clock: this.#clock,
      random: this.#random,
      log: silentLog,
    };
    this.#files = new FileService(parts as never, { shareRetentionDays: 0 });
  }

  #below(limit: number): number {
    return Math.floor(this.#random.fraction() * limit);
  }

  #path(): string[] {
    const depth = 1 + this.#below(3);
    return Array.from({ length: depth }, () => {
      const name = NAMES[this.#below(NAMES.length)]!;
      return this.#below(4) === 0 ? name.toUpperCase() : name;
    });
  }

  /** A path that often leads somewhere. */
  #likely(): string[] {
    const known = [...this.#model.tree.keys()];
    return known.length === 0 || this.#below(5) === 0
      ? this.#path()
      : known[this.#below(known.length)]!.split("/");
  }

  #ref(path: readonly string[], snapshot?: bigint): PathRef {
    return snapshot === undefined ? { ...SHARE, path } : { ...SHARE, path, snapshot };
  }

  async run(steps: number): Promise<void> {
    const settings = { quotaGib: 1, tier: "Hot", protocols: "SMB" } as const;
    await createShare(this.#files, { ref: SHARE, settings });
    for (let step = 0; step < steps; step++) {
      await this.#step();
      if (this.#below(12) === 0) await this.#compare();
    }
    await this.#compare();
    await this.#checkReferences();
    await this.#end();
  }

  async #step(): Promise<void> {
    const files = this.#files;
    const model = this.#model;
    this.#clock.advance(this.#below(3) === 0 ? 0 : seconds(this.#below(5)));
    switch (this.#below(19)) {
      case 0:
      case 1: {
        const path = this.#path();
        const size = this.#below(SIZE_MAX);
        await this.#same(
          createFile(files, { ref: this.#ref(path), size, requested: {} }),
          model.createFile(path, size),
        );
        return;
      }
      case 2: {
        const path = this.#path();
        const request = { ref: this.#ref(path), requested: {} };
        await this.#same(createDirectory(files, request), model.createDirectory(path));
        return;
      }
      case 3:
      case 4:
      case 5:
      case 6:
        return this.#write();
      case 7: {
        const path = this.#likely();
        const there = model.find(path);
        const isAll = there?.kind === "file" && there.bytes.length > 0 && this.#below(4) === 0;
        const from = isAll ? 0 : this.#below(SIZE_MAX);
        const to = isAll ? there.bytes.length : from + 1 + this.#below(8 * KIB);
        await this.#same(clearRange(files, { ref: this.#ref(path), from, to }), model.clear(path, from, to));
        return;
      }
      case 8: {
        const path = this.#likely();
        const size = this.#below(3) === 0 ? 0 : this.#below(SIZE_MAX);
        const request = { ref: this.#ref(path), size, requested: {} };
        await this.#same(setFileProperties(files, request), model.resize(path, size));
        return;
      }
      case 9: {
        const path = this.#likely();
        await this.#same(deleteFile(files, { ref: this.#ref(path) }), model.deleteFile(path));
        return;
      }
      case 10: {
        const path = this.#likely();
        await this.#same(deleteDirectory(files, this.#ref(path)), model.deleteDirectory(path));
        return;
      }
      case 11:
        return this.#rename();
      case 12: {
        const [from, to] = [this.#likely(), this.#path()];
        const request = {
          ref: this.#ref(to),
          copyId: "id",
          shown: "here",
          requested: {},
          fromSource: new Set<never>(),
          ignoresReadOnly: false,
          setsArchive: false,
        };
        await this.#same(copyFile(files, request, this.#ref(from)), model.copy(from, to));
        return;
      }
      case 13:
      case 14:
        return this.#setEas();
      default:
        return this.#snapshots();
    }
  }

  async #write(): Promise<void> {
    const path = this.#likely();
    const isLarge = this.#below(3) === 0;
    const bytes = this.#random.bytes(1 + this.#below(isLarge ? 20 * KIB : 3 * KIB));
    const from = this.#below(SIZE_MAX - bytes.length);
    const taken = await ingest(this.#payloads, bytes);
    const request = { ref: this.#ref(path), from, to: from + bytes.length, bytes: taken };
    await this.#same(putRange(this.#files, request), this.#model.write(path, from, bytes));
  }

  /** By the id of a node, as a handle of it has it. */
  async #setEas(): Promise<void> {
    const path = this.#likely();
    if (this.#model.find(path) === undefined) return;
    const changes: ModelEa[] = Array.from({ length: 1 + this.#below(3) }, () => ({
      name: EA_NAMES[this.#below(EA_NAMES.length)]!,
      value: this.#below(3) === 0 ? "" : "v".repeat(1 + this.#below(30)),
    }));
    const { inode } = (await findInodeAt(this.#files, this.#ref(path)))!;
    const eas = changes.map(({ name, value }) => ({ name, value: Buffer.from(value), isNeeded: false }));
    await changeEasByHandle(this.#files, await this.#handleOf(inode), eas, false);
    this.#model.setEas(path, changes);
  }

  /** Names the inode without a handle record in the store. */
  async #handleOf(inode: bigint, snapshot?: bigint): Promise<HandleId> {
    const share = (await this.#files.parts.store.read((read) => findShare(read, SHARE)))!;
    return { ref: { ...SHARE, snapshot }, share: share.id, inode, id: 0n };
  }

  async #rename(): Promise<void> {
    const [source, destination] = [this.#likely(), this.#path()];
    const kind = this.#below(2) === 0 ? "file" : "directory";
    const replacesExisting = this.#below(2) === 0;
    const renamed = rename(this.#files, {
      kind,
      source: this.#ref(source),
      destination: this.#ref(destination),
      replacesExisting,
      ignoresReadOnly: false,
      requested: {},
    });
    await this.#same(renamed, this.#model.rename(kind, source, destination, replacesExisting));
  }

  /** Takes one, drops one, or lets the background work run. */
  async #snapshots(): Promise<void> {
    const { snapshots } = this.#model;
    const choice = this.#below(5);
    if (choice < 2) this.#model.snapshot((await createSnapshot(this.#files, SHARE, undefined)).time);
    else if (choice < 4 && snapshots.size > 0) {
      const time = [...snapshots.keys()][this.#below(snapshots.size)]!;
      await deleteShare(this.#files, { ref: { ...SHARE, snapshot: time } });
      snapshots.delete(time);
    } else await this.#settle();
  }

  async #settle(): Promise<void> {
    for (const job of fileJobs(this.#files)) while ((await job.run()) === "more");
  }

  async #same(call: Promise<unknown>, expected: string): Promise<void> {
    let outcome = "ok";
    try {
      await call;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      outcome = error.code;
    }
    assert.equal(outcome, expected);
  }

  async #compare(): Promise<void> {
    await this.#compareTree(this.#model.tree, undefined);
    for (const [time, tree] of this.#model.snapshots) await this.#compareTree(tree, time);
    const bytes = await getShareUsage(this.#files, { ref: SHARE });
    assert.equal(bytes, this.#model.bytesUsed());
  }

  async #compareTree(tree: Tree, snapshot: bigint | undefined): Promise<void> {
    const found: string[] = [];
    const walk = async (path: string[]): Promise<void> => {
      const ref = this.#ref(path, snapshot);
      const maxResults = 1 + this.#below(3);
      let from: string | undefined;
      do {
        const newPage = () => new ItemPage<ListedInode>(maxResults);
        const listing = { ref, prefix: "", maxResults, newPage, from };
        const { page, next } = await listDirectory(this.#files, listing);
        for (const { entry, record } of page.items) {
          const below = [...path, entry.name];
          const key = below.join("/").toUpperCase();
          found.push(key);
          const inode = tree.get(key);
          assert.equal(entry.kind, inode?.kind);
          assert.equal(entry.name, inode?.name);
          assert.equal(record.name, inode?.name);
          assert.equal(record.eaSize ?? 0, eaBytes(inode!));
          const eas = await readEasByHandle(this.#files, await this.#handleOf(entry.inode, snapshot));
          assert.deepEqual(
            eas.map(({ name, value }) => ({ name, value: value.toString() })),
            inode!.eas,
          );
          if (entry.kind === "directory") await walk(below);
          else await this.#compareFile(tree, below, snapshot);
        }
        from = next;
      } while (from !== undefined);
    };
    await walk([]);
    assert.deepEqual(found.sort(), [...tree.keys()].sort());
  }

  async #compareFile(tree: Tree, path: string[], snapshot: bigint | undefined): Promise<void> {
    const inode = tree.get(path.join("/").toUpperCase())!;
    assert(inode.kind === "file");
    const ref = this.#ref(path, snapshot);
    const size = inode.bytes.length;
    const from = this.#below(size + 1);
    const to = from + this.#below(size - from + 1);
    for (const part of [
      { from: 0, to: size },
      { from, to },
    ]) {
      const { content } = await getFile(this.#files, { ref, part: () => part });
      const bytes = await collect(content.stream());
      content.close();
      assert(bytes.equals(inode.bytes.subarray(part.from, part.to)), "the bytes of a file");
      if (content.whole !== undefined) assert(content.whole.equals(bytes));
    }
    const listed = await listRanges(this.#files, { ref, part: (all) => ({ from: 0, to: all }) });
    assert.deepEqual(listed.ranges, spansOf(inode.written));
    if (snapshot === undefined) await this.#compareChanges(inode, path);
  }

  /** What List Ranges tells about the changes since a snapshot covers every byte that differs. */
  async #compareChanges(inode: { bytes: Buffer; written: Uint8Array }, path: string[]): Promise<void> {
    const times = [...this.#model.snapshots.keys()];
    const since = times[this.#below(times.length)];
    if (since === undefined) return;
    const ref = this.#ref(path);
    let listed: Awaited<ReturnType<typeof listRanges>>;
    try {
      const part = (all: number) => ({ from: 0, to: all });
      listed = await listRanges(this.#files, { ref, since, followsRenames: true, part });
    } catch (error) {
      assert(error instanceof Refusal && error.code === "FileGenerationMismatch");
      return;
    }
    const told = new Uint8Array(inode.bytes.length);
    for (const { from, to } of listed.ranges) {
      for (let unit = from; unit <= to; unit += 512)
        assert(inode.written.subarray(unit, unit + 512).includes(1), "a changed range is written");
      told.fill(1, from, to + 1);
    }
    for (const { from, to } of listed.cleared) {
      assert(
        inode.written.subarray(from, to + 1).every((byte) => byte === 0),
        "a cleared range is not",
      );
      told.fill(1, from, to + 1);
    }
    const before = [...this.#model.snapshots.get(since)!.values()].filter((one) => one.kind === "file");
    // A rename may have moved the file since: it must be like some file of the snapshot wherever nothing is
    // told.
    const isLike = before.some((old) => {
      for (let at = 0; at < told.length; at++) {
        if (
          told[at] === 0 &&
          (inode.bytes[at] !== (old.bytes[at] ?? 0) || inode.written[at] !== (old.written[at] ?? 0))
        ) {
          return false;
        }
      }
      return true;
    });
    assert(isLike, "what is not told as changed is as it was");
  }

  /** Every slice is referred to exactly as often as records and versions name it. */
  async #checkReferences(): Promise<void> {
    await this.#store.read(async (read) => {
      const named = new Map<string, number>();
      for (const family of [packKey(["fr"]), packKey(["fv"]) + packKey(["fr"])]) {
        for await (const { value } of read.range(prefixRange(family))) {
          const record = rangeRecord.unpack(bodyOf(value));
          if ("inline" in record) continue;
          for (const { extent, offset } of record.slices) {
            const key = `${extent} ${offset}`;
            named.set(key, (named.get(key) ?? 0) + 1);
          }
        }
      }
      const counted = new Map<string, number>();
      for await (const { key, value } of read.range(prefixRange(packKey(["xs"])))) {
        const record = sliceRecord.unpack(value);
        const bytes = Buffer.from(key, "latin1");
        const place = `${bytes.readBigUInt64BE(3)} ${bytes.readBigUInt64BE(11)}`;
        if ("refs" in record) counted.set(place, record.refs);
      }
      assert.deepEqual([...named].sort(), [...counted].sort());
    });
  }

  /** When everything is deleted, nothing is left. */
  async #end(): Promise<void> {
    await deleteShare(this.#files, { ref: SHARE, snapshots: "include" });
    await this.#settle();
    await this.#store.read(async (read) => {
      for (const family of ["fe", "fn", "fr", "fx", "fv", "fw", "fp", "fu", "fa", "fg", "fs", "xs"]) {
        for await (const { key } of read.range(prefixRange(packKey([family])))) {
          assert.fail(`a key of family ${family} is left: ${Buffer.from(key, "latin1").toString("hex")}`);
        }
      }
    });
  }
}

/** Throws where service and model differ. */
export async function runHistory({ seed, steps }: HistoryOptions): Promise<void> {
  try {
    await new History(seed).run(steps);
  } catch (error) {
    throw new Error(`history ${seed} of ${steps} steps: ${(error as Error).message}`, { cause: error });
  }
}
