/** A broken invariant: a bug of ours. The process stops and restarts from durable state. */
export class InvariantBroken extends Error {
  override readonly name = "InvariantBroken";
}

/**
 * A message that has to be put together is given as a function: most claims hold, and are made very often.
 */
export function assert(claim: boolean, message: string | (() => string)): asserts claim {
  if (!claim) throw new InvariantBroken(typeof message === "string" ? message : message());
}
