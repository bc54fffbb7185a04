import { type Clock, systemClock, systemTimers, type Timers } from "../../src/base/clock.ts";
import { ConnectionLimit } from "../../src/base/connection-limit.ts";
import { systemRandom } from "../../src/base/random.ts";
import { type Log, silentLog } from "../../src/observability/log.ts";
import { Runtime } from "../../src/process/runtime.ts";
import { createShare } from "../../src/services/file/create-share.ts";
import { FileService } from "../../src/services/file/file-service.ts";
import { loginAccountOf } from "../../src/smb/crypto/login.ts";
import { attachToService } from "../../src/smb/host.ts";
import { SmbServer } from "../../src/smb/server.ts";
import { listenSmb } from "../../src/smb/transport/listener.ts";

export const SMB_ACCOUNT = "files1";
export const SMB_KEYS = [Buffer.alloc(64, 1), Buffer.alloc(64, 2)];
export const SMB_PASSWORD = SMB_KEYS[0]!.toString("base64");

/** An account that may log in and has no shares. */
export const SMB_OTHER_ACCOUNT = "files2";

export interface SmbTestServer {
  readonly port: number;
  readonly server: SmbServer;
  readonly files: FileService;
  close(): Promise<void>;
}

/** The product always requires signatures; with `signing: "enabled"` the client decides. */
export interface SmbTestServerOptions {
  readonly encryption?: "required" | "enabled";
  readonly signing?: "required" | "enabled";
  readonly acls?: "shown" | "enforced";
  readonly streams?: "refused" | "kept";
  readonly log?: Log;
  /** Of the SMB server; the store keeps the system's clock. */
  readonly clock?: Clock;
  readonly timers?: Timers;
  readonly connectionsMax?: number;
  /** Where the embedded engine stores its data; without it the memory engine runs. */
  readonly directory?: string;
  /** For clients that know no other port than 445. */
  readonly at?: { readonly host: string; readonly port: number };
}

/** The SMB server over the file service, with the shares `work` and `other` of one account. */
export async function startSmbServer(options: SmbTestServerOptions = {}): Promise<SmbTestServer> {
  const { directory, acls, streams, connectionsMax, log = silentLog } = options;
  const runtime = new Runtime({
    choice: directory === undefined ? { kind: "memory" } : { kind: "embedded", directory },
    owner: "smb-test",
    log: silentLog,
    onFatal: (error) => {
      throw error;
    },
  });
  await runtime.start();
  const files = new FileService(runtime.parts, { shareRetentionDays: 0 });
  for (const share of ["work", "other"]) await addSmbShare(files, SMB_ACCOUNT, share);
  const accounts = new Map(
    [SMB_ACCOUNT, SMB_OTHER_ACCOUNT].map((name) => [name, loginAccountOf(name, SMB_KEYS)]),
  );
  const server = new SmbServer({
    files,
    acls,
    streams,
    accounts: { find: (name) => accounts.get(name) },
    serverName: "HOLDFAST",
    encryption: options.encryption ?? "enabled",
    signing: options.signing ?? "required",
    clock: options.clock ?? systemClock,
    timers: options.timers ?? systemTimers,
    ...(connectionsMax === undefined ? {} : { limit: new ConnectionLimit({ max: connectionsMax }) }),
    random: systemRandom,
    log,
  });
  const listening = listenSmb({ host: "127.0.0.1", port: 0, ...options.at, server });
  const listener = await listening.catch(async (error: unknown) => {
    await server.close();
    await runtime.close();
    throw error;
  });
  const detach = attachToService(server);
  return {
    port: listener.port,
    server,
    files,
    close: async () => {
      await listener.close();
      detach();
      await runtime.close();
    },
  };
}

export async function addSmbShare(files: FileService, account: string, share: string): Promise<void> {
  await createShare(files, {
    ref: { account, share },
    settings: { quotaGib: 102_400, tier: "TransactionOptimized", protocols: "SMB" },
    metadata: undefined,
  });
}
