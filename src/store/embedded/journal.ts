import {
  closeSync,
  constants,
  existsSync,
  fdatasync,
  fstatSync,
  openSync,
  readFileSync,
  unlinkSync,
  write,
} from "node:fs";
import { join } from "node:path";
import { writeDurably } from "../../base/durable-files.ts";
import { isOutOfSpace, OutOfSpace, UnusableDirectory } from "../../base/faults.ts";
import { LIMITS, MIB } from "../../base/limits.ts";
import { systemRandom } from "../../base/random.ts";
import { Crc64 } from "../../digest/crc64.ts";
import type { Key } from "../kv.ts";

/**
 * The write-ahead log of the database: one write and sync for each commit, which takes a third of the time of
 * a commit to the database, because that writes many pages and syncs twice.
 *
 * Two files alternate. While a checkpoint brings the records of one into the database, new records go to the
 * other; then the first is overwritten from its start. A record carries the number of its commit, and the
 * database stores the number of the last commit it has, so that older records are ignored. A record begins on
 * a block of its own, so that no write touches an acknowledged one, and lies in blocks that the file already
 * has, so that a full disk cannot cut it short.
 *
 *   file     block 0: magic "HFJOURN1", salt (16 bytes); then records, zeros, and what was there before
 *   record   0 magic u32, 4 writes u32, 8 commit u64, 16 body bytes u32, 20 zero u32, 24 salt, 40 CRC-64
 *            48 body: for each write key bytes u16, value bytes u32 (ffffffff: deleted), key, value
 *
 * The salt is random and secret: old records contain bytes that clients sent, which must not pass for a
 * record.
 */
export interface JournalRecord {
  readonly commit: number;
  readonly writes: ReadonlyMap<Key, Buffer | null>;
}

const NAMES = ["journal-a", "journal-b"] as const;
const BLOCK_BYTES = 4_096;
const FILE_MAGIC = Buffer.from("HFJOURN1");
const SALT_BYTES = 16;
const RECORD_MAGIC = 0x4a_46_48_01;
const HEADER_BYTES = 48;
const SALT_AT = 24;
const CHECKSUM_AT = 40;
const WRITE_BYTES = 6;
const DELETED = 0xffff_ffff;
/** The files grow in steps of this size. */
export const JOURNAL_STEP_BYTES = MIB;

/** On Linux a write can include its sync; elsewhere a sync follows. */
const SYNCS_AS_IT_WRITES = process.platform === "linux";
const OPEN_FLAGS = constants.O_RDWR | (SYNCS_AS_IT_WRITES ? constants.O_DSYNC : 0);

interface JournalFile {
  readonly descriptor: number;
  readonly salt: Buffer;
  bytes: number;
  /** Where the next record goes. */
  end: number;
}

export class Journal {
  readonly #files: readonly JournalFile[];
  #current = 0;
  #draft = Buffer.alloc(LIMITS.journalDraftBytes);

  constructor(directory: string) {
    this.#files = NAMES.map((name) => openFile(join(directory, name)));
  }

  /**
   * Resolves when the record is on the disk; one call at a time. Rejects with `OutOfSpace` having written
   * nothing. After any other error the state on disk is unknown.
   */
  async append(commit: number, writes: ReadonlyMap<Key, Buffer | null>): Promise<void> {
    const file = this.#files[this.#current]!;
    const bytes = this.#encode(file, commit, writes);
    await growTo(file, file.end + bytes);
    await writeWhole(file.descriptor, this.#draft, bytes, file.end);
    file.end += bytes;
    // Long records are rare: their memory is released.
    if (this.#draft.length > LIMITS.journalDraftBytes) this.#draft = Buffer.alloc(LIMITS.journalDraftBytes);
  }

  /** Further records go to the other file, from its start: the database has its records. */
  rotate(): void {
    this.#current = 1 - this.#current;
    this.#files[this.#current]!.end = BLOCK_BYTES;
  }

  close(): void {
    for (const { descriptor } of this.#files) closeSync(descriptor);
  }

  /** Writes the record to the draft and returns its length in whole blocks. */
  #encode({ salt }: JournalFile, commit: number, writes: ReadonlyMap<Key, Buffer | null>): number {
    let body = 0;
    for (const [key, value] of writes) body += WRITE_BYTES + key.length + (value?.length ?? 0);
    const bytes = toBlocks(HEADER_BYTES + body);
    if (bytes > this.#draft.length) this.#draft = Buffer.alloc(bytes);
    const draft = this.#draft;
    draft.writeUInt32LE(RECORD_MAGIC, 0);
    draft.writeUInt32LE(writes.size, 4);
    draft.writeBigUInt64LE(BigInt(commit), 8);
    draft.writeUInt32LE(body, 16);
    draft.writeUInt32LE(0, 20);
    draft.set(salt, SALT_AT);
    let at = HEADER_BYTES;
    for (const [key, value] of writes) {
      draft.writeUInt16LE(key.length, at);
      draft.writeUInt32LE(value === null ? DELETED : value.length, at + 2);
      at += WRITE_BYTES;
      at += draft.latin1Write(key, at);
      if (value !== null) {
        draft.set(value, at);
        at += value.length;
      }
    }
    draft.fill(0, at, bytes);
    draft.set(checksumOf(draft, 0, body), CHECKSUM_AT);
    return bytes;
  }
}

/** The records of commits after `applied`, in order. Throws `UnusableDirectory` when one is missing. */
export function recordsAfter(directory: string, applied: number): JournalRecord[] {
  const found = NAMES.map((name) => join(directory, name))
    .filter((path) => existsSync(path))
    .flatMap((path) => recordsIn(path, applied))
    .sort((a, b) => a.commit - b.commit);
  found.forEach(({ commit }, index) => {
    if (commit === applied + 1 + index) return;
    const damage = `commit ${applied + 1 + index} is missing before commit ${commit}`;
    throw new UnusableDirectory(`${join(directory, NAMES[0])} and ${NAMES[1]} are damaged: ${damage}`);
  });
  return found;
}

/** Called when the database has every record and no more will be written. */
export function removeJournal(directory: string): void {
  for (const name of NAMES) if (existsSync(join(directory, name))) unlinkSync(join(directory, name));
}

function recordsIn(path: string, applied: number): JournalRecord[] {
  const bytes = readFileSync(path);
  const salt = saltOf(bytes, path);
  const records: JournalRecord[] = [];
  for (let at = BLOCK_BYTES; at + HEADER_BYTES <= bytes.length; ) {
    const body = bodyBytesAt(bytes, at, salt);
    if (body === undefined) {
      at += BLOCK_BYTES;
      continue;
    }
    const commit = Number(bytes.readBigUInt64LE(at + 8));
    if (commit > applied) records.push({ commit, writes: decode(bytes, at) });
    at += toBlocks(HEADER_BYTES + body);
  }
  return records;
}

/** The length of the body, if a complete record begins here. */
function bodyBytesAt(bytes: Buffer, at: number, salt: Buffer): number | undefined {
  if (bytes.readUInt32LE(at) !== RECORD_MAGIC) return undefined;
  if (bytes.compare(salt, 0, SALT_BYTES, at + SALT_AT, at + SALT_AT + SALT_BYTES) !== 0) return undefined;
  const body = bytes.readUInt32LE(at + 16);
  if (at + HEADER_BYTES + body > bytes.length) return undefined;
  const stored = bytes.subarray(at + CHECKSUM_AT, at + HEADER_BYTES);
  return checksumOf(bytes, at, body).equals(stored) ? body : undefined;
}

function decode(bytes: Buffer, start: number): Map<Key, Buffer | null> {
  const writes = new Map<Key, Buffer | null>();
  const count = bytes.readUInt32LE(start + 4);
  let at = start + HEADER_BYTES;
  for (let index = 0; index < count; index++) {
    const keyBytes = bytes.readUInt16LE(at);
    const valueBytes = bytes.readUInt32LE(at + 2);
    at += WRITE_BYTES;
    const key = bytes.latin1Slice(at, at + keyBytes);
    at += keyBytes;
    if (valueBytes === DELETED) writes.set(key, null);
    else {
      writes.set(key, Buffer.from(bytes.subarray(at, at + valueBytes)));
      at += valueBytes;
    }
  }
  return writes;
}

function checksumOf(bytes: Buffer, at: number, body: number): Buffer {
  return new Crc64()
    .update(bytes.subarray(at, at + CHECKSUM_AT))
    .update(bytes.subarray(at + HEADER_BYTES, at + HEADER_BYTES + body))
    .digest();
}

function toBlocks(bytes: number): number {
  return Math.ceil(bytes / BLOCK_BYTES) * BLOCK_BYTES;
}

function openFile(path: string): JournalFile {
  if (!existsSync(path)) createFile(path);
  const salt = saltOf(readFileSync(path), path);
  const descriptor = openSync(path, OPEN_FLAGS);
  return { descriptor, salt, bytes: fstatSync(descriptor).size, end: BLOCK_BYTES };
}

function createFile(path: string): void {
  const bytes = Buffer.alloc(JOURNAL_STEP_BYTES);
  bytes.set(FILE_MAGIC, 0);
  bytes.set(systemRandom.bytes(SALT_BYTES), FILE_MAGIC.length);
  writeDurably(path, bytes);
}

function saltOf(head: Buffer, path: string): Buffer {
  const saltEnd = FILE_MAGIC.length + SALT_BYTES;
  if (head.length < saltEnd || !head.subarray(0, FILE_MAGIC.length).equals(FILE_MAGIC))
    throw new UnusableDirectory(`${path} is damaged: it has no journal header`);
  return Buffer.from(head.subarray(FILE_MAGIC.length, saltEnd));
}

async function growTo(file: JournalFile, bytes: number): Promise<void> {
  const zeros = bytes > file.bytes ? Buffer.alloc(JOURNAL_STEP_BYTES) : undefined;
  while (zeros !== undefined && bytes > file.bytes) {
    try {
      await writeWhole(file.descriptor, zeros, zeros.length, file.bytes);
    } catch (error) {
      throw isOutOfSpace(error) ? new OutOfSpace("no space left for the journal", error) : error;
    }
    file.bytes += zeros.length;
  }
}

function writeWhole(descriptor: number, bytes: Buffer, length: number, position: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let at = 0;
    const synced = (error: Error | null): void => (error === null ? resolve() : reject(error));
    const next = (): void => {
      write(descriptor, bytes, at, length - at, position + at, (error, written) => {
        if (error !== null) return reject(error);
        at += written;
        if (at < length) next();
        else if (SYNCS_AS_IT_WRITES) resolve();
        else fdatasync(descriptor, synced);
      });
    };
    next();
  });
}
