/** A promise that takes longer to check than a test may take: `npm run prove` runs each of these. */
export interface Proof {
  readonly name: string;
  readonly what: string;
  run(context: ProofContext): Promise<{ ok: boolean; figure: string }>;
}

export interface ProofContext {
  readonly quick: boolean;
  progress(text: string): void;
  readonly seed: number;
}
