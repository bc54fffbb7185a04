/** A broken invariant: a bug of ours. The process stops and restarts from durable state. */
export class InvariantBroken extends Error {
    name = "InvariantBroken";
}
export function assert(claim, message) {
    if (!claim)
        throw new InvariantBroken(message);
}
export function unreachable(value) {
    throw new InvariantBroken(`unreachable: ${String(value)}`);
}
