/** A broken invariant: a bug of ours. The process stops and restarts from durable state. */
export class InvariantBroken extends Error {
  override readonly name = "InvariantBroken";
}

/** Pass a message that has to be composed as a function: it is composed only when the claim fails. */
export function assert(claim: boolean, message: string | (() => string)): asserts claim {
  if (!claim) throw new InvariantBroken(typeof message === "string" ? message : message());
}
