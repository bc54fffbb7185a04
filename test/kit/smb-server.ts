import { type Clock, systemClock, systemTimers, type Timers } from "../../src/base/clock.ts";
import { ConnectionLimit } from "../../src/base/connection-limit.ts";
import { systemRandom } from "../../src/base/random.ts";
import { type Log, silentLog } from "../../src/observability/log.ts";
import { loginAccountOf } from "../../src/smb/crypto/login.ts";
import { SmbServer } from "../../src/smb/server.ts";
import { listenSmb } from "../../src/smb/transport/listener.ts";
import { MemoryFileSystem } from "./smb-memory.ts";

export const SMB_ACCOUNT = "files1";
export const SMB_KEYS = [Buffer.alloc(64, 1), Buffer.alloc(64, 2)];
export const SMB_PASSWORD = SMB_KEYS[0]!.toString("base64");

/** Somebody else, who may log in and has nothing. */
export const SMB_OTHER_ACCOUNT = "files2";

export interface SmbTestServer {
  readonly port: number;
  readonly server: SmbServer;
  readonly files: MemoryFileSystem;
  close(): Promise<void>;
}

/** An SMB server over shares in memory: `work` and `other` of one account. */
export async function startSmbServer(
  options: {
    readonly encryption?: "required" | "enabled";
    readonly signing?: "required" | "enabled";
    readonly log?: Log;
    readonly port?: number;
    readonly clock?: Clock;
    readonly timers?: Timers;
    readonly connectionsMax?: number;
  } = {},
): Promise<SmbTestServer> {
  const files = new MemoryFileSystem(systemClock);
  files.add(SMB_ACCOUNT, "work");
  files.add(SMB_ACCOUNT, "other");
  const accounts = new Map(
    [SMB_ACCOUNT, SMB_OTHER_ACCOUNT].map((name) => [name, loginAccountOf(name, SMB_KEYS)]),
  );
  const server = new SmbServer({
    fileSystem: files,
    accounts: { find: (name) => accounts.get(name) },
    serverName: "HOLDFAST",
    encryption: options.encryption ?? "enabled",
    signing: options.signing ?? "required",
    clock: options.clock ?? systemClock,
    timers: options.timers ?? systemTimers,
    ...(options.connectionsMax === undefined
      ? {}
      : { limit: new ConnectionLimit({ max: options.connectionsMax }) }),
    random: systemRandom,
    log: options.log ?? silentLog,
  });
  const listener = await listenSmb({ host: "127.0.0.1", port: options.port ?? 0, server });
  return { port: listener.port, server, files, close: () => listener.close() };
}
