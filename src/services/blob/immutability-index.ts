import type { Instant } from "../../base/clock.ts";
import type { Revision } from "../../base/revision.ts";
import { guardedUntil, guardKey } from "../../store/keys/blob.ts";
import type { Reader, Writer } from "../../store/kv.ts";
import type { BlobRecord } from "../../store/records/blob.ts";

type Protected = Pick<BlobRecord, "immutability" | "hasLegalHold"> | undefined;

/** One state of a blob; the current one has no revision in its key. */
interface IndexedState {
  readonly container: bigint;
  readonly blob: string;
  readonly at?: Revision;
}

const FOR_EVER: Instant = Number.MAX_SAFE_INTEGER;
const NOTHING = Buffer.alloc(0);

/** Until when a state is in the index; undefined for one that is not. */
export function guardEndOf(record: Protected): Instant | undefined {
  return record?.hasLegalHold === true ? FOR_EVER : record?.immutability?.until;
}

/**
 * The immutability index has an entry for each state under a policy or a legal hold, ordered by the end of
 * its protection. Delete Container needs one look-up in it, however many blobs the container has.
 */
export function indexImmutability(
  write: Writer,
  state: IndexedState,
  before: Protected,
  after: Protected,
): void {
  const [was, is] = [guardEndOf(before), guardEndOf(after)];
  if (was === is) return;
  if (was !== undefined) write.delete(guardKey(state, was));
  if (is !== undefined) write.put(guardKey(state, is), NOTHING);
}

/** Whether a policy or a legal hold still protects any blob of the container. */
export async function hasImmutableBlobs(read: Reader, container: bigint): Promise<boolean> {
  return (await read.take(guardedUntil(container, read.now()), 1)).length > 0;
}
