import { parseArgs } from "node:util";
import { readCorpus, writeCorpus } from "./corpus.ts";
import { Fuzzer, printFinding } from "./fuzzer.ts";
import { REAL_TARGETS } from "./targets.ts";

/**
 * Fuzzes for a while and keeps what reached something new:
 *
 *   node --import tsx test/fuzz/grow.ts [--seconds 30] [--seed 1] [target ...]
 *
 * A corpus stays small: inputs of a KiB at most, and no more of them than a review can bear.
 */
const ENTRIES_MAX = 120;
const ENTRY_BYTES_MAX = 1_024;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seconds: { type: "string", default: "30" }, seed: { type: "string", default: "1" } },
});
const names = positionals.length > 0 ? positionals : REAL_TARGETS.map(({ name }) => name);
const fuzzer = new Fuzzer();
let findings = 0;
for (const target of names) {
  const before = readCorpus(target).length;
  const result = await fuzzer.run({
    target,
    seed: Number(values.seed),
    millisMax: Number(values.seconds) * 1_000,
  });
  for (const finding of result.findings) process.stdout.write(`${printFinding(target, finding)}\n`);
  findings += result.findings.length;
  const kept = result.kept.filter((input) => input.length <= ENTRY_BYTES_MAX).slice(0, ENTRIES_MAX);
  if (kept.length > 0) writeCorpus(target, kept);
  const { executed, blocks, slowest, grownBytes } = result;
  process.stdout.write(
    `${target}: ${executed} inputs, ${blocks} blocks, slowest ${slowest.toFixed(1)} ms, heap +${Math.round(grownBytes / 2 ** 20)} MiB, corpus ${before} -> ${kept.length}, ${result.findings.length} findings\n`,
  );
}
fuzzer.close();
process.exit(findings === 0 ? 0 : 1);
