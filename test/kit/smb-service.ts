import { systemClock, systemTimers } from "../../src/base/clock.ts";
import { systemRandom } from "../../src/base/random.ts";
import { silentLog } from "../../src/observability/log.ts";
import { Runtime } from "../../src/process/runtime.ts";
import { createShare } from "../../src/services/file/create-share.ts";
import { FileService } from "../../src/services/file/file-service.ts";
import { loginAccountOf } from "../../src/smb/crypto/login.ts";
import { ServiceFileSystem } from "../../src/smb/files/file-system.ts";
import { ServerHost } from "../../src/smb/host.ts";
import { SmbServer } from "../../src/smb/server.ts";
import { listenSmb } from "../../src/smb/transport/listener.ts";
import { SMB_ACCOUNT, SMB_KEYS, SMB_OTHER_ACCOUNT } from "./smb-server.ts";

/**
 * The SMB server over the real file service, in memory or in a directory, on the system's clock: shares
 * `work` and
 * `other`. The product always wants signatures; here they can be left to the client.
 */
export async function startServiceSmbServer(
  options: {
    readonly signing?: "required" | "enabled";
    readonly directory?: string;
    readonly acls?: "shown" | "enforced";
    readonly streams?: "refused" | "kept";
    /** For clients that know no other port than 445. */
    readonly at?: { readonly host: string; readonly port: number };
  } = {},
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const runtime = new Runtime({
    choice:
      options.directory === undefined
        ? { kind: "memory" }
        : { kind: "embedded", directory: options.directory },
    owner: "smb-test",
    log: silentLog,
    onFatal: (error) => {
      throw error;
    },
  });
  await runtime.start();
  const files = new FileService(runtime.parts, { shareRetentionDays: 0 });
  for (const share of ["work", "other"])
    await createShare(files, {
      ref: { account: SMB_ACCOUNT, share },
      settings: { quotaGib: 102_400, tier: "TransactionOptimized", protocols: "SMB" },
      metadata: undefined,
    });
  const accounts = new Map(
    [SMB_ACCOUNT, SMB_OTHER_ACCOUNT].map((name) => [name, loginAccountOf(name, SMB_KEYS)]),
  );
  const { acls, streams } = options;
  const fileSystem = new ServiceFileSystem(files, { acls, streams });
  const server = new SmbServer({
    fileSystem,
    accounts: { find: (name) => accounts.get(name) },
    serverName: "HOLDFAST",
    encryption: "enabled",
    signing: options.signing ?? "required",
    clock: systemClock,
    timers: systemTimers,
    random: systemRandom,
    log: silentLog,
  });
  const listening = listenSmb({ host: "127.0.0.1", port: 0, ...options.at, server });
  const listener = await listening.catch(async (error: unknown) => {
    await server.close();
    await runtime.close();
    throw error;
  });
  const detach = fileSystem.attach(new ServerHost(server));
  return {
    port: listener.port,
    close: async () => {
      await listener.close();
      detach();
      await runtime.close();
    },
  };
}
