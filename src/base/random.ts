import { randomBytes, randomFillSync, randomUUID } from "node:crypto";

/** Randomness enters here, so that a test can use a seed. */
export interface Random {
  bytes(count: number): Buffer;
  uuid(): string;
  /** A float in [0, 1). */
  fraction(): number;
}

const word = new Uint32Array(1);

export const systemRandom: Random = {
  bytes: (count) => randomBytes(count),
  uuid: () => randomUUID(),
  fraction: () => randomFillSync(word)[0]! / 2 ** 32,
};

/** The same sequence for the same seed (xorshift32): for tests and load generators, never for secrets. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0 || 1;
  const next = (): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
  const bytes = (count: number): Buffer => {
    const out = Buffer.allocUnsafe(count);
    for (let i = 0; i < count; i++) out[i] = next() & 0xff;
    return out;
  };
  return {
    bytes,
    uuid: () => {
      const hex = bytes(16).toString("hex");
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
    },
    fraction: () => next() / 2 ** 32,
  };
}
