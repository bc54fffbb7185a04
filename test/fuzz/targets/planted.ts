import { plainTarget } from "../target.ts";

/**
 * Bugs put in on purpose, behind a few steps of a language: a fuzzer that does not find them is worth
 * nothing.
 */
class Expected extends Error {}

function startsLike(input: Buffer): string {
  const text = input.latin1Slice();
  if (!text.startsWith("open ")) throw new Expected("no command");
  const rest = text.slice(5);
  if (!/^\d+;/.test(rest)) throw new Expected("no number");
  return rest.slice(rest.indexOf(";") + 1);
}

export const MUTANT_CRASH = plainTarget("planted-crash", {
  seeds: ["open 12;name"],
  words: ["close", "open"],
  refusals: [Expected],
  read: (input) => {
    const rest = startsLike(input);
    // Step by step: each is a block that coverage shows, and the last needs all of them.
    if (!rest.includes("close")) throw new Expected("not closed");
    const at = rest.indexOf("(");
    if (at < 0) throw new Expected("no list");
    if (rest.indexOf("(", at + 1) > 0) throw new RangeError("planted");
  },
});

export const MUTANT_HANG = plainTarget("planted-hang", {
  seeds: ["open 12;aaaa"],
  refusals: [Expected],
  // The classic: nested repetition, exponential in what almost fits.
  read: (input) => /^(a+)+$/.test(startsLike(input)),
});

export const MUTANT_LOOP = plainTarget("planted-loop", {
  seeds: ["open 12;next 4"],
  refusals: [Expected],
  read: (input) => {
    const rest = startsLike(input);
    const step = Number.parseInt(rest.slice(5), 10);
    if (Number.isNaN(step)) throw new Expected("no step");
    for (let at = 0; at < 100; at += step);
  },
});

const kept: Buffer[] = [];

export const MUTANT_LEAK = plainTarget("planted-leak", {
  seeds: ["open 12;keep"],
  refusals: [Expected],
  read: (input) => {
    startsLike(input);
    kept.push(Buffer.alloc(64 * 1_024, input));
  },
});
