/**
 * A proof is a long run that tries to break a promise: kill the process a thousand times, cut the power, race
 * many writers. Each lives in a file of `test/prove` and exports it as `proof`.
 */
export interface Proof {
  /** Short, lower-case, with dashes: what `--only` takes. */
  readonly name: string;
  /** The promise, in one sentence. */
  readonly what: string;
  run(context: ProofContext): Promise<Verdict>;
}

export interface ProofContext {
  /** Minutes rather than hours: fewer rounds of the same thing. */
  readonly isQuick: boolean;
  /** A directory of its own, removed when the proof holds and kept for the investigation when it does not. */
  readonly directory: string;
  /** Printed with the verdict, so that a failure can be run again as it was. */
  readonly seed: number;
  progress(text: string): void;
}

export interface Verdict {
  readonly holds: boolean;
  /** What was measured, in a few words: "0 of 1,000 acknowledged writes lost". */
  readonly figure: string;
}

export interface Outcome extends Verdict {
  readonly name: string;
  readonly what: string;
  readonly seed: number;
  readonly millis: number;
}

/** Whether a module of `test/prove` exports a proof; a helper beside them does not. */
export function isProof(value: unknown): value is Proof {
  const proof = value as Partial<Proof> | undefined;
  return typeof proof?.name === "string" && typeof proof.what === "string" && typeof proof.run === "function";
}
