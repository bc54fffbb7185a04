import { LIMITS } from "../../base/limits.ts";
import type { Entry, Range, Reader } from "../../store/kv.ts";

/**
 * All entries of a range that nearly always holds one or none, as those of handles, locks and calls under way do: a
 * loop over an iterator costs several times as much as what it finds there.
 */
export async function entriesIn(read: Reader, range: Range): Promise<readonly Entry[]> {
  const page = await read.take(range, LIMITS.rangePageEntries);
  if (page.length < LIMITS.rangePageEntries) return page;
  const all: Entry[] = [];
  for await (const entry of read.range(range)) all.push(entry);
  return all;
}
