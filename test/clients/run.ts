import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { thisSystem } from "../../scripts/test/programs.ts";
import { seededRandom } from "../../src/base/random.ts";

/** Programs people already use, run against a server of ours as they come. */

export interface Ran {
  readonly out: string;
  readonly millis: number;
}

/** Runs a program to its end; throws with everything it printed when it fails. */
export function run(
  program: string,
  args: readonly string[],
  options: { readonly env?: Record<string, string>; readonly timeout?: number } = {},
): Promise<Ran> {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...args], {
      env: { ...process.env, ...options.env },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: options.timeout ?? 300_000,
    });
    let out = "";
    let all = "";
    child.stdout.on("data", (chunk: Buffer) => {
      out += chunk;
      all += chunk;
    });
    child.stderr.on("data", (chunk: Buffer) => {
      all += chunk;
    });
    child.on("error", reject);
    child.on("close", (code, signal) => {
      if (code === 0) resolve({ out, millis: performance.now() - startedAt });
      else
        reject(new Error(`${program} ${args.join(" ")} ended with ${code ?? signal}:\n${all.slice(-9_000)}`));
    });
  });
}

/** Undefined when the program is there; otherwise why what needs it cannot run. */
export function missing(program: string): string | undefined {
  return thisSystem.has(program)
    ? undefined
    : `${program} is not installed (Debian has a package of that name)`;
}

/** A tree of files of many sizes, the same for the same seed, with names that need care. */
export function makeTree(
  root: string,
  { files, seed }: { readonly files: number; readonly seed: number },
): void {
  const random = seededRandom(seed);
  for (let i = 0; i < files; i++) {
    const folder = join(root, `d${i % 17}`, i % 5 === 0 ? "deep er/ünder" : "");
    mkdirSync(folder, { recursive: true });
    const size = i % 100 === 0 ? 300_000 : Math.floor(random.fraction() * 3_000);
    writeFileSync(join(folder, `file ${i} +&=#%.txt`), random.bytes(i === 1 ? 0 : size));
  }
}

/** Every file with its bytes, by its path below the root. */
export function readTree(root: string): Map<string, Buffer> {
  const found = new Map<string, Buffer>();
  for (const name of readdirSync(root, { recursive: true, encoding: "utf8" })) {
    const path = join(root, name);
    if (statSync(path).isFile()) found.set(relative(root, path), readFileSync(path));
  }
  return found;
}

export function differences(one: Map<string, Buffer>, other: Map<string, Buffer>): string[] {
  const names = new Set([...one.keys(), ...other.keys()]);
  return [...names].filter((name) => !one.get(name)?.equals(other.get(name) ?? Buffer.of(0, 1)));
}
