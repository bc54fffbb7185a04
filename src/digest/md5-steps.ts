/** The constants of the 64 steps of MD5. */
export const MD5_START = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];

/** Rotations of the steps of each round, repeated every four steps. */
const ROTATIONS = [
  [7, 12, 17, 22],
  [5, 9, 14, 20],
  [4, 11, 16, 23],
  [6, 10, 15, 21],
];

/** Which word of the block each step of a round uses. */
const WORDS = [
  (step: number) => step,
  (step: number) => 5 * step + 1,
  (step: number) => 3 * step + 5,
  (step: number) => 7 * step,
];

export function rotationOf(step: number): number {
  return ROTATIONS[step >> 4]![step & 3]!;
}

export function wordOf(step: number): number {
  return WORDS[step >> 4]!(step & 15) & 15;
}

export function constantOf(step: number): number {
  return Math.floor(Math.abs(Math.sin(step + 1)) * 2 ** 32);
}
