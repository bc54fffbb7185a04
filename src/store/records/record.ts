import { Packr, Unpackr } from "msgpackr";
import { DamagedData } from "../../base/faults.ts";

/**
 * A record is one byte of format version and a MessagePack map. Each family declares its present version and how
 * to bring each older one forward; a newer one than we know is refused, never guessed at.
 */
export interface RecordType<T> {
  readonly family: string;
  pack(value: T): Buffer;
  unpack(bytes: Buffer): T;
}

const packr = new Packr({ useRecords: false, int64AsType: "bigint", variableMapSize: true } as object);
const unpackr = new Unpackr({ useRecords: false, int64AsType: "bigint" } as object);

export function recordType<T extends object>(
  family: string,
  version: number,
  upgrades: Readonly<Record<number, (old: never) => object>> = {},
): RecordType<T> {
  return {
    family,
    pack(value) {
      const body = packr.pack(value);
      const bytes = Buffer.allocUnsafe(body.length + 1);
      bytes[0] = version;
      bytes.set(body, 1);
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
