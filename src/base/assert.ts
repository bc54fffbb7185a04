/** A broken invariant: a bug of ours. The process stops and restarts from durable state. */
export class InvariantBroken extends Error {
  override readonly name = "InvariantBroken";
}

export function assert(claim: boolean, message: string): asserts claim {
  if (!claim) throw new InvariantBroken(message);
}

export function unreachable(value: never): never {
  throw new InvariantBroken(`unreachable: ${String(value)}`);
}
