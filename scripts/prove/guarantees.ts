import { readFileSync, writeFileSync } from "node:fs";
import type { ProofLength, ProofOutcome } from "../../test/support/proof.ts";

/**
 * Writes the last figures of every proof into the guarantees document. A proof that did not run keeps its
 * entry.
 */
const BEGIN = "<!-- figures: written by npm run prove -- --docs -->";
const END = "<!-- end of figures -->";

export function withSummaries(
  document: string,
  outcomes: readonly ProofOutcome[],
  length: ProofLength,
): string {
  const from = document.indexOf(BEGIN);
  const to = document.indexOf(END);
  if (from < 0 || to < from) throw new Error(`the document has no place for figures: ${BEGIN} ... ${END}`);
  const rows = new Map<string, string>();
  for (const line of document.slice(from, to).split("\n")) {
    const name = /^\| `([\w-]+)` \|/.exec(line)?.[1];
    if (name !== undefined) rows.set(name, line);
  }
  for (const { name, what, ok, isNotRun, summary } of outcomes) {
    if (isNotRun === true) continue;
    const first = summary.split("\n", 1)[0]!.replaceAll("|", "/");
    rows.set(name, `| \`${name}\` | ${what} | ${ok ? "holds" : "BROKEN"} (${length}) | ${first} |`);
  }
  const table = [
    BEGIN,
    "| proof | what it watches | last verdict | figures |",
    "| --- | --- | --- | --- |",
    ...[...rows].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row),
    "",
  ].join("\n");
  return document.slice(0, from) + table + document.slice(to);
}

export function writeSummaries(path: string, outcomes: readonly ProofOutcome[], length: ProofLength): void {
  writeFileSync(path, withSummaries(readFileSync(path, "utf8"), outcomes, length));
}
