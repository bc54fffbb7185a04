import { readUint64 } from "../../base/bytes.ts";
import type { Random } from "../../base/random.ts";
import type { ServiceParts } from "../context.ts";
import { MessageIds } from "./message-id.ts";

/** What the operations of the Queue service work on. */
export interface QueueContext extends ServiceParts {
  readonly stamps: ReceiptStamps;
  readonly messageIds: MessageIds;
}

export function queueContext(parts: ServiceParts): QueueContext {
  return { ...parts, stamps: new ReceiptStamps(parts.random), messageIds: new MessageIds() };
}

const STAMP_BYTES = 8;
const BATCH_BYTES = 512 * STAMP_BYTES;

/**
 * Random stamps for pop receipts. They are drawn in batches, because one draw costs as much as the reads of a
 * transaction. An operation draws its stamp before its transaction, so that a transaction that runs again
 * uses the same one.
 */
class ReceiptStamps {
  readonly #random: Random;
  #batch: Buffer = Buffer.alloc(0);
  #at = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  next(): bigint {
    if (this.#at === this.#batch.length) {
      this.#batch = this.#random.bytes(BATCH_BYTES);
      this.#at = 0;
    }
    const stamp = readUint64(this.#batch, this.#at);
    this.#at += STAMP_BYTES;
    return stamp;
  }
}
