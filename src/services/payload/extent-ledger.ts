import { assert } from "../../base/assert.ts";
import { StorageFault } from "../../base/faults.ts";
import { LIMITS } from "../../base/limits.ts";
import { type ExtentShape, FILE_HEADER_BYTES, fileNameOf } from "../../extents/format.ts";
import { extentKey, wornExtentKey } from "../../store/keys/payload.ts";
import type { Writer } from "../../store/kv.ts";
import { type ExtentRecord, extentRecord } from "../../store/records/payload.ts";

const EMPTY = Buffer.alloc(0);

/** Collects the changes of live bytes of one call, so that each extent record is read and written once. */
export class ExtentLedger {
  readonly #owner: string;
  readonly #shape: ExtentShape;
  readonly #changes = new Map<bigint, number>();

  constructor(owner: string, shape: ExtentShape) {
    this.#owner = owner;
    this.#shape = shape;
  }

  add(extent: bigint, bytes: number): void {
    this.#changes.set(extent, (this.#changes.get(extent) ?? 0) + bytes);
  }

  async apply(write: Writer): Promise<void> {
    const extents = [...this.#changes.keys()];
    const records = await write.getMany(extents.map(extentKey));
    for (const [i, extent] of extents.entries()) {
      const change = this.#changes.get(extent)!;
      if (change !== 0) this.#applyOne(write, extent, records[i], change);
    }
  }

  #applyOne(write: Writer, extent: bigint, stored: Buffer | undefined, change: number): void {
    const record = stored && extentRecord.unpack(stored);
    // Bytes are added only to this process's open extent. If another process has taken it over (because this
    // one was suspended and considered dead), the extent may be removed, so no new reference to it may be
    // made.
    if (change > 0 && (record?.state !== "open" || record.owner !== this.#owner)) {
      throw new StorageFault(`extent ${fileNameOf(extent)} is no longer ours to write`);
    }
    assert(record !== undefined, () => `extent ${extent} has live bytes and no record`);
    const liveBytes = record.liveBytes + change;
    assert(liveBytes >= 0, () => `extent ${extent} would have ${liveBytes} live bytes`);
    putExtent(write, extent, { before: record, after: { ...record, liveBytes } }, this.#shape);
  }
}

/** Writes an extent record, and lists the extent for the reclaimer when it has just become worn. */
export function putExtent(
  write: Writer,
  extent: bigint,
  { before, after }: { readonly before: ExtentRecord; readonly after: ExtentRecord },
  shape: ExtentShape,
): void {
  write.put(extentKey(extent), extentRecord.pack(after));
  if (isWorn(after, shape) && !isWorn(before, shape)) write.put(wornExtentKey(extent), EMPTY);
}

function isWorn(record: ExtentRecord, shape: ExtentShape): boolean {
  return record.state === "sealed" && (isMostlyDead(record) || isSmall(record, shape));
}

export function isMostlyDead({ bytes, liveBytes }: Pick<ExtentRecord, "bytes" | "liveBytes">): boolean {
  return liveBytes === 0 || liveBytes < (bytes - FILE_HEADER_BYTES) * LIMITS.liveShareMin;
}

export function isSmall({ bytes }: Pick<ExtentRecord, "bytes">, shape: ExtentShape): boolean {
  return bytes < shape.extentBytesMax * LIMITS.smallExtentShare;
}
