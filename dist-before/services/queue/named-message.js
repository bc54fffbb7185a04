import { Refusal } from "../../base/refusals.js";
import { parseMessageId } from "./message-id.js";
/**
 * Whether the id in the address and the receipt speak of the same message. An id that was never given out for the
 * present contents of the queue names nothing; one that was, with the receipt of another message, is a mix-up.
 */
export function checkNamed(request) {
    const sequence = parseMessageId(request.contents, request.messageId);
    if (sequence === undefined)
        throw new Refusal("MessageNotFound");
    if (sequence !== request.receipt.sequence)
        throw new Refusal("PopReceiptMismatch");
}
