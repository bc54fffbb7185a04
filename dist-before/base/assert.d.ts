/** A broken invariant: a bug of ours. The process stops and restarts from durable state. */
export declare class InvariantBroken extends Error {
    readonly name = "InvariantBroken";
}
export declare function assert(claim: boolean, message: string): asserts claim;
export declare function unreachable(value: never): never;
