import type { Appended } from "../../extents/appended-slices.ts";
import type { Device } from "../../extents/device.ts";
import { ExtentFiles } from "../../extents/extent-files.ts";
import { ExtentLog } from "../../extents/extent-log.ts";
import type { ExtentShape, Slice } from "../../extents/format.ts";
import type { SliceRange } from "../../extents/read-slice.ts";
import type { PayloadSource } from "../../extents/write-buffers.ts";
import { type Log, silentLog } from "../../observability/log.ts";
import { ALL_EXTENTS, extentKey, LAST_EXTENT_KEY } from "../../store/keys/payload.ts";
import type { Reader, Store, Writer } from "../../store/kv.ts";
import { extentRecord, lastExtentRecord } from "../../store/records/payload.ts";
import { Wakeup } from "../reclaim/wakeup.ts";
import { isMostlyDead, isSmall, putExtent } from "./extent-ledger.ts";
import { type LocatedSlice, type OpenPayload, SlicedPayload } from "./open-payload.ts";
import type { Payloads } from "./payloads.ts";
import { Pins } from "./pins.ts";
import { locate, References } from "./references.ts";

export interface PayloadOptions {
  /** The store that all services read through, whose reads `readsEnded` counts. */
  readonly store: Store;
  readonly device: Device;
  /** Called when a sync failed: the process must stop without answering. */
  readonly onSyncFailure: (error: unknown) => void;
  readonly log?: Log;
  readonly shape?: Partial<ExtentShape>;
}

/** Payload in extents of one directory, shared by the processes of one machine. */
export class PayloadService implements Payloads {
  readonly store: Store;
  readonly owner: string;
  readonly log: Log;
  readonly files: ExtentFiles;
  readonly extents: ExtentLog;
  readonly references: References;
  readonly pins = new Pins();
  /** Rings when a transaction drops slices. */
  readonly dropped = new Wakeup();
  /** Sealed by the log, not yet in the record. */
  readonly #sealed = new Map<bigint, number>();
  #recording: Promise<void> = Promise.resolve();

  constructor({ store, device, onSyncFailure, log = silentLog, shape = {} }: PayloadOptions) {
    this.store = store;
    this.owner = store.ephemeral.owner;
    this.log = log;
    this.files = new ExtentFiles(device, { shape });
    this.extents = new ExtentLog({
      device,
      shape,
      nextExtentId: () => this.#nextExtentId(),
      onSealed: (extent, bytes) => {
        this.#sealed.set(extent, bytes);
        void this.recordSealed();
      },
      onSyncFailure,
    });
    this.references = new References(this.owner, this.files.shape);
  }

  append(source: PayloadSource, declaredLength?: number): Promise<Appended> {
    return this.extents.append(source, declaredLength);
  }

  keep(write: Writer, slices: readonly Slice[]): Promise<void> {
    return this.references.keep(write, slices);
  }

  share(write: Writer, slices: readonly Slice[]): Promise<void> {
    return this.references.share(write, slices);
  }

  drop(write: Writer, slices: readonly Slice[]): Promise<void> {
    this.dropped.ring();
    return this.references.drop(write, slices);
  }

  async open(read: Reader, slices: readonly Slice[], range?: SliceRange): Promise<OpenPayload> {
    const opened: LocatedSlice[] = [];
    let length = 0;
    for (const slice of slices) {
      const isInRange =
        range === undefined || (length < range.from + range.length && length + slice.length > range.from);
      if (isInRange) opened.push({ slice, start: length });
      length += slice.length;
    }
    const stored = opened.map(({ slice }) => slice);
    const places = await locate(read, stored);
    // Pinned before the snapshot ends, because removal checks pins after the reads have ended.
    const unpin = this.pins.pin(places.map(({ extent }) => extent));
    const located = places.map((slice, i) => ({ slice, start: opened[i]!.start }));
    return new SlicedPayload({ length, files: this.files, located, unpin });
  }

  async read(read: Reader, slices: readonly Slice[], range: SliceRange): Promise<AsyncIterable<Buffer>> {
    return streamAndClose(await this.open(read, slices, range), range);
  }

  /**
   * Payload on disk according to the extent records. It reads all of them, so it serves metrics, not
   * requests.
   */
  stats(): Promise<{ readonly liveBytes: number; readonly deadBytes: number }> {
    return this.store.read(async (read) => {
      let liveBytes = 0;
      let bytes = 0;
      for await (const { value } of read.range(ALL_EXTENTS)) {
        const record = extentRecord.unpack(value);
        liveBytes += record.liveBytes;
        // The record of an open extent has no size yet; its live bytes are the minimum.
        bytes += Math.max(record.bytes, record.liveBytes);
      }
      return { liveBytes, deadBytes: bytes - liveBytes };
    });
  }

  /** Records the extents that the log has sealed. After a failure the reclaimer's next step tries again. */
  recordSealed(): Promise<void> {
    this.#recording = this.#recording.then(async () => {
      const sealed = [...this.#sealed];
      if (sealed.length === 0) return;
      try {
        await this.store.write(async (write) => {
          for (const [extent, bytes] of sealed) await this.#sealRecord(write, extent, bytes);
        });
        for (const [extent] of sealed) this.#sealed.delete(extent);
      } catch (err) {
        this.log.warn({ err }, "sealed extents could not be recorded yet");
      }
    });
    return this.#recording;
  }

  async #sealRecord(write: Writer, extent: bigint, bytes: number): Promise<void> {
    const stored = await write.get(extentKey(extent));
    const before = stored && extentRecord.unpack(stored);
    if (before === undefined || before.owner !== this.owner) return;
    putExtent(write, extent, { before, after: { ...before, state: "sealed", bytes } }, this.files.shape);
  }

  /** Seals the open extent when most of it is dead, so that an idle process frees the space. */
  async sealIfMostlyDead(): Promise<void> {
    const open = this.extents.openExtent;
    // Pending appends have no references yet and would count as dead.
    if (open === undefined || open.isPending || isSmall(open, this.files.shape)) return;
    const stored = await this.store.read((read) => read.get(extentKey(open.extent)));
    const liveBytes = stored === undefined ? 0 : extentRecord.unpack(stored).liveBytes;
    const isStillOpen = this.extents.openExtent?.extent === open.extent;
    if (isStillOpen && isMostlyDead({ bytes: open.bytes, liveBytes })) this.extents.seal();
  }

  #nextExtentId(): Promise<bigint> {
    return this.store.write(async (write) => {
      const stored = await write.get(LAST_EXTENT_KEY);
      const id = stored === undefined ? 1n : lastExtentRecord.unpack(stored).id + 1n;
      write.put(LAST_EXTENT_KEY, lastExtentRecord.pack({ id }));
      const record = { owner: this.owner, state: "open", bytes: 0, liveBytes: 0 } as const;
      write.put(extentKey(id), extentRecord.pack(record));
      return id;
    });
  }

  /** Seals the open extent. Appends must have ended; readers in flight may continue. */
  async close(): Promise<void> {
    await this.extents.close();
    await this.recordSealed();
    this.files.close();
  }
}

/** A generator that never started runs no `finally`, so `return` closes the payload as well. */
function streamAndClose(payload: OpenPayload, range: SliceRange): AsyncIterable<Buffer> {
  const inner = payload.stream(range.from, range.length)[Symbol.asyncIterator]();
  const iterator: AsyncIterator<Buffer> = {
    async next() {
      try {
        const step = await inner.next();
        if (step.done) payload.close();
        return step;
      } catch (error) {
        payload.close();
        throw error;
      }
    },
    async return() {
      await inner.return?.();
      payload.close();
      return { done: true, value: undefined };
    },
  };
  return { [Symbol.asyncIterator]: () => iterator };
}
