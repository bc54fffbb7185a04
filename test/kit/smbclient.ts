import { spawn, spawnSync } from "node:child_process";

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

export interface SmbClientResult {
  readonly code: number;
  readonly output: string;
}

export function smbclient(run: SmbClientRun): Promise<SmbClientResult> {
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
  return new Promise((resolve, reject) => {
    const child = spawn("smbclient", args, { cwd: run.directory ?? "/tmp", timeout: 120_000 });
    const pieces: Buffer[] = [];
    child.stdout.on("data", (piece: Buffer) => pieces.push(piece));
    child.stderr.on("data", (piece: Buffer) => pieces.push(piece));
    child.on("error", reject);
    child.on("close", (code) => resolve({ code: code ?? -1, output: Buffer.concat(pieces).toString() }));
  });
}
