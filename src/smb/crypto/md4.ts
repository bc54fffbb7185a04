/** MD4 (RFC 1320), the password hash of NTLM. OpenSSL 3 no longer offers it. */
const SHIFTS = [
  [3, 7, 11, 19],
  [3, 5, 9, 13],
  [3, 9, 11, 15],
] as const;

const ORDERS = [
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
  [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15],
  [0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15],
] as const;

const CONSTANTS = [0, 0x5a82_7999, 0x6ed9_eba1] as const;

const MIXES: readonly ((x: number, y: number, z: number) => number)[] = [
  (x, y, z) => (x & y) | (~x & z),
  (x, y, z) => (x & y) | (x & z) | (y & z),
  (x, y, z) => x ^ y ^ z,
];

export function md4(data: Buffer): Buffer {
  const padded = Buffer.alloc(((data.length + 8) >> 6) * 64 + 64);
  padded.set(data);
  padded[data.length] = 0x80;
  padded.writeBigUInt64LE(BigInt(data.length) * 8n, padded.length - 8);
  const state = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];
  for (let block = 0; block < padded.length; block += 64) {
    let [a, b, c, d] = state as [number, number, number, number];
    for (let round = 0; round < 3; round++) {
      for (let step = 0; step < 16; step++) {
        const word = padded.readInt32LE(block + ORDERS[round]![step]! * 4);
        const sum = (a + MIXES[round]!(b, c, d) + word + CONSTANTS[round]!) | 0;
        const shift = SHIFTS[round]![step % 4]!;
        [a, b, c, d] = [d, (sum << shift) | (sum >>> (32 - shift)), b, c];
      }
    }
    state[0] = (state[0]! + a) | 0;
    state[1] = (state[1]! + b) | 0;
    state[2] = (state[2]! + c) | 0;
    state[3] = (state[3]! + d) | 0;
  }
  const digest = Buffer.alloc(16);
  for (const [index, word] of state.entries()) digest.writeInt32LE(word | 0, index * 4);
  return digest;
}
