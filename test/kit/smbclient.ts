import { spawnSync } from "node:child_process";
import { type ProgramRun, runProgram } from "./run-program.ts";

/** Runs Debian's smbclient; undefined with a reason when it is not installed. */
export const SMBCLIENT_MISSING =
  spawnSync("smbclient", ["--version"]).status === 0
    ? undefined
    : "smbclient is not installed (apt-get install smbclient)";

export interface SmbClientRun {
  readonly port: number;
  readonly share: string;
  readonly user: string;
  readonly password: string;
  readonly protocol?: string;
  readonly protection?: "sign" | "encrypt" | "off";
  readonly options?: readonly string[];
  /** Commands as smbclient takes them; without them the shares are listed. */
  readonly commands?: readonly string[];
  readonly directory?: string;
}

export function smbclient(run: SmbClientRun): Promise<ProgramRun> {
  const { port, share, user, password, protocol = "SMB3_11", protection = "sign" } = run;
  const target = run.commands === undefined ? ["-L", "127.0.0.1"] : [`//127.0.0.1/${share}`];
  const commands = run.commands === undefined ? [] : ["-c", run.commands.join("; ")];
  const options = (run.options ?? []).flatMap((option) => ["--option", option]);
  const args = [
    ...target,
    "-p",
    String(port),
    "-m",
    protocol,
    `--client-protection=${protection}`,
    ...options,
    "-U",
    `${user}%${password}`,
    ...commands,
  ];
  return runProgram("smbclient", args, run.directory === undefined ? {} : { directory: run.directory });
}
