import { DamagedData } from "../../base/faults.ts";
import type { Revision } from "../../base/revision.ts";
import { SINCE_BYTES } from "./file-contents.ts";

/** An extended attribute of a file or directory. */
export interface EaRecord {
  /** ASCII, at most 255 characters. */
  readonly name: string;
  /** Never empty, at most 65,535 bytes. */
  readonly value: Buffer;
  /** FILE_NEED_EA: a client that does not understand the attribute must not open the file. */
  readonly isNeeded: boolean;
}

const VERSION = 1;
const HEAD_BYTES = 4;
const IS_NEEDED = 1;

/**
 * All extended attributes of one inode. After the `since`:
 *
 *   0 version 1   then, for each in order: flags (1; bit 1: needed)   length of the name (1)
 *   length of the value (2)   name, ASCII   value
 */
export const easRecord = {
  pack(eas: readonly EaRecord[], since: Revision): Buffer {
    const length = eas.reduce((sum, { name, value }) => sum + HEAD_BYTES + name.length + value.length, 1);
    const bytes = Buffer.allocUnsafe(SINCE_BYTES + length);
    bytes.writeBigUInt64BE(since, 0);
    bytes[SINCE_BYTES] = VERSION;
    let at = SINCE_BYTES + 1;
    for (const { name, value, isNeeded } of eas) {
      bytes[at] = isNeeded ? IS_NEEDED : 0;
      bytes[at + 1] = name.length;
      bytes.writeUInt16BE(value.length, at + 2);
      bytes.latin1Write(name, at + HEAD_BYTES);
      bytes.set(value, at + HEAD_BYTES + name.length);
      at += HEAD_BYTES + name.length + value.length;
    }
    return bytes;
  },
  /** Values are views of `bytes`. */
  unpack(bytes: Buffer): EaRecord[] {
    if (bytes[0] !== VERSION)
      throw new DamagedData(`record of family fileEas has version ${bytes[0]}, this build knows ${VERSION}`);
    const eas: EaRecord[] = [];
    for (let at = 1; at < bytes.length; ) {
      const nameAt = at + HEAD_BYTES;
      const valueAt = nameAt + (bytes[at + 1] ?? 0);
      const end = bytes.length < nameAt ? Number.POSITIVE_INFINITY : valueAt + bytes.readUInt16BE(at + 2);
      if (end > bytes.length) throw new DamagedData("record of family fileEas ends inside an attribute");
      eas.push({
        name: bytes.latin1Slice(nameAt, valueAt),
        value: bytes.subarray(valueAt, end),
        isNeeded: (bytes[at]! & IS_NEEDED) !== 0,
      });
      at = end;
    }
    return eas;
  },
};
