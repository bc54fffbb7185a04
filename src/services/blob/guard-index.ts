import type { Instant } from "../../base/clock.ts";
import type { Revision } from "../../base/revision.ts";
import { guardedUntil, guardKey } from "../../store/keys/blob.ts";
import type { Reader, Writer } from "../../store/kv.ts";
import type { BlobRecord } from "../../store/records/blob.ts";

type Guarded = Pick<BlobRecord, "immutability" | "hasLegalHold"> | undefined;

/** One state of a blob: the present one has no revision of its own in its key. */
export interface GuardPlace {
  readonly container: bigint;
  readonly blob: string;
  readonly at?: Revision;
}

const FOR_EVER: Instant = Number.MAX_SAFE_INTEGER;
const NOTHING = Buffer.alloc(0);

function endOf(record: Guarded): Instant | undefined {
  return record?.hasLegalHold === true ? FOR_EVER : record?.immutability?.until;
}

/**
 * The index of what is held: an entry for each state under a policy or a hold, by the time it is let go. A
 * container's deletion asks it one question, whatever the container holds.
 */
export function indexGuard(write: Writer, place: GuardPlace, before: Guarded, after: Guarded): void {
  const [was, is] = [endOf(before), endOf(after)];
  if (was === is) return;
  if (was !== undefined) write.delete(guardKey(place, was));
  if (is !== undefined) write.put(guardKey(place, is), NOTHING);
}

/** Whether anything in the container must still be kept. */
export async function isHolding(read: Reader, container: bigint): Promise<boolean> {
  return (await read.take(guardedUntil(container, read.now()), 1)).length > 0;
}
