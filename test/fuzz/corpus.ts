import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/**
 * Inputs that once reached code no other did: one JSON string a line, a character for each byte. `grow.ts`
 * adds to them; a run starts from them.
 */
const fileOf = (target: string): string => fileURLToPath(new URL(`./corpus/${target}.txt`, import.meta.url));

export function readCorpus(target: string): Buffer[] {
  const file = fileOf(target);
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "");
  return lines.map((line) => Buffer.from(JSON.parse(line) as string, "latin1"));
}

export function writeCorpus(target: string, inputs: readonly Uint8Array[]): void {
  const lines = inputs.map((input) => JSON.stringify(Buffer.from(input).latin1Slice()));
  writeFileSync(fileOf(target), lines.length === 0 ? "" : `${lines.join("\n")}\n`);
}
