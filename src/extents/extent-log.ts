import { assert } from "../base/assert.ts";
import { errorCode, isOutOfSpace, isTransientFault, StorageFault } from "../base/faults.ts";
import { LIMITS } from "../base/limits.ts";
import { type Appended, AppendedSlices, InFlightWrites } from "./appended-slices.ts";
import type { Device, DeviceFile } from "./device.ts";
import {
  type ExtentShape,
  extentShape,
  FILE_HEADER_BYTES,
  fileNameOf,
  packFileHeader,
  storedBytes,
} from "./format.ts";
import { GroupSync } from "./group-sync.ts";
import { Reservation, type Spot, WritableExtent, writeFault } from "./writable-extent.ts";
import { fillWriteBuffers, type PayloadSource, type WriteBuffer } from "./write-buffers.ts";

export interface ExtentLogOptions {
  readonly device: Device;
  /** A new id, never given out before. Resolves when the record that names its owner is durable. */
  nextExtentId(): Promise<bigint>;
  /** The extent is full and durable, and every append to it has been released. */
  onSealed(extent: bigint, bytes: number): void;
  /** A sync failed. The process must stop: appends that wait for the sync never resolve. */
  onSyncFailure(error: unknown): void;
  readonly shape?: Partial<ExtentShape>;
}

interface AppendOptions {
  readonly declaredLength: number;
  readonly isPressed?: (appended: AppendedSlices) => boolean;
  /** Space for the next write buffer. */
  claim(bytes: number, appended: AppendedSlices): Promise<Spot>;
}

/**
 * Appends payload to the open extent of this process. The order on disk makes a crash at any point safe:
 *
 *   1. the id and its owner are durable in the store         (a crash leaves a record without a file)
 *   2. the file, its header, its name in the directory       (a crash leaves an empty extent)
 *   3. frames, at offsets no other append has                (a crash leaves bytes no record points to)
 *   4. a sync of the file, shared by all waiting appends
 *   5. the append resolves, and a service writes the record that points to the slices
 */
export class ExtentLog {
  readonly device: Device;
  readonly shape: ExtentShape;
  readonly #options: ExtentLogOptions;
  readonly #sync: GroupSync;
  #open: WritableExtent | undefined;
  #opening: Promise<void> | undefined;
  /** The next extent, created while the open one fills, so that no append waits for its syncs. */
  #next: Promise<WritableExtent | undefined> | undefined;
  /** An id whose file could not be created: the next attempt uses it, so that a full disk consumes no ids. */
  #spareId: bigint | undefined;
  readonly #leaving = new Set<Promise<void>>();
  #appends = 0;

  constructor(options: ExtentLogOptions) {
    this.device = options.device;
    this.shape = extentShape(options.shape);
    this.#options = options;
    this.#sync = new GroupSync(options.onSyncFailure);
  }

  /** The extent that receives appends, its size, and whether an append to it is not released yet. */
  get openExtent():
    | { readonly extent: bigint; readonly bytes: number; readonly isPending: boolean }
    | undefined {
    const open = this.#open;
    return open && { extent: open.id, bytes: open.tail, isPending: open.isPending };
  }

  /**
   * Streams a source to the disk; resolves when all of it is durable. The source gives up its buffers. When
   * it fails, so does the append, and the bytes written are dead. `declaredLength` is the declared length of
   * the source, if any: the append then reserves space for several write buffers at once.
   */
  append(source: PayloadSource, declaredLength = 0): Promise<Appended> {
    const length = source instanceof Uint8Array ? source.length : declaredLength;
    let reservation: Reservation | undefined;
    const claim = async (bytes: number, appended: AppendedSlices): Promise<Spot> => {
      const next = reservation?.next(bytes);
      if (next !== undefined) return next;
      const reserveBytes = this.#reservationBytes(length - appended.length);
      // The last bytes of an extent are claimed one buffer at a time.
      const isEnd =
        this.#open !== undefined && this.#open.freeBytes < reserveBytes && this.#open.freeBytes >= bytes;
      const reservedBytes = isEnd ? bytes : Math.max(bytes, reserveBytes);
      reservation = new Reservation(await this.#claim(reservedBytes, appended), reservedBytes);
      return reservation.next(bytes)!;
    };
    // With thousands of slow clients, the bytes they have sent go to the disk early instead of staying in
    // memory.
    const isPressed = ({ slices }: AppendedSlices): boolean =>
      this.#appends > LIMITS.patientAppendsMax && slices.length < LIMITS.earlySlicesMax;
    return this.#append(source, { claim, isPressed, declaredLength: length }, () => reservation?.release());
  }

  /** How much of the remaining source to reserve: nothing with many clients, each of which may stall. */
  #reservationBytes(length: number): number {
    if (length <= 0 || this.#appends > LIMITS.reservingAppendsMax) return 0;
    const { writeBufferBytes, extentBytesMax } = this.shape;
    const bytes = storedBytes(
      Math.min(length, LIMITS.writeBuffersReservedMax * writeBufferBytes),
      this.shape,
    );
    return Math.min(bytes, extentBytesMax - FILE_HEADER_BYTES);
  }

  /** Appends exactly `length` bytes as one slice, which compaction needs. */
  async appendWhole(source: PayloadSource, length: number): Promise<Appended> {
    const reservedBytes = storedBytes(length, this.shape);
    let reservation: Reservation | undefined;
    const claim = async (bytes: number, appended: AppendedSlices): Promise<Spot> => {
      reservation ??= new Reservation(await this.#claim(reservedBytes, appended), reservedBytes);
      const spot = reservation.next(bytes);
      if (spot === undefined) throw new StorageFault(`a slice continues after its ${length} bytes`);
      return spot;
    };
    const appended = await this.#append(source, { claim, declaredLength: length }, () =>
      reservation?.release(),
    );
    if (appended.length === length) return appended;
    appended.release();
    throw new StorageFault(`a slice ended after ${appended.length} of ${length} bytes`);
  }

  async #append(
    source: PayloadSource,
    { claim, isPressed, declaredLength }: AppendOptions,
    onFailure: () => void,
  ): Promise<Appended> {
    // After a failed sync, nothing that is written can be trusted to be durable.
    if (this.#sync.hasFailed) throw new StorageFault("the disk has failed");
    const appended = new AppendedSlices(this.shape, (extent) => this.#leaveIfDone(extent));
    const writes = new InFlightWrites();
    this.#appends++;
    try {
      const buffers = fillWriteBuffers(source, () => this.#writeBufferBytes(), {
        isPressed: () => isPressed?.(appended) ?? false,
        declaredLength,
        chunkBytes: this.shape.chunkBytes,
      });
      let syncing: Promise<void> | undefined;
      // Not `for await`, which would keep the last buffer in memory while it waits for the next.
      while (await this.#appendNext(buffers, claim, appended, writes)) {
        // All bytes are here, but the source may still compute its digest: the sync need not wait for that.
        const isWhole = appended.length === declaredLength;
        syncing = isWhole ? writes.settle().then(() => this.#sync.sync()) : undefined;
      }
      await writes.finish();
      if (appended.length > 0) await (syncing ?? this.#sync.sync());
    } catch (error) {
      await writes.settle();
      appended.release();
      onFailure();
      throw error;
    } finally {
      this.#appends--;
    }
    return appended;
  }

  async #appendNext(
    buffers: AsyncIterator<WriteBuffer>,
    claim: AppendOptions["claim"],
    appended: AppendedSlices,
    writes: InFlightWrites,
  ): Promise<boolean> {
    const { done, value: buffer } = await buffers.next();
    if (done === true) return false;
    try {
      const spot = await claim(storedBytes(buffer.length, this.shape), appended);
      appended.add(spot, buffer.length);
      await writes.add(this.#write(spot, buffer));
      return true;
    } catch (error) {
      await buffers.return?.();
      throw error;
    }
  }

  /** How much one append may gather: its share of the memory of all appends, in whole chunks. */
  #writeBufferBytes(): number {
    const { chunkBytes, writeBufferBytes } = this.shape;
    const share = LIMITS.appendMemoryBytes / (this.#appends * (LIMITS.writeBuffersInFlightMax + 1));
    return Math.min(writeBufferBytes, Math.max(1, Math.floor(share / chunkBytes)) * chunkBytes);
  }

  async #write(spot: Spot, buffer: WriteBuffer): Promise<void> {
    const bytes = await spot.extent.write(buffer, spot.offset);
    buffer.release?.();
    this.#sync.wrote(spot.extent.file, bytes);
  }

  async #claim(bytes: number, appended: AppendedSlices): Promise<Spot> {
    for (;;) {
      const spot = this.#open?.claim(bytes);
      if (spot !== undefined) {
        // In the same step: an extent with claimed space must not count as finished.
        appended.ref(spot.extent);
        this.#createNextInTime(spot.extent);
        return spot;
      }
      this.#opening ??= this.#roll().finally(() => {
        this.#opening = undefined;
      });
      await this.#opening;
    }
  }

  /** Creates the next extent before the open one is full. The append that needs it gets the error. */
  #createNextInTime({ freeBytes }: WritableExtent): void {
    if (freeBytes > this.shape.extentBytesMax * LIMITS.nextExtentShare) return;
    this.#next ??= this.#create().catch(() => undefined);
  }

  /** Seals the open extent, if there is one, and opens the next. */
  async #roll(): Promise<void> {
    this.seal();
    this.#open = (await this.#takeNext()) ?? (await this.#create());
  }

  async #takeNext(): Promise<WritableExtent | undefined> {
    const next = await this.#next;
    this.#next = undefined;
    return next;
  }

  async #create(): Promise<WritableExtent> {
    this.#spareId ??= await this.#options.nextExtentId();
    const id = this.#spareId;
    const file = await this.#createFile(id);
    this.#spareId = undefined;
    return new WritableExtent(id, file, this.shape);
  }

  async #createFile(id: bigint): Promise<DeviceFile> {
    const name = fileNameOf(id);
    let file: DeviceFile | undefined;
    try {
      file = await this.device.create(name);
      await file.write([packFileHeader(id, this.shape)], 0);
    } catch (error) {
      // The next attempt creates the file again, under the same id.
      await file?.close().catch(() => {});
      // An unreachable database cannot remove the file either; the next attempt overwrites it.
      const isAway = isTransientFault(error) && !isOutOfSpace(error);
      if (!isAway) await this.device.remove(name).catch(() => {});
      throw writeFault(name, error);
    }
    // The header is synced with the first frames; no reader needs it earlier.
    await this.#sync.syncWith(() => this.device.syncDirectory());
    return file;
  }

  /** No more appends go to the open extent; it is reported as sealed when its last append is released. */
  seal(): void {
    const extent = this.#open;
    if (extent === undefined) return;
    this.#open = undefined;
    extent.retire();
    this.#leaveIfDone(extent);
  }

  #leaveIfDone(extent: WritableExtent): void {
    if (extent.isRetired && this.#open === extent) this.#open = undefined;
    if (!extent.leave()) return;
    const leaving = this.#leave(extent).finally(() => this.#leaving.delete(leaving));
    this.#leaving.add(leaving);
  }

  async #leave(extent: WritableExtent): Promise<void> {
    // A sync in flight may use this descriptor, and the reported size must survive a crash.
    await this.#sync.sync();
    let bytes = extent.tail;
    try {
      // The actual size: space whose write failed may lie beyond the end of the file.
      bytes = await extent.file.size();
      await extent.file.close();
    } catch {
      // The payload is durable; recovery reads the size again.
      return;
    }
    this.#options.onSealed(extent.id, bytes);
  }

  /** Removes the file of an extent, if there is one. Readers that have it open keep it. */
  async remove(extent: bigint): Promise<void> {
    assert(extent !== this.#open?.id, "the open extent is not removed");
    try {
      await this.device.remove(fileNameOf(extent));
    } catch (cause) {
      if (errorCode(cause) !== "ENOENT")
        throw new StorageFault(`cannot remove ${fileNameOf(extent)}`, { cause });
    }
  }

  /** Seals the open extent and waits until every sealed extent has been reported. */
  async close(): Promise<void> {
    this.seal();
    const unused = await this.#takeNext();
    unused?.retire();
    if (unused !== undefined) this.#leaveIfDone(unused);
    await Promise.all(this.#leaving);
  }
}
