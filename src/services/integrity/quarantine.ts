import type { Instant } from "../../base/clock.ts";
import { packKey, prefixRange } from "../../store/keys/pack.ts";
import type { Key, Range, Writer } from "../../store/kv.ts";
import { recordType } from "../../store/records/record.ts";

/**
 * Records that a repair moved away, whole: ("zq", revision). The move is one transaction, so there is always
 * exactly one copy, and backups contain it.
 */
export interface QuarantineRecord {
  /** The key it had, one byte for each character. */
  readonly key: Buffer;
  readonly value: Buffer;
  readonly reason: string;
  readonly at: Instant;
}

export const quarantineRecord = recordType<QuarantineRecord>("quarantine", 1);
export const QUARANTINE: Range = prefixRange(packKey(["zq"]));

/** Returns false when the record is not there any more. */
export async function moveToQuarantine(write: Writer, key: Key, reason: string): Promise<boolean> {
  const value = await write.get(key);
  if (value === undefined) return false;
  const record = { key: Buffer.from(key, "latin1"), value, reason, at: write.now() };
  write.put(packKey(["zq", write.revision()]), quarantineRecord.pack(record));
  write.delete(key);
  return true;
}
