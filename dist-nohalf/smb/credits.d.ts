export declare class CreditWindow {
    #private;
    /** Takes the ids of a request; false when it had no right to them. */
    take(messageId: bigint, charge: number): boolean;
    get available(): number;
    /** What is granted of `requested`: at least one while there is room, so that a client never starves. */
    grant(requested: number, creditsMax?: number): number;
}
/** Credits that a payload costs: one for each 64 KiB begun. */
export declare function chargeFor(bytes: number): number;
