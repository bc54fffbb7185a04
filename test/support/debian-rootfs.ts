import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { installMissing, type NeededProgram, thisSystem } from "../../scripts/test/programs.ts";
import type { ProofVerdict } from "./proof.ts";

/** Debian as a tree of files, for proofs of installation on machines without a registry of images. */
const CA_BUNDLE = "/etc/ssl/certs/ca-certificates.crt";
export const REPOSITORY = join(import.meta.dirname, "..", "..");

/** The reason why such a proof cannot run here. */
export function missingFor(programs: readonly NeededProgram[]): ProofVerdict | undefined {
  const said = installMissing(programs, thisSystem);
  const missing = programs.filter(({ program }) => !thisSystem.has(program));
  const not = (summary: string): ProofVerdict => ({ ok: true, isNotRun: true, summary });
  if (process.getuid?.() !== 0) return not("needs root");
  return missing.length === 0 ? undefined : not(said);
}

export const DEBOOTSTRAP: NeededProgram = {
  program: "debootstrap",
  pack: "debootstrap",
  why: "makes a Debian to install into",
};

/** Runs a command to its end; throws with its output when it fails. */
export function must(command: string, args: readonly string[], cwd = "/"): string {
  const options = { cwd, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 } as const;
  const done = spawnSync(command, [...args], options);
  if (done.status !== 0)
    throw new Error(`${command} ${args.join(" ")}: ${done.error?.message ?? done.stdout + done.stderr}`);
  return done.stdout;
}

/** About as small as the slim images of Docker Hub. */
export function makeRootfs(directory: string): void {
  must("debootstrap", ["--variant=minbase", "--include=ca-certificates", "bookworm", directory]);
  for (const name of [
    "usr/share/doc",
    "usr/share/man",
    "usr/share/locale",
    "var/cache/apt",
    "var/lib/apt/lists",
  ])
    rmSync(join(directory, name), { recursive: true, force: true });
  mkdirSync(join(directory, "var/cache/apt/archives/partial"), { recursive: true });
  mkdirSync(join(directory, "var/lib/apt/lists/partial"), { recursive: true });
  // The machine may reach mirrors through a proxy with a certificate of its own.
  if (existsSync(CA_BUNDLE)) cpSync(CA_BUNDLE, join(directory, CA_BUNDLE), { dereference: true });
  writeFileSync(join(directory, "etc/resolv.conf"), readFileSync("/etc/resolv.conf"));
}

/** The Node.js and the npm that run this, where images have them. */
export function addNode(directory: string): void {
  cpSync(process.execPath, join(directory, "usr/local/bin/node"), { dereference: true });
  const npm = dirname(dirname(must("readlink", ["-f", must("which", ["npm"]).trim()]).trim()));
  cpSync(npm, join(directory, "usr/local/lib/node_modules/npm"), { recursive: true });
  for (const name of ["npm", "npx"])
    must("ln", ["-sf", `../lib/node_modules/npm/bin/${name}-cli.js`, join(directory, "usr/local/bin", name)]);
}
