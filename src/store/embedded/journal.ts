import {
  closeSync,
  constants,
  existsSync,
  fdatasync,
  openSync,
  readFileSync,
  readSync,
  unlinkSync,
  write,
} from "node:fs";
import { join } from "node:path";
import { writeDurably } from "../../base/durable-files.ts";
import { isOutOfSpace, OutOfSpace, UnusableDirectory } from "../../base/faults.ts";
import { LIMITS, MIB } from "../../base/limits.ts";
import { systemRandom } from "../../base/random.ts";
import { crc32 } from "../../digest/crc32.ts";
import { Crc64 } from "../../digest/crc64.ts";
import type { Log } from "../../observability/log.ts";
import type { Key } from "../kv.ts";
import { type JournalMark, SALT_BYTES } from "./journal-mark.ts";

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
 *   file     block 0: 0 magic "HFJOURN2", 8 salt (16 bytes), 24 generation u64, 32 steps u32, 36 zero u32,
 *            40 CRC-64 of these; then records, zeros, and what was there before
 *   record   0 magic u32, 4 writes u32, 8 commit u64, 16 body bytes u32, 20 CRC-32 of these and the salt,
 *            24 salt, 40 CRC-64 of the header and the body
 *            48 body: for each write key bytes u16, value bytes u32 (ffffffff: deleted), key, value
 *
 * The salts are random and secret: old records contain bytes that clients sent, which must not pass for a
 * record. The database stores the mark of the journal, see journal-mark.ts.
 */
export interface JournalRecord {
  readonly commit: number;
  readonly writes: ReadonlyMap<Key, Buffer | null>;
}

export interface JournalState {
  readonly directory: string;
  /** The last commit that the database has. */
  readonly applied: number;
  /** As the database has it; a database of format 2 has none. */
  readonly mark: JournalMark | undefined;
  readonly log: Log;
}

const NAMES = ["journal-a", "journal-b"] as const;
const BLOCK_BYTES = 4_096;
const FILE_MAGIC = Buffer.from("HFJOURN2");
/** Of format 2 of the data directory: block 0 ends after the salt, and records have no CRC-32. */
const FORMER_MAGIC = Buffer.from("HFJOURN1");
const GENERATION_AT = 24;
const STEPS_AT = 32;
const FILE_CHECKSUM_AT = 40;
const FILE_HEADER_BYTES = 48;
const RECORD_MAGIC = 0x4a_46_48_01;
const HEADER_BYTES = 48;
const HEADER_CHECKSUM_AT = 20;
const SALT_AT = 24;
const CHECKSUM_AT = 40;
const WRITE_BYTES = 6;
const DELETED = 0xffff_ffff;
/** Two random salts differ in about 64 bits. */
const DAMAGED_SALT_BITS_MAX = 16;
/** The files grow in steps of this size. */
export const JOURNAL_STEP_BYTES = MIB;

/** On Linux a write can include its sync; elsewhere a sync follows. */
const SYNCS_AS_IT_WRITES = process.platform === "linux";
const OPEN_FLAGS = constants.O_RDWR | (SYNCS_AS_IT_WRITES ? constants.O_DSYNC : 0);

interface JournalFile {
  readonly descriptor: number;
  readonly salt: Buffer;
  readonly generation: bigint;
  steps: number;
  /** Where the next record goes. */
  end: number;
}

export class Journal {
  readonly #directory: string;
  #files: readonly JournalFile[] = [];
  #mark: JournalMark | undefined;
  #current = 0;
  #draft = Buffer.alloc(LIMITS.journalDraftBytes);

  /** `recordsAfter` has checked the files. */
  constructor(directory: string, mark: JournalMark | undefined) {
    this.#directory = directory;
    this.#mark = mark;
    if (mark?.isDirty === true) this.#files = NAMES.map((_, index) => openFile(directory, index, mark));
  }

  /** Records can be appended. Otherwise `begin` comes first, and the database stores the mark it returns. */
  get isDirty(): boolean {
    return this.#mark?.isDirty === true;
  }

  /** Prepares both files for records. Throws `OutOfSpace`, and can then be called again. */
  prepare(): JournalMark {
    const generation = (this.#mark?.generation ?? 0n) + 1n;
    const mark = { isDirty: true, generation, salts: NAMES.map(() => systemRandom.bytes(SALT_BYTES)) };
    try {
      for (const index of NAMES.keys()) createFile(this.#directory, index, mark);
    } catch (error) {
      throw isOutOfSpace(error) ? new OutOfSpace("no space left for the journal", error) : error;
    }
    return mark;
  }

  /** The database has stored the mark. */
  begin(mark: JournalMark): void {
    this.#files = NAMES.map((_, index) => openFile(this.#directory, index, mark));
    this.#mark = mark;
  }

  /** The mark of a journal whose records the database has; undefined if it needs none. */
  get cleanMark(): JournalMark | undefined {
    return this.#mark?.isDirty === true ? { ...this.#mark, isDirty: false } : undefined;
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
    draft.set(salt, SALT_AT);
    draft.writeUInt32LE(headerChecksumOf(draft, 0), HEADER_CHECKSUM_AT);
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

/**
 * The records of commits after `applied`, in order. Throws `UnusableDirectory`, which names the file, when
 * one may be missing.
 */
export function recordsAfter(state: JournalState): JournalRecord[] {
  const { directory, applied, mark } = state;
  const files = NAMES.map((_, index) => readFile(directory, index, mark));
  const found = files
    .flatMap(({ content, salt, isFormer }) => recordsIn({ content, salt, isFormer, applied }))
    .sort((a, b) => a.commit - b.commit);
  const isExpected = mark?.isDirty === true || files.every(({ isFormer }) => isFormer);
  if (!isExpected && found.length > 0)
    throw damaged(directory, `they hold commit ${found[0]!.commit}, but the database expects no records`);
  found.forEach(({ commit }, index) => {
    if (commit === applied + 1 + index) return;
    throw damaged(directory, `commit ${applied + 1 + index} is missing before commit ${commit}`);
  });
  if (mark?.isDirty === true) checkDamaged(files, state, applied + found.length);
  return found;
}

/**
 * A power cut leaves at most one record incomplete, the last, which was not acknowledged. Its blocks reach
 * the disk in any order, so it cannot be distinguished from one that was damaged later. More damaged records
 * cannot be from a power cut.
 */
function checkDamaged(files: readonly FileContent[], { directory, log }: JournalState, last: number): void {
  const damage = files
    .flatMap(({ path, content, salt }) => damagedRecordsIn(content, salt).map((it) => ({ ...it, path })))
    .filter(({ commit }) => commit === undefined || commit > last);
  if (damage.length > 1 || damage.some(({ commit = 0 }) => commit > last + 1))
    throw damaged(directory, `${damage.length} records after commit ${last} are damaged`);
  for (const { path, at } of damage) {
    const fields = { path, at, commit: last + 1 };
    log.error(fields, "the last record of the journal is incomplete or damaged, and its commit is lost");
  }
}

function damaged(directory: string, damage: string): UnusableDirectory {
  return new UnusableDirectory(`${join(directory, NAMES[0])} and ${NAMES[1]} are damaged: ${damage}`);
}

/** Called when the database has every record and no more will be written. */
export function removeJournal(directory: string): void {
  for (const name of NAMES) if (existsSync(join(directory, name))) unlinkSync(join(directory, name));
}

interface FileContent {
  readonly path: string;
  readonly content: Buffer;
  readonly salt: Buffer;
  readonly isFormer: boolean;
}

const NO_BYTES = Buffer.alloc(0);

/** Throws `UnusableDirectory` when the mark is dirty and this is not the file it was set for. */
function readFile(directory: string, index: number, mark: JournalMark | undefined): FileContent {
  const path = join(directory, NAMES[index]!);
  const content = existsSync(path) ? readFileSync(path) : NO_BYTES;
  if (mark?.isDirty === true) {
    const damage = damageOf(content, mark, index);
    if (damage !== undefined) throw new UnusableDirectory(`${path} is damaged: ${damage}`);
  }
  const magic = content.subarray(0, FILE_MAGIC.length);
  const isFormer = mark === undefined && (content.length === 0 || magic.equals(FORMER_MAGIC));
  if (mark === undefined && !isFormer && !magic.equals(FILE_MAGIC))
    throw new UnusableDirectory(`${path} is damaged: it has no journal header`);
  const salt = content.subarray(FILE_MAGIC.length, FILE_MAGIC.length + SALT_BYTES);
  return { path, content, salt, isFormer };
}

function damageOf(content: Buffer, { generation, salts }: JournalMark, index: number): string | undefined {
  if (content.length === 0) return "it is missing, and the database needs its records";
  if (content.length < FILE_HEADER_BYTES || !content.subarray(0, FILE_MAGIC.length).equals(FILE_MAGIC))
    return "it has no journal header";
  const stored = content.subarray(FILE_CHECKSUM_AT, FILE_HEADER_BYTES);
  if (!fileChecksumOf(content).equals(stored)) return "the checksum of its header is wrong";
  if (
    content.compare(salts[index]!, 0, SALT_BYTES, FILE_MAGIC.length, FILE_MAGIC.length + SALT_BYTES) !== 0
  ) {
    const found = content.readBigUInt64LE(GENERATION_AT);
    return `it belongs to generation ${found} or another database, expected generation ${generation}`;
  }
  const bytes = content.readUInt32LE(STEPS_AT) * JOURNAL_STEP_BYTES;
  return content.length < bytes ? `it has ${content.length} bytes of ${bytes}` : undefined;
}

interface SearchedFile {
  readonly content: Buffer;
  readonly salt: Buffer;
  readonly isFormer: boolean;
  readonly applied: number;
}

function recordsIn({ content, salt, isFormer, applied }: SearchedFile): JournalRecord[] {
  const records: JournalRecord[] = [];
  for (let at = BLOCK_BYTES; at + HEADER_BYTES <= content.length; ) {
    const body = bodyBytesAt(content, at, salt, isFormer);
    if (body === undefined) {
      at += BLOCK_BYTES;
      continue;
    }
    const commit = Number(content.readBigUInt64LE(at + 8));
    if (commit > applied) records.push({ commit, writes: decode(content, at) });
    at += toBlocks(HEADER_BYTES + body);
  }
  return records;
}

/** Blocks with the salt of the file and no complete record; their commit if the header is intact. */
function damagedRecordsIn(content: Buffer, salt: Buffer): { at: number; commit: number | undefined }[] {
  const found: { at: number; commit: number | undefined }[] = [];
  for (let at = BLOCK_BYTES; at + HEADER_BYTES <= content.length; ) {
    const body = bodyBytesAt(content, at, salt, false);
    if (body === undefined && differingBits(content, at + SALT_AT, salt) <= DAMAGED_SALT_BITS_MAX) {
      const isHeaderIntact = headerChecksumOf(content, at) === content.readUInt32LE(at + HEADER_CHECKSUM_AT);
      found.push({ at, commit: isHeaderIntact ? Number(content.readBigUInt64LE(at + 8)) : undefined });
    }
    at += body === undefined ? BLOCK_BYTES : toBlocks(HEADER_BYTES + body);
  }
  return found;
}

function differingBits(bytes: Buffer, at: number, salt: Buffer): number {
  let bits = 0;
  for (let index = 0; index < SALT_BYTES; index++) {
    for (let differing = bytes[at + index]! ^ salt[index]!; differing > 0; differing >>= 1)
      bits += differing & 1;
  }
  return bits;
}

/** The length of the body, if a complete record begins here. */
function bodyBytesAt(bytes: Buffer, at: number, salt: Buffer, isFormer: boolean): number | undefined {
  if (bytes.readUInt32LE(at) !== RECORD_MAGIC) return undefined;
  if (bytes.compare(salt, 0, SALT_BYTES, at + SALT_AT, at + SALT_AT + SALT_BYTES) !== 0) return undefined;
  if (!isFormer && headerChecksumOf(bytes, at) !== bytes.readUInt32LE(at + HEADER_CHECKSUM_AT))
    return undefined;
  const body = bytes.readUInt32LE(at + 16);
  if (at + HEADER_BYTES + body > bytes.length) return undefined;
  const stored = bytes.subarray(at + CHECKSUM_AT, at + HEADER_BYTES);
  return checksumOf(bytes, at, body).equals(stored) ? body : undefined;
}

function headerChecksumOf(bytes: Buffer, at: number): number {
  const head = crc32(bytes.subarray(at, at + HEADER_CHECKSUM_AT));
  return crc32(bytes.subarray(at + SALT_AT, at + CHECKSUM_AT), head);
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

function openFile(directory: string, index: number, { salts, generation }: JournalMark): JournalFile {
  const descriptor = openSync(join(directory, NAMES[index]!), OPEN_FLAGS);
  const head = Buffer.alloc(FILE_HEADER_BYTES);
  readSync(descriptor, head, 0, FILE_HEADER_BYTES, 0);
  const steps = head.readUInt32LE(STEPS_AT);
  return { descriptor, salt: salts[index]!, generation, steps, end: BLOCK_BYTES };
}

function createFile(directory: string, index: number, { salts, generation }: JournalMark): void {
  const bytes = Buffer.alloc(JOURNAL_STEP_BYTES);
  bytes.set(fileHeader({ salt: salts[index]!, generation, steps: 1 }));
  writeDurably(join(directory, NAMES[index]!), bytes);
}

function fileHeader({ salt, generation, steps }: Pick<JournalFile, "salt" | "generation" | "steps">): Buffer {
  const head = Buffer.alloc(FILE_HEADER_BYTES);
  head.set(FILE_MAGIC);
  head.set(salt, FILE_MAGIC.length);
  head.writeBigUInt64LE(generation, GENERATION_AT);
  head.writeUInt32LE(steps, STEPS_AT);
  head.set(fileChecksumOf(head), FILE_CHECKSUM_AT);
  return head;
}

function fileChecksumOf(head: Buffer): Buffer {
  return new Crc64().update(head.subarray(0, FILE_CHECKSUM_AT)).digest();
}

/** Zeros first, then the header that counts them: a start requires what the header counts. */
async function growTo(file: JournalFile, bytes: number): Promise<void> {
  if (bytes <= file.steps * JOURNAL_STEP_BYTES) return;
  const zeros = Buffer.alloc(JOURNAL_STEP_BYTES);
  let { steps } = file;
  try {
    for (; steps * JOURNAL_STEP_BYTES < bytes; steps++)
      await writeWhole(file.descriptor, zeros, zeros.length, steps * JOURNAL_STEP_BYTES);
  } catch (error) {
    throw isOutOfSpace(error) ? new OutOfSpace("no space left for the journal", error) : error;
  }
  const head = fileHeader({ ...file, steps });
  await writeWhole(file.descriptor, head, head.length, 0);
  file.steps = steps;
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
