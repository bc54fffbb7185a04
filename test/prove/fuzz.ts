import { Fuzzer, printFinding } from "../fuzz/fuzzer.ts";
import { MUTANT_TARGETS, REAL_TARGETS } from "../fuzz/targets.ts";
import type { Proof } from "../support/proof.ts";

/** For each target. */
const MILLIS = { quick: 250, usual: 5_000, long: 20_000 };
const TARGETS_MIN = 12;

/** Bugs put in on purpose come first: a fuzzer that misses them proves nothing about the rest. */
export const proof: Proof = {
  name: "fuzz",
  what: "no input crashes a parser, blocks it for more than 100 ms or makes the heap grow",
  minutes: 5,
  isAlone: true,
  async run({ length, progress, seed }) {
    const fuzzer = new Fuzzer();
    const millisMax = MILLIS[length];
    let [inputs, blocks, slowest, grown] = [0, 0, 0, 0];
    const findings: string[] = [];
    try {
      for (const { name: target } of MUTANT_TARGETS) {
        const limits = { inputs: 200_000, millisMax: 30_000, findingsMax: 1 };
        const mutants = await fuzzer.run({ target, seed, ...limits });
        if (mutants.findings.length === 0) return { ok: false, summary: `${target} was not found` };
      }
      progress(`${MUTANT_TARGETS.length} mutants found`);
      for (const { name: target } of REAL_TARGETS) {
        const result = await fuzzer.run({ target, seed, millisMax });
        inputs += result.executed;
        blocks += result.blocks;
        slowest = Math.max(slowest, result.slowest);
        grown = Math.max(grown, result.grownBytes);
        findings.push(...result.findings.map((finding) => printFinding(target, finding)));
        progress(
          `${target}: ${result.executed} inputs, ${result.blocks} blocks, ${result.findings.length} findings`,
        );
      }
    } finally {
      fuzzer.close();
    }
    const heap = Math.round(grown / 2 ** 20);
    const summary =
      `${REAL_TARGETS.length} targets, ${inputs} inputs, ${blocks} blocks, ${findings.length} findings; ` +
      `slowest input ${slowest.toFixed(0)} ms, heap +${heap} MiB, ${MUTANT_TARGETS.length} mutants found`;
    return {
      ok: findings.length === 0 && REAL_TARGETS.length >= TARGETS_MIN,
      summary: [summary, ...findings].join("\n"),
    };
  },
};
