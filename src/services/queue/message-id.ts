import { Refusal } from "../../base/refusals.ts";
import type { Receipt } from "../../concurrency/visibility.ts";

/**
 * A MessageId is a GUID that contains the message's sequence and the id of the queue's contents, so no index
 * by MessageId is needed. It has version 8 of RFC 9562, which leaves the layout to the application:
 *
 *   ssssssss-ssss-8sss-8scc-cccccccccccc    s: sequence, 64 bits    c: the lower 56 bits of the contents' id
 */
const MESSAGE_ID = /^([0-9a-f]{8})-([0-9a-f]{4})-8([0-9a-f]{3})-8([0-9a-f])([0-9a-f]{2})-([0-9a-f]{12})$/i;

/** Whether a text could be the id of a message. */
export function isMessageId(text: string): boolean {
  return MESSAGE_ID.test(text);
}

export class MessageIds {
  /**
   * The tail of the last id: it is the same for all messages of a queue, and the queue is mostly the same.
   */
  #contents = 0n;
  #tail = "";

  print(contents: bigint, sequence: bigint): string {
    const s = hex(sequence);
    return `${s.slice(0, 8)}-${s.slice(8, 12)}-8${s.slice(12, 15)}-8${s.slice(15)}${this.#tailOf(contents)}`;
  }

  /**
   * Checks that the id in the address and the receipt belong to the same message. An id that does not belong
   * to the queue's current contents is not found; one with the receipt of another message is a mismatch.
   */
  check(contents: bigint, messageId: string, receipt: Receipt): void {
    // They nearly always agree, and printing one is faster than parsing the other.
    if (messageId === this.print(contents, receipt.sequence)) return;
    const sequence = this.#parse(contents, messageId);
    if (sequence === undefined) throw new Refusal("MessageNotFound");
    if (sequence !== receipt.sequence) throw new Refusal("PopReceiptMismatch");
  }

  /** The sequence in an id of these contents; undefined for any other text. */
  #parse(contents: bigint, text: string): bigint | undefined {
    const parts = MESSAGE_ID.exec(text);
    if (parts === null) return undefined;
    if (`${parts[5]}-${parts[6]}`.toLowerCase() !== this.#tailOf(contents)) return undefined;
    return BigInt(`0x${parts[1]}${parts[2]}${parts[3]}${parts[4]}`);
  }

  #tailOf(contents: bigint): string {
    if (contents !== this.#contents || this.#tail === "") {
      const c = hex(contents);
      this.#tail = `${c.slice(2, 4)}-${c.slice(4)}`;
      this.#contents = contents;
    }
    return this.#tail;
  }
}

function hex(value: bigint): string {
  return value.toString(16).padStart(16, "0");
}
