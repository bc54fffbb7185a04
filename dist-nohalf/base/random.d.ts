/** Randomness enters here, so a test can hold a seed. */
export interface Random {
    bytes(count: number): Buffer;
    uuid(): string;
    /** A float in [0, 1). */
    fraction(): number;
}
export declare const systemRandom: Random;
/** The same sequence for the same seed (xorshift32): for tests and load generators, never for secrets. */
export declare function seededRandom(seed: number): Random;
