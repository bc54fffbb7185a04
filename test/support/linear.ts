import { monotonic } from "../../src/base/clock.ts";

/** The fastest of five runs, so that a moment's noise on the machine does not count. */
export function fastest(run: () => void): number {
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 5; i++) {
    const startedAt = monotonic();
    run();
    best = Math.min(best, monotonic() - startedAt);
  }
  return best;
}

/** Where results go, so that no compiler finds out that nobody needs them. */
export let sink = 0;

/**
 * How many times as long as a plain walk over as many bytes takes, here and now. A reader that is linear
 * stays in the dozens whatever the machine; one that is quadratic reaches millions.
 */
export function walksOver(bytes: number, run: () => void): number {
  const block = Buffer.alloc(bytes, 7);
  const walk = fastest(() => {
    for (let i = 0; i < block.length; i++) sink = (sink * 31 + block[i]!) | 0;
  });
  return fastest(run) / Math.max(walk, 0.01);
}
