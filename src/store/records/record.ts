import { Packr, RESERVE_START_SPACE, Unpackr } from "msgpackr";
import { DamagedData } from "../../base/faults.ts";
import { KIB } from "../../base/limits.ts";

/**
 * A record is one byte of format version and a MessagePack map. Each family declares its current version
 * and how to upgrade each older one; a newer one is refused.
 */
export interface RecordType<T> {
  readonly family: string;
  pack(value: T): Buffer;
  unpack(bytes: Buffer): T;
}

const packr = new Packr({ useRecords: false, int64AsType: "bigint", variableMapSize: true } as object);
// Records are packed side by side into buffers of this size; the default size fits only a few.
packr.useBuffer(Buffer.allocUnsafeSlow(64 * KIB));
const unpackr = new Unpackr({ useRecords: false, int64AsType: "bigint" } as object);

export function recordType<T extends object>(
  family: string,
  version: number,
  upgrades: Readonly<Record<number, (old: never) => object>> = {},
): RecordType<T> {
  return {
    family,
    pack(value) {
      const bytes = packr.pack(value, RESERVE_START_SPACE + 1);
      bytes[0] = version;
      return bytes;
    },
    unpack(bytes) {
      let found = bytes[0] ?? 0;
      if (found < 1 || found > version) {
        throw new DamagedData(`record of family ${family} has version ${found}, this build knows ${version}`);
      }
      let value: object;
      try {
        value = unpackr.unpack(bytes.subarray(1)) as object;
      } catch (error) {
        throw new DamagedData(`record of family ${family} cannot be read`, { cause: error });
      }
      for (; found < version; found++) {
        const upgrade = upgrades[found];
        if (upgrade === undefined) throw new DamagedData(`no upgrade of ${family} from version ${found}`);
        value = upgrade(value as never);
      }
      return value as T;
    },
  };
}

/** A record whose stored form differs from `T`: stored field names never change. */
export function mappedRecord<T, Stored>(
  stored: RecordType<Stored>,
  encode: (value: T) => Stored,
  decode: (value: Stored) => T,
): RecordType<T> {
  const { family } = stored;
  return {
    family,
    pack: (value) => stored.pack(encode(value)),
    unpack: (bytes) => decode(stored.unpack(bytes)),
  };
}

/** Memory for packing one record after another. It grows to the largest record. */
export class ScratchBuffer {
  #bytes: Buffer;

  constructor(bytes: number) {
    this.#bytes = Buffer.allocUnsafeSlow(bytes);
  }

  atLeast(bytes: number): Buffer {
    if (this.#bytes.length < bytes) this.#bytes = Buffer.allocUnsafeSlow(bytes);
    return this.#bytes;
  }
}
