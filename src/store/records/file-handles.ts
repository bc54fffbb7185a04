import { assert } from "../../base/assert.ts";
import type { Instant } from "../../base/clock.ts";
import { DamagedData } from "../../base/faults.ts";

/**
 * An open of an SMB client: ephemeral, and read by every open, write and close of the same file. `access` and
 * `share` are the bits of src/concurrency/share-mode.ts.
 */
export interface HandleRecord {
  readonly kind: "file" | "directory";
  readonly access: number;
  readonly share: number;
  readonly openedAt: Instant;
  readonly session: bigint;
  readonly clientAddress: string;
  readonly clientName: string;
  readonly isDeleteOnClose: boolean;
  /** The client requested an oplock or a lease: only the process that serves it can break that. */
  readonly mayCache?: boolean;
  readonly reconnectedAt?: Instant;
  /** The file or directory of an open named stream. */
  readonly base?: bigint;
  /** In a record at the file or directory: the named stream that the handle of the same id has open. */
  readonly stream?: bigint;
  /** The process that serves it. */
  readonly owner: string;
}

const VERSION = 2;
const FIXED_BYTES = 28;
const LENGTH_BYTES = 4;
const FLAG = {
  directory: 1,
  deleteOnClose: 2,
  mayCache: 4,
  reconnected: 8,
  ofBase: 16,
  ofStream: 32,
} as const;
const INODE_BYTES = 8;

/**
 * At fixed offsets, as inodes are (file-contents.ts):
 *
 *   0 version | 1 flags | 2 access | 3 share | 4 openedAt | 12 session | 20 reconnectedAt | 28 three texts
 *
 * each text with its length in UTF-8 in four bytes before it: address, name, owner; then, for named streams,
 * the other inode (8). No handle outlives the processes that share it, so there is no older version to read.
 */
export const handleRecord = {
  family: "fileHandle",

  pack(record: HandleRecord): Buffer {
    const texts = [record.clientAddress, record.clientName, record.owner];
    const other = record.base ?? record.stream;
    let bytes = FIXED_BYTES + (other === undefined ? 0 : INODE_BYTES);
    for (const text of texts) bytes += LENGTH_BYTES + Buffer.byteLength(text);
    const packed = Buffer.allocUnsafe(bytes);
    packed[0] = VERSION;
    packed[1] =
      (record.kind === "directory" ? FLAG.directory : 0) |
      (record.isDeleteOnClose ? FLAG.deleteOnClose : 0) |
      (record.mayCache === true ? FLAG.mayCache : 0) |
      (record.reconnectedAt === undefined ? 0 : FLAG.reconnected) |
      (record.base === undefined ? 0 : FLAG.ofBase) |
      (record.stream === undefined ? 0 : FLAG.ofStream);
    assert(record.access <= 0xff && record.share <= 0xff, "access and share mode are one byte each");
    packed[2] = record.access;
    packed[3] = record.share;
    packed.writeDoubleBE(record.openedAt, 4);
    packed.writeBigUInt64BE(record.session, 12);
    packed.writeDoubleBE(record.reconnectedAt ?? 0, 20);
    let at = FIXED_BYTES;
    for (const text of texts) {
      const length = packed.write(text, at + LENGTH_BYTES);
      packed.writeUInt32BE(length, at);
      at += LENGTH_BYTES + length;
    }
    if (other !== undefined) packed.writeBigUInt64BE(other, at);
    return packed;
  },

  unpack(bytes: Buffer): HandleRecord {
    if (bytes[0] !== VERSION || bytes.length < FIXED_BYTES + 3 * LENGTH_BYTES)
      throw new DamagedData(`a handle of version ${bytes[0]} and ${bytes.length} bytes cannot be read`);
    const flags = bytes[1]!;
    const addressAt = FIXED_BYTES;
    const nameAt = textEnd(bytes, addressAt);
    const ownerAt = textEnd(bytes, nameAt);
    const ownerEnd = textEnd(bytes, ownerAt);
    const isOfInode = (flags & (FLAG.ofBase | FLAG.ofStream)) !== 0;
    if (isOfInode && bytes.length < ownerEnd + INODE_BYTES)
      throw new DamagedData("a handle ends before its inode");
    return {
      kind: (flags & FLAG.directory) === 0 ? "file" : "directory",
      access: bytes[2]!,
      share: bytes[3]!,
      openedAt: bytes.readDoubleBE(4),
      session: bytes.readBigUInt64BE(12),
      clientAddress: textAt(bytes, addressAt, nameAt),
      clientName: textAt(bytes, nameAt, ownerAt),
      isDeleteOnClose: (flags & FLAG.deleteOnClose) !== 0,
      ...((flags & FLAG.mayCache) === 0 ? {} : { mayCache: true }),
      ...((flags & FLAG.reconnected) === 0 ? {} : { reconnectedAt: bytes.readDoubleBE(20) }),
      ...((flags & FLAG.ofBase) === 0 ? {} : { base: bytes.readBigUInt64BE(ownerEnd) }),
      ...((flags & FLAG.ofStream) === 0 ? {} : { stream: bytes.readBigUInt64BE(ownerEnd) }),
      owner: textAt(bytes, ownerAt, ownerEnd),
    };
  },
} as const;

function textEnd(bytes: Buffer, at: number): number {
  const end = at + LENGTH_BYTES > bytes.length ? at : at + LENGTH_BYTES + bytes.readUInt32BE(at);
  if (end === at || end > bytes.length) throw new DamagedData("a handle ends in the middle of a text");
  return end;
}

function textAt(bytes: Buffer, at: number, end: number): string {
  return bytes.utf8Slice(at + LENGTH_BYTES, end);
}
