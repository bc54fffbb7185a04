import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as lmdb from "lmdb";
import { MIB } from "../../src/base/limits.ts";
import { Crc64 } from "../../src/digest/crc64.ts";
import type { Key } from "../../src/store/kv.ts";

type Writes = ReadonlyMap<Key, Buffer | null>;

const BLOCK = 4_096;
const SALT = Buffer.from("salt of the file");

const wholeNumber = (value: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
};

/**
 * A store as builds for format 2 of the data directory left it: values without checksums, and a journal
 * "HFJOURN1" with the commits that the database does not have.
 */
export async function writeFormat2(
  directory: string,
  records: Writes,
  journaled: readonly Writes[],
): Promise<void> {
  mkdirSync(directory, { recursive: true });
  const database = lmdb.open({
    path: join(directory, "records.mdb"),
    encoding: "binary",
    keyEncoder: {
      writeKey: (key: Key, target: Buffer, start: number) => start + target.latin1Write(key, start),
      readKey: (target: Buffer, start: number, end: number) => target.latin1Slice(start, end),
    },
    maxReaders: 512,
    overlappingSync: false,
  } as unknown as lmdb.RootDatabaseOptionsWithPath);
  const all = new Map(records).set("\0commit", wholeNumber(7));
  database.transactionSync(() => {
    for (const [key, value] of all) if (value !== null) database.putSync(key, value);
  });
  await database.close();
  const blocks = journaled.map((writes, index) => journalRecord(8 + index, writes));
  for (const name of ["journal-a", "journal-b"]) {
    const bytes = Buffer.alloc(MIB);
    bytes.set(Buffer.concat([Buffer.from("HFJOURN1"), SALT]));
    if (name === "journal-a") bytes.set(Buffer.concat(blocks), BLOCK);
    writeFileSync(join(directory, name), bytes);
  }
}

function journalRecord(commit: number, writes: Writes): Buffer {
  const parts = [...writes].map(([key, value]) => {
    const head = Buffer.alloc(6);
    head.writeUInt16LE(key.length, 0);
    head.writeUInt32LE(value === null ? 0xffff_ffff : value.length, 2);
    return Buffer.concat([head, Buffer.from(key, "latin1"), value ?? Buffer.alloc(0)]);
  });
  const body = Buffer.concat(parts);
  const head = Buffer.alloc(40);
  head.writeUInt32LE(0x4a_46_48_01, 0);
  head.writeUInt32LE(writes.size, 4);
  head.writeBigUInt64LE(BigInt(commit), 8);
  head.writeUInt32LE(body.length, 16);
  head.set(SALT, 24);
  const record = Buffer.concat([head, new Crc64().update(head).update(body).digest(), body]);
  return Buffer.concat([record, Buffer.alloc((BLOCK - (record.length % BLOCK)) % BLOCK)]);
}
