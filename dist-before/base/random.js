import { randomBytes, randomFillSync, randomUUID } from "node:crypto";
const word = new Uint32Array(1);
export const systemRandom = {
    bytes: (count) => randomBytes(count),
    uuid: () => randomUUID(),
    fraction: () => randomFillSync(word)[0] / 2 ** 32,
};
/** The same sequence for the same seed (xorshift32): for tests and load generators, never for secrets. */
export function seededRandom(seed) {
    let state = seed >>> 0 || 1;
    const next = () => {
        state ^= state << 13;
        state ^= state >>> 17;
        state ^= state << 5;
        return state >>> 0;
    };
    const bytes = (count) => {
        const out = Buffer.allocUnsafe(count);
        for (let i = 0; i < count; i++)
            out[i] = next() & 0xff;
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
