import type { Receipt } from "../../concurrency/visibility.ts";
/**
 * Whether the id in the address and the receipt speak of the same message. An id that was never given out for the
 * present contents of the queue names nothing; one that was, with the receipt of another message, is a mix-up.
 */
export declare function checkNamed(request: {
    readonly contents: bigint;
    readonly messageId: string;
    readonly receipt: Receipt;
}): void;
