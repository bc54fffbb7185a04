import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/**
 * Programs of the system that some tests talk to: real clients, not packages of npm. What is missing is
 * installed when this is Debian and we may; otherwise the tests that need it skip themselves and say why.
 */
export interface NeededProgram {
  readonly program: string;
  /** A module the system's Python must have for it: a package may bring no program of its own. */
  readonly python?: string;
  /** Its Debian package. */
  readonly pack: string;
  readonly why: string;
}

export const NEEDED: readonly NeededProgram[] = [
  { program: "strace", pack: "strace", why: "makes a sync fail" },
  { program: "smbclient", pack: "smbclient", why: "a client of SMB" },
  { program: "smbtorture", pack: "samba-testsuite", why: "Samba's own tests of SMB servers" },
  { program: "python3", python: "impacket", pack: "python3-impacket", why: "a client of SMB in Python" },
  { program: "rclone", pack: "rclone", why: "a client of blobs" },
  { program: "restic", pack: "restic", why: "backs up to blobs" },
  { program: "pgbouncer", pack: "pgbouncer", why: "a pooler before PostgreSQL" },
  { program: "mkfs.ext4", pack: "e2fsprogs", why: "makes a disk small enough to fill" },
];

export interface System {
  has(program: string): boolean;
  readonly isRoot: boolean;
  /** Runs a command and says whether it succeeded. */
  run(command: string, args: readonly string[]): boolean;
}

export const thisSystem: System = {
  has: (program) =>
    (process.env.PATH ?? "")
      .split(delimiter)
      .some((folder) => folder !== "" && existsSync(join(folder, program))),
  isRoot: process.getuid?.() === 0,
  run: (command, args) =>
    spawnSync(command, [...args], {
      stdio: "ignore",
      timeout: 300_000,
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    }).status === 0,
};

/** Returns the line that says what was done, or why nothing was. */
export function installMissing(needed: readonly NeededProgram[], system: System): string {
  if (needed.length === 0) return "no program of the system is needed";
  const isThere = ({ program, python }: NeededProgram): boolean =>
    system.has(program) &&
    (python === undefined || system.run("/usr/bin/python3", ["-c", `import ${python}`]));
  const missing = needed.filter((one) => !isThere(one));
  if (missing.length === 0) return `all there: ${needed.map(({ program }) => program).join(", ")}`;
  const list = missing.map(({ program, why }) => `${program} (${why})`).join(", ");
  if (!system.isRoot) return `missing: ${list}; not installed, because we are not root`;
  if (!system.has("apt-get")) return `missing: ${list}; not installed, because there is no apt-get`;
  const packs = missing.map(({ pack }) => pack);
  const install = (): boolean =>
    system.run("apt-get", ["install", "-y", "--no-install-recommends", ...packs]);
  // The lists may be old or absent: try first, because fetching them takes longer than the rest.
  if (install() || (system.run("apt-get", ["update"]) && install())) return `installed: ${packs.join(", ")}`;
  return `missing: ${list}; apt-get could not install them (no network?)`;
}
