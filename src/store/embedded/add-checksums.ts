import { UnusableDirectory } from "../../base/faults.ts";
import type { Key } from "../kv.ts";
import { isIntact, verified } from "../records/checksum.ts";
import { type Database, END_KEY, type LmdbSnapshot, type WriteSet } from "./lmdb.ts";

/**
 * Builds for format 2 of the data directory stored records without checksums. The first start of this build
 * adds them, before anything is read, so that no damaged byte can ever turn a record with a checksum into one
 * without. A mark says how far that has come: each step moves it in the transaction that writes the records.
 *
 *   00 "checksums"   01: every value has its checksum; 00 key: the values up to this key
 */
const MARK_KEY: Key = "\0checksums";
const COMPLETE = Buffer.of(1);
const FIRST_KEY: Key = "\0";
const STEP_RECORDS = 4_096;

/** `commit` is synchronous and durable. */
export function addChecksums(database: Database, path: string, commit: (writes: WriteSet) => void): void {
  let from = withSnapshot(database, (snapshot) => unmarkedFrom(snapshot, path));
  while (from !== undefined) {
    const start = from;
    const found = withSnapshot(database, (read) =>
      read.storedPage({ from: start, to: END_KEY }, STEP_RECORDS),
    );
    const last = found.at(-1)?.key;
    const isLast = last === undefined || found.length < STEP_RECORDS;
    const writes = new Map(found.filter(({ key }) => key !== MARK_KEY).map(({ key, value }) => [key, value]));
    commit(writes.set(MARK_KEY, isLast ? COMPLETE : Buffer.from(`\0${last}`, "latin1")));
    from = isLast ? undefined : `${last}\0`;
  }
}

/** The first key whose value may have no checksum; undefined if every value has one. */
function unmarkedFrom(snapshot: LmdbSnapshot, path: string): Key | undefined {
  const [stored] = snapshot.storedPage({ from: MARK_KEY, to: `${MARK_KEY}\0` }, 1);
  if (stored !== undefined) {
    const mark = verified(MARK_KEY, stored.value);
    return mark.equals(COMPLETE) ? undefined : `${mark.latin1Slice(1)}\0`;
  }
  const first = snapshot.storedPage({ from: FIRST_KEY, to: END_KEY }, STEP_RECORDS);
  if (first.some(({ key, value }) => isIntact(key, value)))
    throw new UnusableDirectory(`${path} is damaged: the mark of its checksums is missing`);
  return FIRST_KEY;
}

function withSnapshot<T>(database: Database, read: (snapshot: LmdbSnapshot) => T): T {
  const snapshot = database.acquire();
  try {
    return read(snapshot);
  } finally {
    database.release(snapshot);
  }
}
