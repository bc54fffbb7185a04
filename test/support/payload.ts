import assert from "node:assert/strict";
import { collect } from "../../src/base/bytes.ts";
import { type Clock, ManualClock } from "../../src/base/clock.ts";
import type { Device } from "../../src/extents/device.ts";
import { type ExtentShape, storedBytes } from "../../src/extents/format.ts";
import { silentLog } from "../../src/observability/log.ts";
import {
  type Content,
  commitContent,
  contentLength,
  dropContent,
  ingest,
  openContent,
} from "../../src/services/payload/content.ts";
import { PayloadService } from "../../src/services/payload/payload-service.ts";
import type { OpenPayload } from "../../src/services/payload/payloads.ts";
import { ExtentReclaimer } from "../../src/services/reclaim/extents.ts";
import { packKey, prefixRange } from "../../src/store/keys/pack.ts";
import { ALL_EXTENTS, extentOfKey, placeOfSliceKey, sliceKey } from "../../src/store/keys/payload.ts";
import type { Key, Reader, Store } from "../../src/store/kv.ts";
import { MemorySpace } from "../../src/store/memory/memory-store.ts";
import { OwnedSpace } from "../../src/store/owned-space.ts";
import { extentRecord, sliceRecord } from "../../src/store/records/payload.ts";
import { recordType } from "../../src/store/records/record.ts";
import { SpaceStore } from "../../src/store/space-store.ts";
import { sample, TINY } from "./extents.ts";

/** One process of several that share a database, which outlives it. */
class SharedStore extends SpaceStore {
  override async close(): Promise<void> {}
}

/** A database that several processes of a test share. */
export class SharedDatabase {
  readonly #records: MemorySpace;
  readonly #ephemeral: MemorySpace;

  constructor(clock: Clock = new ManualClock()) {
    this.#records = new MemorySpace(clock);
    this.#ephemeral = new MemorySpace(clock);
  }

  storeOf(owner: string): Store {
    return new SharedStore(this.#records, new OwnedSpace(this.#ephemeral, owner));
  }
}

interface NoteRecord {
  readonly seed: number;
  readonly content: Content;
}

const noteRecord = recordType<NoteRecord>("note", 1);
const noteKey = (name: string): Key => packKey(["note", name]);
const ALL_NOTES = prefixRange(packKey(["note"]));

/**
 * The smallest service that has payload: named notes, whose bytes follow from a seed that the record carries,
 * so that a check needs nothing but the store.
 */
export class Notes {
  readonly payload: PayloadService;
  readonly reclaimer: ExtentReclaimer;
  readonly store: Store;

  constructor(inner: Store, device: Device, shape: Partial<ExtentShape> = TINY) {
    this.store = inner;
    this.payload = new PayloadService({
      store: this.store,
      device,
      shape,
      log: silentLog,
      onSyncFailure: (error) => {
        throw error;
      },
    });
    this.reclaimer = new ExtentReclaimer(this.payload);
  }

  async put(name: string, { seed, length }: { seed: number; length: number }): Promise<void> {
    // Never inline: these tests are about slices.
    const { slices, release } = await this.payload.append(sample(length, seed));
    try {
      await this.store.write(async (write) => {
        const former = await write.get(noteKey(name));
        if (former !== undefined) await dropContent(this.payload, write, noteRecord.unpack(former).content);
        await commitContent(this.payload, write, { slices });
        write.put(noteKey(name), noteRecord.pack({ seed, content: { slices } }));
      });
    } finally {
      release();
    }
  }

  async putInlineOrNot(name: string, { seed, length }: { seed: number; length: number }): Promise<Content> {
    const taken = await ingest(this.payload, sample(length, seed));
    try {
      await this.store.write(async (write) => {
        await commitContent(this.payload, write, taken.content);
        write.put(noteKey(name), noteRecord.pack({ seed, content: taken.content }));
      });
    } finally {
      taken.release();
    }
    return taken.content;
  }

  /** A second name for the same bytes, as a snapshot makes it. */
  async share(name: string, copy: string): Promise<void> {
    await this.store.write(async (write) => {
      const note = noteRecord.unpack((await write.get(noteKey(name)))!);
      if ("slices" in note.content) await this.payload.share(write, note.content.slices);
      write.put(noteKey(copy), noteRecord.pack(note));
    });
  }

  async delete(name: string): Promise<void> {
    await this.store.write(async (write) => {
      const stored = await write.get(noteKey(name));
      if (stored === undefined) return;
      await dropContent(this.payload, write, noteRecord.unpack(stored).content);
      write.delete(noteKey(name));
    });
  }

  open(name: string): Promise<OpenPayload> {
    return this.store.read(async (read) => {
      const { content } = noteRecord.unpack((await read.get(noteKey(name)))!);
      return openContent(this.payload, read, content);
    });
  }

  /** Reads every note and compares it with what its seed says. Returns the names. */
  async check(): Promise<string[]> {
    const names: string[] = [];
    const notes = await this.store.read(async (read) => {
      const found: { name: string; note: NoteRecord }[] = [];
      for await (const { key, value } of read.range(ALL_NOTES)) {
        found.push({ name: key.slice(5, -1), note: noteRecord.unpack(value) });
      }
      return found;
    });
    for (const { name, note } of notes) {
      const payload = await this.open(name);
      const bytes = await collect(payload.stream(0, payload.length));
      payload.close();
      assert.ok(bytes.equals(sample(contentLength(note.content), note.seed)), `note ${name} reads back`);
      names.push(name);
    }
    return names;
  }

  /** Counts everything again from the notes up and compares it with what the records say. */
  audit(): Promise<void> {
    return this.store.read(async (read) => {
      const refs = await countReferences(read);
      const live = new Map<bigint, number>();
      for await (const { key, value } of read.range(prefixRange(packKey(["xs"])))) {
        const record = sliceRecord.unpack(value);
        const place = placeOfSliceKey(key);
        if ("home" in record) {
          const home = sliceRecord.unpack((await read.get(sliceKey(record.home)))!);
          assert.deepEqual("refs" in home && home.at, place, "a guest is where its home says");
        } else {
          assert.equal(record.refs, refs.get(key), "references are counted right");
          refs.delete(key);
          const { extent } = record.at ?? place;
          live.set(extent, (live.get(extent) ?? 0) + storedBytes(record.length, this.payload.files.shape));
        }
      }
      assert.deepEqual([...refs], [], "every reference has its home record");
      for await (const { key, value } of read.range(ALL_EXTENTS)) {
        const extent = extentOfKey(key);
        assert.equal(
          extentRecord.unpack(value).liveBytes,
          live.get(extent) ?? 0,
          "live bytes are counted right",
        );
        live.delete(extent);
      }
      assert.deepEqual([...live], [], "every slice lies in an extent that has a record");
    });
  }

  async diskBytes(): Promise<number> {
    let total = 0;
    for (const bytes of (await this.payload.files.list()).values()) total += bytes;
    return total;
  }

  /** Steps until nothing is left to do. */
  async reclaimAll(): Promise<void> {
    for (;;) {
      const { removed, movedBytes } = await this.reclaimer.reclaimOnce();
      if (removed === 0 && movedBytes === 0) return;
    }
  }
}

async function countReferences(read: Reader): Promise<Map<Key, number>> {
  const refs = new Map<Key, number>();
  for await (const { value } of read.range(ALL_NOTES)) {
    const { content } = noteRecord.unpack(value);
    for (const slice of "slices" in content ? content.slices : []) {
      const key = sliceKey(slice);
      refs.set(key, (refs.get(key) ?? 0) + 1);
    }
  }
  return refs;
}
