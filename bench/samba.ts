import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installMissing, thisSystem } from "../scripts/test/programs.ts";
import { freePorts } from "../test/support/azurite.ts";
import { drive } from "./load.ts";
import { type Launch, startHoldfast, stop } from "./servers.ts";
import { ACCOUNT, KEY, signed } from "./sign.ts";

/** A server with a share called `bench`, as smbclient logs in to it. */
export interface SmbContender {
  readonly name: "holdfast" | "base" | "samba";
  readonly port: number;
  readonly user: string;
  readonly password: string;
  stop(): Promise<void>;
}

const CLIENT = { program: "smbclient", pack: "smbclient", why: "the client of the SMB rows" };
const SAMBA = { program: "smbd", pack: "samba", why: "the server that the SMB rows compare with" };
const PASSWORD = "bench-Secret-1";
/** Debian keeps servers in a directory that is not on the PATH of ordinary users. */
const SBIN = "/usr/sbin";

/** Why the SMB rows cannot be measured here; undefined when they can. A run against a base needs no Samba. */
export function smbIsMissing({ needsSamba }: { readonly needsSamba: boolean }): string | undefined {
  process.env.PATH = `${process.env.PATH ?? ""}:${SBIN}`;
  const needed = needsSamba ? [CLIENT, SAMBA] : [CLIENT];
  const report = installMissing(needed, thisSystem);
  if (needed.some(({ program }) => !thisSystem.has(program))) return report;
  return thisSystem.isRoot || !needsSamba ? undefined : "smbd of Debian starts only as root";
}

export async function startHoldfastSmb(launch: Launch = {}): Promise<SmbContender> {
  const holdfast = await startHoldfast(launch);
  const request = signed(
    { method: "PUT", path: "/bench", query: { restype: "share" }, service: "file" },
    holdfast.ports.file,
  );
  await drive({ port: holdfast.ports.file, requests: [request], connections: 1, seconds: 1 });
  const { smb } = holdfast.ports as unknown as { readonly smb: number };
  return {
    name: launch.name ?? "holdfast",
    port: smb,
    user: ACCOUNT,
    password: KEY.toString("base64"),
    stop: () => holdfast.stop(),
  };
}

/** Samba with its defaults, on a configuration, a port and directories of its own. */
export async function startSamba(): Promise<SmbContender> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-bench-samba-"));
  const [port] = await freePorts(1);
  const at = (name: string): string => {
    mkdirSync(join(folder, name), { recursive: true });
    return join(folder, name);
  };
  const config = join(folder, "smb.conf");
  writeFileSync(
    config,
    `[global]
  interfaces = 127.0.0.1
  bind interfaces only = yes
  smb ports = ${port}
  disable netbios = yes
  server min protocol = SMB2_10
  ntlm auth = ntlmv2-only
  load printers = no
  log level = 0
  log file = ${at("log")}/log
  pid directory = ${at("pid")}
  lock directory = ${at("lock")}
  state directory = ${at("state")}
  cache directory = ${at("cache")}
  private dir = ${at("private")}
  ncalrpc dir = ${at("rpc")}
  passdb backend = tdbsam:${at("private")}/passdb.tdb
[bench]
  path = ${at("share")}
  read only = no
`,
  );
  const added = spawnSync("smbpasswd", ["-c", config, "-a", "-s", "root"], {
    input: `${PASSWORD}\n${PASSWORD}\n`,
  });
  if (added.status !== 0) throw new Error(`smbpasswd: ${added.stderr}`);
  // In a process group of its own: an smbd that stops signals its whole group, which would include the
  // benchmark.
  const child = spawn("smbd", ["--foreground", "--no-process-group", "-s", config], {
    stdio: "ignore",
    detached: true,
  });
  await untilOpen(port!);
  return {
    name: "samba",
    port: port!,
    user: "root",
    password: PASSWORD,
    stop: async () => {
      await stop(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function untilOpen(port: number): Promise<void> {
  for (let tries = 0; ; tries++) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => {
        socket.destroy();
        resolve(true);
      });
      socket.on("error", () => resolve(false));
    });
    if (isOpen) return;
    if (tries > 100) throw new Error("smbd did not start");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
