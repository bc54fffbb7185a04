/**
 * What is fuzzed: a place where bytes of a stranger are read. A target turns one input into one call (or one
 * exchange with a server of its own); refusals are what it expects, anything else that is thrown is a
 * finding.
 */
export interface FuzzTarget {
  /** Lower-case, with dashes: names the corpus file too. */
  readonly name: string;
  /** Good inputs to start from. */
  readonly seeds: readonly (string | Buffer)[];
  /** Words of the language, which mutations put in. */
  readonly words?: readonly string[];
  open(): Promise<FuzzRun> | FuzzRun;
}

export interface FuzzRun {
  run(input: Buffer): void | Promise<void>;
  close?(): Promise<void>;
}

type Refused = abstract new (...args: never[]) => Error;

/** A target that is one plain function: errors of the classes named are its refusals. */
export function plainTarget(
  name: string,
  options: Pick<FuzzTarget, "seeds" | "words"> & {
    readonly refusals: readonly Refused[];
    readonly read: (input: Buffer) => unknown;
  },
): FuzzTarget {
  const { seeds, words = [], refusals, read } = options;
  const isRefusal = (error: unknown): boolean => refusals.some((kind) => error instanceof kind);
  return {
    name,
    seeds,
    words,
    open: () => ({
      run: (input) => {
        try {
          const result = read(input);
          if (!(result instanceof Promise)) return undefined;
          return result.then(
            () => undefined,
            (error) => {
              if (!isRefusal(error)) throw error;
            },
          );
        } catch (error) {
          if (!isRefusal(error)) throw error;
        }
        return undefined;
      },
    }),
  };
}
