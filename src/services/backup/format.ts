import { DamagedData } from "../../base/faults.ts";
import { MIB } from "../../base/limits.ts";
import { crc32 } from "../../digest/crc32.ts";
import type { Entry } from "../../store/kv.ts";

/**
 * A backup is a directory, or a tar of one:
 *
 *   records/1-00000001        records in the order of their keys, some MiB in a file
 *   plan.json                 the extents that follow
 *   extents/00..0a.extent     the extents with referenced payload, as they are in the data directory
 *   manifest.json             all of them with size and CRC32; written last, so it is there when all is
 *
 * All numbers in a file of records are little-endian:
 *
 *   0 magic "HFRECORD"   8 version 1 (4)   12 number of records (4), then for each:
 *   length of the key (4)   length of the value (4)   key   value
 */
export const BACKUP_FORMAT = 1;
export const PLAN = "plan.json";
export const MANIFEST = "manifest.json";
export const RECORDS_BYTES = 4 * MIB;
/** Of the files beside plan and manifest: no backup reaches a file outside its directory. */
export const FILE_NAME = /^(?:records\/\d+-\d{8}|extents\/[0-9a-f]{16}\.extent)$/;

export interface StoredFile {
  readonly name: string;
  readonly bytes: number;
  readonly crc: number;
}

/** The plan lists it without its checksum, which is not known before it is copied. */
export interface StoredExtent extends StoredFile {
  /** The process that wrote it: no other extent has the same owner, name and size. */
  readonly owner: string;
  /** Its file does not change any more. */
  readonly isSealed: boolean;
}

export interface Manifest {
  readonly format: number;
  readonly id: string;
  readonly createdAt: string;
  readonly recordCount: number;
  /** The highest revision given out before the snapshot, in decimal digits. */
  readonly revision: string;
  readonly records: readonly StoredFile[];
  readonly extents: readonly StoredExtent[];
}

export function parseManifest(text: string): Manifest {
  let manifest: Partial<Manifest>;
  try {
    manifest = JSON.parse(text) as Partial<Manifest>;
  } catch (cause) {
    throw new DamagedData(`${MANIFEST} is not JSON`, { cause });
  }
  if (manifest.format !== BACKUP_FORMAT)
    throw new DamagedData(`the backup has format ${manifest.format}, this build reads ${BACKUP_FORMAT}`);
  const { records = [], extents = [] } = manifest;
  const foreign = [...records, ...extents].find(({ name }) => !FILE_NAME.test(name));
  if (foreign !== undefined) throw new DamagedData(`a backup has no file ${foreign.name}`);
  return manifest as Manifest;
}

const MAGIC = Buffer.from("HFRECORD", "latin1");
const HEAD_BYTES = 16;
const LENGTHS_BYTES = 8;

export function packRecords(entries: readonly Entry[]): Buffer {
  let bytes = HEAD_BYTES;
  for (const { key, value } of entries) bytes += LENGTHS_BYTES + key.length + value.length;
  const packed = Buffer.allocUnsafe(bytes);
  packed.set(MAGIC, 0);
  packed.writeUInt32LE(1, 8);
  packed.writeUInt32LE(entries.length, 12);
  let at = HEAD_BYTES;
  for (const { key, value } of entries) {
    packed.writeUInt32LE(key.length, at);
    packed.writeUInt32LE(value.length, at + 4);
    packed.latin1Write(key, at + LENGTHS_BYTES);
    packed.set(value, at + LENGTHS_BYTES + key.length);
    at += LENGTHS_BYTES + key.length + value.length;
  }
  return packed;
}

/** Of a file whose checksum was compared. */
export function unpackRecords(packed: Buffer): Entry[] {
  if (!packed.subarray(0, MAGIC.length).equals(MAGIC) || packed.readUInt32LE(8) !== 1)
    throw new DamagedData("a file of records has an unknown format");
  const entries: Entry[] = [];
  let at = HEAD_BYTES;
  for (let left = packed.readUInt32LE(12); left > 0; left--) {
    const valueAt = at + LENGTHS_BYTES + packed.readUInt32LE(at);
    const end = valueAt + packed.readUInt32LE(at + 4);
    entries.push({
      key: packed.latin1Slice(at + LENGTHS_BYTES, valueAt),
      value: packed.subarray(valueAt, end),
    });
    at = end;
  }
  return entries;
}

/** Passes bytes on and computes their checksum. */
export class CountedContent {
  readonly #content: AsyncIterable<Buffer>;
  crc = 0;
  bytes = 0;

  constructor(content: AsyncIterable<Buffer>) {
    this.#content = content;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    for await (const chunk of this.#content) {
      this.crc = crc32(chunk, this.crc);
      this.bytes += chunk.length;
      yield chunk;
    }
  }
}
