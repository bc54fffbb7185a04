import type { Random } from "../../base/random.ts";
import type { Store } from "../../store/kv.ts";
/** What the operations on messages are made of. */
export interface QueueParts {
    readonly store: Store;
    readonly stamps: Stamps;
}
/**
 * Random stamps for receipts, drawn many at once: one draw costs as much as a whole transaction's reads. A stamp is
 * drawn before its transaction begins, because one that runs again must do the same again.
 */
export declare class Stamps {
    #private;
    constructor(random: Random);
    next(): bigint;
}
