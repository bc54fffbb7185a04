import { Refusal } from "../../base/refusals.ts";
import type { Receipt } from "../../concurrency/visibility.ts";
import { parseMessageId, printMessageId } from "./message-id.ts";

/**
 * Whether the id in the address and the receipt speak of the same message. An id that was never given out for the
 * present contents of the queue names nothing; one that was, with the receipt of another message, is a mix-up.
 */
export function checkNamed(request: {
  readonly contents: bigint;
  readonly messageId: string;
  readonly receipt: Receipt;
}): void {
  // Nearly always the two agree, and to print the one is less work than to read the other.
  if (request.messageId === printMessageId(request.contents, request.receipt.sequence)) return;
  const sequence = parseMessageId(request.contents, request.messageId);
  if (sequence === undefined) throw new Refusal("MessageNotFound");
  if (sequence !== request.receipt.sequence) throw new Refusal("PopReceiptMismatch");
}
