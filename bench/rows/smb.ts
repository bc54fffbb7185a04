import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monotonic } from "../../src/base/clock.ts";
import { systemRandom } from "../../src/base/random.ts";
import type { SmbContender } from "../samba.ts";

/**
 * What one smbclient does, timed from its start to its end: both servers have the same client in front of
 * them.
 */
export interface SmbRow {
  readonly name: string;
  readonly protection: "sign" | "encrypt";
  /** How much work one run is, in the unit that the rate is told in. */
  readonly amount: number;
  readonly unit: "MiB" | "files" | "entries";
  readonly prepare?: (files: SmbFiles) => readonly string[];
  readonly commands: (files: SmbFiles) => readonly string[];
}

/** Local files that the rows send; those of a gigabyte lie in memory when there is room. */
export interface SmbFiles {
  readonly large: string;
  readonly small: string;
  readonly many: string;
  readonly target: string;
  remove(): void;
}

const MIB = 1_024 * 1_024;
const LARGE_MIB = 1_024;
const SMALL_COUNT = 2_000;
const SMALL_BYTES = 4_096;
const MANY_COUNT = 10_000;

export function makeSmbFiles(): SmbFiles {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-bench-smb-"));
  const memory = mkdtempSync("/dev/shm/holdfast-bench-smb-");
  const large = join(memory, "large");
  const piece = systemRandom.bytes(16 * MIB);
  for (let at = 0; at < LARGE_MIB; at += 16) writeFileSync(large, piece, { flag: "a" });
  const fill = (name: string, count: number, bytes: number): string => {
    mkdirSync(join(memory, name));
    for (let index = 0; index < count; index++)
      writeFileSync(join(memory, name, `${name}-${index}`), piece.subarray(index * 16, index * 16 + bytes));
    return join(memory, name);
  };
  mkdirSync(join(memory, "target"));
  return {
    large,
    small: fill("small", SMALL_COUNT, SMALL_BYTES),
    many: fill("many", MANY_COUNT, 1),
    target: join(memory, "target"),
    remove: () => {
      for (const one of [folder, memory]) rmSync(one, { recursive: true, force: true });
    },
  };
}

const WAYS = ["sign", "encrypt"] as const;
const WORDS = { sign: "signed", encrypt: "encrypted" } as const;
const inFolder = (name: string, then: readonly string[]): string[] => [`cd ${name}`, "prompt off", ...then];

export const SMB_ROWS: readonly SmbRow[] = WAYS.flatMap((protection): SmbRow[] => {
  const told = `(3.1.1, ${WORDS[protection]})`;
  const small = `small-${protection}`;
  const many = `many-${protection}`;
  return [
    {
      name: `SMB put 1 GiB ${told}`,
      protection,
      amount: LARGE_MIB,
      unit: "MiB",
      commands: ({ large }) => [`put ${large} large-${protection}`],
    },
    {
      name: `SMB get 1 GiB ${told}`,
      protection,
      amount: LARGE_MIB,
      unit: "MiB",
      prepare: ({ large }) => [`put ${large} large-${protection}`],
      commands: () => [`get large-${protection} /dev/null`],
    },
    {
      name: `SMB mput 2,000 files of 4 KiB ${told}`,
      protection,
      amount: SMALL_COUNT,
      unit: "files",
      prepare: () => [`mkdir ${small}`],
      commands: (files) => inFolder(small, [`lcd ${files.small}`, "mput *"]),
    },
    {
      name: `SMB mget 2,000 files of 4 KiB ${told}`,
      protection,
      amount: SMALL_COUNT,
      unit: "files",
      commands: ({ target }) => inFolder(small, [`lcd ${target}`, "mget *"]),
    },
    {
      name: `SMB ls of 10,000 entries ${told}`,
      protection,
      amount: MANY_COUNT,
      unit: "entries",
      prepare: (files) => [`mkdir ${many}`, ...inFolder(many, [`lcd ${files.many}`, "mput *"])],
      commands: () => [`ls ${many}\\*`],
    },
  ];
});

/** Seconds that one smbclient takes for these commands. */
export function runSmbclient(
  server: SmbContender,
  protection: SmbRow["protection"],
  commands: readonly string[],
): Promise<number> {
  const args = [
    "//127.0.0.1/bench",
    ...["-p", String(server.port), "-m", "SMB3_11", `--client-protection=${protection}`],
    ...["-U", `${server.user}%${server.password}`, "-c", commands.join("; ")],
  ];
  const start = monotonic();
  return new Promise((resolve, reject) => {
    let said = "";
    const child = spawn("smbclient", args, { stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (piece: Buffer) => {
        said = (said + piece.toString()).slice(-400);
      });
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0) resolve((monotonic() - start) / 1_000);
      else reject(new Error(`smbclient at ${server.name}, ${commands.join("; ")}: ${said}`));
    });
  });
}
