import { UnusableDirectory } from "../../base/faults.ts";
import type { Key } from "../kv.ts";

/**
 * The database stores the mark of the journal, so that neither can be exchanged or lost unnoticed. It becomes
 * dirty before the first record of a run, when both files get new salts and the next generation, and clean
 * when the database has every record. While it is dirty, both files are needed as they are.
 *
 *   00 "journal"   1 format, 1 dirty, 8 generation u64 (big-endian), 16 salt of journal-a, 16 salt of -b
 */
export interface JournalMark {
  readonly isDirty: boolean;
  readonly generation: bigint;
  readonly salts: readonly Buffer[];
}

/** The record of the mark. */
export const JOURNAL_KEY: Key = "\0journal";
const MARK_FORMAT = 1;
const MARK_BYTES = 42;

export const SALT_BYTES = 16;

export function packMark({ isDirty, generation, salts }: JournalMark): Buffer {
  const head = Buffer.from([MARK_FORMAT, isDirty ? 1 : 0, 0, 0, 0, 0, 0, 0, 0, 0]);
  head.writeBigUInt64BE(generation, 2);
  return Buffer.concat([head, ...salts]);
}

/** The value of `JOURNAL_KEY`, which is missing before the first journal. */
export function unpackMark(bytes: Buffer | undefined): JournalMark | undefined {
  if (bytes === undefined) return undefined;
  if (bytes[0] !== MARK_FORMAT || bytes.length !== MARK_BYTES)
    throw new UnusableDirectory(
      `the mark of the journal has format ${bytes[0]}, which this build cannot read`,
    );
  const salts = [bytes.subarray(10, 10 + SALT_BYTES), bytes.subarray(10 + SALT_BYTES)];
  return { isDirty: bytes[1] === 1, generation: bytes.readBigUInt64BE(2), salts };
}
