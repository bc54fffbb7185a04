import { pause } from "../../base/clock.ts";
import { FILE_LIMITS } from "../../base/limits-file.ts";
import { lockWishesOfNode, lockWishKey } from "../../store/keys/file.ts";
import type { Reader, Writer } from "../../store/kv.ts";
import { lockWishRecord } from "../../store/records/file.ts";
import type { NodeName } from "./cache-breaks.ts";

/**
 * A lock is given when the writes that it would stop have ended. Where writes follow one another there may never be a
 * moment without any, so a lock that has to wait puts a wish, and writes that come later wait for it in their turn:
 * for as long as a lock may take, which is not long.
 */
interface Wisher extends NodeName {
  readonly id: bigint;
}

export async function putWish(write: Writer, { share, node, id }: Wisher, owner: string): Promise<void> {
  const key = lockWishKey(share, node, id);
  if ((await write.get(key)) === undefined) write.put(key, lockWishRecord.pack({ owner }));
}

export function deleteWish(write: Writer, { share, node, id }: Wisher): void {
  write.delete(lockWishKey(share, node, id));
}

/** Whether a lock waits that this write would be in the way of: writes of the process that asks for it are not. */
export async function isLockWished(read: Reader, { share, node }: NodeName, self?: string): Promise<boolean> {
  for await (const { value } of read.range(lockWishesOfNode(share, node))) {
    if (lockWishRecord.unpack(value).owner !== self) return true;
  }
  return false;
}

export const WISHED = Symbol("wished");

/** Runs a transaction that may find a lock wished for, until it finds none. It is not told so the last time. */
export async function afterWishes<T>(attempt: (mayWait: boolean) => Promise<T | typeof WISHED>): Promise<T> {
  for (let tries = 0; ; tries++) {
    const outcome = await attempt(tries < FILE_LIMITS.lockWishRetriesMax);
    if (outcome !== WISHED) return outcome;
    await pause(FILE_LIMITS.openRetryMillis);
  }
}
