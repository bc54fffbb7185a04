import { hash } from "node:crypto";
import { blocksOf, LANE_BYTES_MAX, LANES, Md5Lanes } from "./md5-lanes.ts";

/** From so many on, side by side is faster than one after another. */
const TOGETHER_MIN = 3;

interface Asked {
  readonly bytes: Uint8Array;
  resolve(digest: string): void;
}

let asked: Asked[] = [];
// Started by its first use: most processes that import this never compute so many.
let lanes: Md5Lanes | undefined;

/**
 * The MD5 of a piece, base64, before this turn of the event loop ends. Who asks for one when a commit has ended is
 * seldom alone: all who shared the commit go on at the same moment, and their digests are computed side by side.
 */
export function md5Soon(bytes: Uint8Array): Promise<string> {
  return new Promise((resolve) => {
    asked.push({ bytes, resolve });
    if (asked.length === 1) queueMicrotask(answer);
  });
}

function answer(): void {
  const byBlocks = new Map<number, Asked[]>();
  for (const one of asked) {
    const blocks = blocksOf(one.bytes.length);
    const alike = byBlocks.get(blocks);
    if (alike === undefined) byBlocks.set(blocks, [one]);
    else alike.push(one);
  }
  asked = [];
  for (const alike of byBlocks.values()) {
    for (let from = 0; from < alike.length; from += LANES) answerAlike(alike.slice(from, from + LANES));
  }
}

function answerAlike(alike: readonly Asked[]): void {
  if (alike.length < TOGETHER_MIN || alike.some(({ bytes }) => bytes.length > LANE_BYTES_MAX)) {
    for (const { bytes, resolve } of alike) resolve(hash("md5", bytes, "base64"));
    return;
  }
  lanes ??= new Md5Lanes();
  const digests = lanes.digests(alike.map(({ bytes }) => bytes));
  for (const [i, { resolve }] of alike.entries()) resolve(digests[i]!.toString("base64"));
}
