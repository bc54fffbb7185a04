import { assert } from "../base/assert.ts";
import { errorCode, isOutOfSpace, isTransientFault, StorageFault } from "../base/faults.ts";
import { LIMITS } from "../base/limits.ts";
import { Reservation } from "./claimed-room.ts";
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
import { cutPieces, type PayloadSource, type Piece } from "./pieces.ts";
import { type Appended, AppendedSlices, Flight } from "./taken.ts";
import { type Spot, WritableExtent, writeFault } from "./writable-extent.ts";

export interface ExtentLogOptions {
  readonly device: Device;
  /** A new id, never given before, once the record that says who owns it is durable. */
  nextExtentId(): Promise<bigint>;
  /** The extent is full, durable, and nobody holds slices of it that may yet get a record. */
  onSealed(extent: bigint, bytes: number): void;
  /** A sync failed. The process must stop: what waits for the sync is never answered. */
  onSyncFailure(error: unknown): void;
  readonly shape?: Partial<ExtentShape>;
}

interface AppendOptions {
  readonly knownLength: number;
  readonly isPressed?: (taken: AppendedSlices) => boolean;
}

/**
 * Appends payload to the open extent of this process. The order on disk, which makes a crash at any point safe:
 *
 *   1. the id and its owner are durable in the store         (a crash leaves a record without a file)
 *   2. the file, its header, its name in the directory       (a crash leaves an empty extent)
 *   3. frames, at offsets that nobody else has               (a crash leaves bytes nobody points to)
 *   4. a sync of the file, shared with everyone waiting
 *   5. the append resolves, and a service writes the record that points to the slices
 */
export class ExtentLog {
  readonly device: Device;
  readonly shape: ExtentShape;
  readonly #options: ExtentLogOptions;
  readonly #sync: GroupSync;
  #open: WritableExtent | undefined;
  #opening: Promise<void> | undefined;
  /** The next one, made while the open one fills: two syncs for which nobody waits. Undefined if it failed. */
  #next: Promise<WritableExtent | undefined> | undefined;
  /** An id whose file could not be made yet: used for the next try, so a full disk does not use ids up. */
  #spareId: bigint | undefined;
  readonly #leaving = new Set<Promise<void>>();
  #appends = 0;

  constructor(options: ExtentLogOptions) {
    this.device = options.device;
    this.shape = extentShape(options.shape);
    this.#options = options;
    this.#sync = new GroupSync(options.onSyncFailure);
  }

  /** The extent that takes appends now, how far it is filled, and whether any of them is not released yet. */
  get openExtent():
    | { readonly extent: bigint; readonly bytes: number; readonly isPending: boolean }
    | undefined {
    const open = this.#open;
    return open && { extent: open.id, bytes: open.tail, isPending: open.isPending };
  }

  /**
   * Streams a source to the disk, piece by piece; resolves when all of it is durable. The source gives its
   * buffers away. When it fails, so does the append, and what was written is dead. `knownLength` is how long the
   * source is, as far as somebody has said so: room for several pieces is claimed at once then.
   */
  async append(source: PayloadSource, knownLength = 0): Promise<Appended> {
    const length = source instanceof Uint8Array ? source.length : knownLength;
    let freeSpace: Reservation | undefined;
    const claim = async (bytes: number, taken: AppendedSlices): Promise<Spot> => {
      const next = freeSpace?.take(bytes);
      if (next !== undefined) return next;
      const readAhead = this.#reservationBytes(length - taken.length);
      // The last of an extent is filled piece by piece.
      const isEnd =
        this.#open !== undefined && this.#open.freeBytes < readAhead && this.#open.freeBytes >= bytes;
      const reservedBytes = isEnd ? bytes : Math.max(bytes, readAhead);
      const spot = await this.#claim(reservedBytes, taken);
      freeSpace = new Reservation(spot, reservedBytes);
      return freeSpace.take(bytes)!;
    };
    try {
      // Slow clients by the thousand: what they have sent is better on the disk than in memory.
      const isPressed = ({ slices }: AppendedSlices): boolean =>
        this.#appends > LIMITS.patientAppendsMax && slices.length < LIMITS.earlySlicesMax;
      return await this.#append(source, claim, { isPressed, knownLength: length });
    } catch (error) {
      freeSpace?.release();
      throw error;
    }
  }

  /** How much of what is still to come is claimed at once: nothing for many clients, who may all stand still. */
  #reservationBytes(length: number): number {
    if (length <= 0 || this.#appends > LIMITS.appendsAheadMax) return 0;
    const { pieceBytes, extentBytesMax } = this.shape;
    const bytes = storedBytes(Math.min(length, LIMITS.piecesClaimedMax * pieceBytes), this.shape);
    return Math.min(bytes, extentBytesMax - FILE_HEADER_BYTES);
  }

  /** The same for exactly `length` bytes that must stay one slice, as compaction needs it. */
  async appendWhole(source: PayloadSource, length: number): Promise<Appended> {
    const reservedBytes = storedBytes(length, this.shape);
    let freeSpace: Reservation | undefined;
    const claim = async (bytes: number, taken: AppendedSlices): Promise<Spot> => {
      freeSpace ??= new Reservation(await this.#claim(reservedBytes, taken), reservedBytes);
      const spot = freeSpace.take(bytes);
      if (spot === undefined) throw new StorageFault(`a slice goes on after its ${length} bytes`);
      return spot;
    };
    let appended: Appended;
    try {
      appended = await this.#append(source, claim, { knownLength: length });
    } catch (error) {
      freeSpace?.release();
      throw error;
    }
    if (appended.length === length) return appended;
    appended.release();
    throw new StorageFault(`a slice ended after ${appended.length} of ${length} bytes`);
  }

  async #append(
    source: PayloadSource,
    claim: (bytes: number, taken: AppendedSlices) => Promise<Spot>,
    { isPressed, knownLength }: AppendOptions,
  ): Promise<Appended> {
    // Nothing written after a failed sync can be trusted to be durable, and it is certain that this one is not.
    if (this.#sync.hasFailed) throw new StorageFault("the disk has failed");
    const taken = new AppendedSlices(this.shape, (extent) => this.#leaveIfDone(extent));
    const flight = new Flight();
    this.#appends++;
    try {
      const pieces = cutPieces(source, () => this.#pieceBytes(), {
        isPressed: () => isPressed?.(taken) ?? false,
        knownLength,
        chunkBytes: this.shape.chunkBytes,
      });
      let syncing: Promise<void> | undefined;
      // Each in a call of its own: `for await` would keep the last piece in memory while it waits for the next.
      while (await this.#appendNext(pieces, claim, taken, flight)) {
        // All is here, but the source may have to wait for its digest: the disk need not.
        const isWhole = taken.length === knownLength;
        syncing = isWhole ? flight.settle().then(() => this.#sync.sync()) : undefined;
      }
      await flight.land();
      if (taken.length > 0) await (syncing ?? this.#sync.sync());
    } catch (error) {
      await flight.settle();
      taken.release();
      throw error;
    } finally {
      this.#appends--;
    }
    return taken;
  }

  async #appendNext(
    pieces: AsyncIterator<Piece>,
    claim: (bytes: number, taken: AppendedSlices) => Promise<Spot>,
    taken: AppendedSlices,
    flight: Flight,
  ): Promise<boolean> {
    const { done, value: piece } = await pieces.next();
    if (done === true) return false;
    try {
      const spot = await claim(storedBytes(piece.length, this.shape), taken);
      taken.add(spot, piece.length);
      await flight.add(this.#write(spot, piece));
      return true;
    } catch (error) {
      await pieces.return?.();
      throw error;
    }
  }

  /** How much an append may gather: its share of the memory for all of them, in whole chunks. */
  #pieceBytes(): number {
    const { chunkBytes, pieceBytes } = this.shape;
    const share = LIMITS.appendMemoryBytes / (this.#appends * (LIMITS.piecesInFlightMax + 1));
    return Math.min(pieceBytes, Math.max(1, Math.floor(share / chunkBytes)) * chunkBytes);
  }

  async #write(spot: Spot, piece: Piece): Promise<void> {
    const bytes = await spot.extent.write(piece, spot.offset);
    piece.release?.();
    this.#sync.wrote(spot.extent.file, bytes);
  }

  async #claim(bytes: number, taken: AppendedSlices): Promise<Spot> {
    for (;;) {
      const spot = this.#open?.claim(bytes);
      if (spot !== undefined) {
        // Held in the same step: an extent with claimed room must not be taken for finished.
        taken.ref(spot.extent);
        this.#makeNextInTime(spot.extent);
        return spot;
      }
      this.#opening ??= this.#roll().finally(() => {
        this.#opening = undefined;
      });
      await this.#opening;
    }
  }

  /** Whoever fills the open extent should find the next one there. What fails now is told to whoever needs it. */
  #makeNextInTime({ freeBytes }: WritableExtent): void {
    if (freeBytes > this.shape.extentBytesMax * LIMITS.nextExtentShare) return;
    this.#next ??= this.#make().catch(() => undefined);
  }

  /** Seals the open extent, if there is one, and opens the next. */
  async #roll(): Promise<void> {
    this.seal();
    this.#open = (await this.#takeNext()) ?? (await this.#make());
  }

  async #takeNext(): Promise<WritableExtent | undefined> {
    const next = await this.#next;
    this.#next = undefined;
    return next;
  }

  async #make(): Promise<WritableExtent> {
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
      // The next try makes the file again, under the same id.
      await file?.close().catch(() => {});
      // A database that is away cannot be cleared up either, and the next try writes over what may be there.
      const isAway = isTransientFault(error) && !isOutOfSpace(error);
      if (!isAway) await this.device.remove(name).catch(() => {});
      throw writeFault(name, error);
    }
    // The header is synced with the first frames; nobody asks for it before.
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
    // A sync in flight may be using this descriptor, and the size we report should outlive a crash.
    await this.#sync.sync();
    let bytes = extent.tail;
    try {
      // The size the file really has: room whose write failed may lie beyond its end.
      bytes = await extent.file.size();
      await extent.file.close();
    } catch {
      // All that matters is durable; recovery will read the size again.
      return;
    }
    this.#options.onSealed(extent.id, bytes);
  }

  /** Removes the file of an extent. Readers that hold it keep it; a file that is not there is fine. */
  async remove(extent: bigint): Promise<void> {
    assert(extent !== this.#open?.id, "the open extent is not removed");
    try {
      await this.device.remove(fileNameOf(extent));
    } catch (cause) {
      if (errorCode(cause) !== "ENOENT")
        throw new StorageFault(`cannot remove ${fileNameOf(extent)}`, { cause });
    }
  }

  /** Seals what is open and waits until everything sealed so far has been reported. */
  async close(): Promise<void> {
    this.seal();
    const unused = await this.#takeNext();
    unused?.retire();
    if (unused !== undefined) this.#leaveIfDone(unused);
    await Promise.all(this.#leaving);
  }
}
