import { hash } from "node:crypto";
import { blocksOf, LANE_BYTES_MAX, LANES, Md5Lanes } from "./md5-lanes.ts";

/** From so many on, side by side is faster than one after another. */
const TOGETHER_MIN = 3;

interface Asked {
  readonly bytes: Uint8Array;
  resolve(digest: string): void;
}

let asked: Asked[] = [];
let arrived: Asked[] = [];
let isTickAwaited = false;
// Started by its first use: most processes that import this never compute so many.
let lanes: Md5Lanes | undefined;

/**
 * The MD5 of a piece, base64, before this turn of the event loop ends. Who asks for one when a commit has ended is
 * seldom alone: all who shared the commit go on at the same moment, and their digests are computed side by side.
 */
export function md5Batched(bytes: Uint8Array): Promise<string> {
  return new Promise((resolve) => {
    asked.push({ bytes, resolve });
    if (asked.length === 1) queueMicrotask(answerAsked);
  });
}

/**
 * The same of a body that has just arrived. Others come one after another in the same turn of the event loop: eight are
 * computed when the eighth is there, the rest when the turn ends. `underWay` is how many the caller has at work, this
 * one with them: with few of them nobody else is about to come.
 */
export function md5OfArrived(bytes: Uint8Array, inFlight: number): string | Promise<string> {
  if (inFlight < LANES) return hash("md5", bytes, "base64");
  return new Promise((resolve) => {
    if (arrived.push({ bytes, resolve }) === LANES) answerArrived();
    else if (!isTickAwaited) {
      isTickAwaited = true;
      setImmediate(() => {
        isTickAwaited = false;
        answerArrived();
      });
    }
  });
}

function answerAsked(): void {
  const all = asked;
  asked = [];
  answer(all);
}

function answerArrived(): void {
  const all = arrived;
  arrived = [];
  answer(all);
}

function answer(all: readonly Asked[]): void {
  const [first] = all;
  if (first === undefined) return;
  const blocks = blocksOf(first.bytes.length);
  // Nearly always: who writes many small pieces at once writes pieces of one length.
  if (all.length <= LANES && all.every(({ bytes }) => blocksOf(bytes.length) === blocks)) answerAlike(all);
  else answerByBlocks(all);
}

function answerByBlocks(all: readonly Asked[]): void {
  const byBlocks = new Map<number, Asked[]>();
  for (const one of all) {
    const blocks = blocksOf(one.bytes.length);
    const alike = byBlocks.get(blocks);
    if (alike === undefined) byBlocks.set(blocks, [one]);
    else alike.push(one);
  }
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
  for (let lane = 0; lane < alike.length; lane++) alike[lane]!.resolve(digests[lane]!);
}
