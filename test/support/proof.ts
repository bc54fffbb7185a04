/**
 * A promise that takes longer to check than a test may take: `npm run prove` runs each of these. A proof
 * lives in a file of `test/prove` and is exported as `proof`.
 */
export interface Proof {
  /** Short, lower-case, with dashes: what `--only` takes. */
  readonly name: string;
  /** The promise, in one sentence. */
  readonly what: string;
  /** About how long the usual run of it takes on 2 cores: the longest begin first. */
  readonly minutes: number;
  /** Its figures are times or memory, so nothing may run beside it. */
  readonly isAlone?: boolean;
  run(context: ProofContext): Promise<ProofVerdict>;
}

export interface ProofVerdict {
  readonly ok: boolean;
  readonly summary: string;
  /** Nothing was proven, as the machine does not allow it; the summary says what is missing. */
  readonly isNotRun?: boolean;
}

/**
 * The usual run takes an hour for all proofs together, the quick one five minutes, the long one several
 * hours.
 */
export type ProofLength = "quick" | "usual" | "long";

export interface ProofContext {
  /** More or fewer rounds of the same thing. */
  readonly length: ProofLength;
  progress(text: string): void;
  /** Printed with the verdict, so that a failure can be run again as it was. */
  readonly seed: number;
  /** A directory of its own, removed when the proof holds and kept for the investigation when it does not. */
  readonly directory: string;
}

export interface ProofOutcome extends ProofVerdict {
  readonly name: string;
  readonly what: string;
  readonly seed: number;
  readonly millis: number;
}

/** Whether what a module of `test/prove` exports is a proof; a helper beside them exports none. */
export function isProof(value: unknown): value is Proof {
  const proof = value as Partial<Proof> | undefined;
  return (
    typeof proof?.name === "string" &&
    typeof proof.what === "string" &&
    typeof proof.minutes === "number" &&
    typeof proof.run === "function"
  );
}
