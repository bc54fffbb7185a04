import type { Socket } from "node:net";
import { openAccessLog } from "./base/access-log.ts";
import { systemTimers } from "./base/clock.ts";
import { HmacKey } from "./base/hmac.ts";
import { LIMITS } from "./base/limits.ts";
import { SMB_LIMITS } from "./base/limits-smb.ts";
import type { Log } from "./base/log.ts";
import { Metrics } from "./base/metrics.ts";
import { ReplyMemory } from "./base/reply-memory.ts";
import type { Account } from "./http/auth/accounts.ts";
import type { AuthContext } from "./http/auth/authenticate.ts";
import { BLOB_OPERATIONS } from "./http/blob/operations.ts";
import type { ServiceName } from "./http/exchange.ts";
import { FILE_OPERATIONS } from "./http/file/operations.ts";
import { FrontEnd } from "./http/front-end.ts";
import { type Listener, listen } from "./http/listener.ts";
import type { OperationTable } from "./http/operation.ts";
import { QUEUE_OPERATIONS } from "./http/queue/operations.ts";
import { RequestIds } from "./http/request-id.ts";
import { TABLE_OPERATIONS } from "./http/table/operations.ts";
import { listenOrMove } from "./listen-or-move.ts";
import type { Options } from "./options.ts";
import type { Runtime } from "./runtime.ts";
import type { AccountList } from "./services/account/account-list.ts";
import { AccountSet } from "./services/account/accounts.ts";
import { AccountsFile } from "./services/account/accounts-file.ts";
import { PropertiesService } from "./services/account/properties-service.ts";
import { BlobService } from "./services/blob/blob-service.ts";
import { FileService } from "./services/file/file-service.ts";
import { QueueService } from "./services/queue/queue-service.ts";
import { TableService } from "./services/table/table-service.ts";
import { loginAccountOf } from "./smb/crypto/login.ts";
import { ServiceFileSystem } from "./smb/files/file-system.ts";
import { listenSmb } from "./smb/listener.ts";
import { ServerOutside } from "./smb/outside.ts";
import { SmbServer } from "./smb/server.ts";

/** One process that serves: the four HTTP front ends and the SMB front end over one runtime. */
export interface ServerOptions {
  readonly options: Options;
  readonly runtime: Runtime;
  readonly log: Log;
  /** True in a worker: the supervisor listens and hands connections over to `accept`. */
  readonly isHandedOver?: boolean;
  /** The memory of unread replies, over HTTP and over SMB; a test gives some of its own. */
  readonly replyMemory?: ReplyMemory | undefined;
  readonly smbReplyMemory?: ReplyMemory | undefined;
}

export const SERVICE_PORTS = ["blob", "queue", "table", "file", "smb"] as const;
/** As clients see it in the login. */
const SMB_NAME = "HOLDFAST";
export type ServicePort = (typeof SERVICE_PORTS)[number];

export interface Server {
  readonly ports: Readonly<Record<ServicePort, number>>;
  readonly metrics: Metrics;
  /** A connection to one of the services that another process accepted. */
  accept(service: ServicePort, socket: Socket): void;
  /** Reads the accounts file again, and opens the access log again by its name, in case it was rotated. */
  reload(): void;
  /** Finishes what was accepted. The runtime stays open: whoever opened it closes it. */
  close(): Promise<void>;
}

export async function startServer({
  options,
  runtime,
  log,
  isHandedOver = false,
  replyMemory = newReplyMemory(log, LIMITS.replyMemoryBytesMax),
  smbReplyMemory = newReplyMemory(log, SMB_LIMITS.replyMemoryBytesMax),
}: ServerOptions): Promise<Server> {
  const { store, clock, random } = runtime.parts;
  const metrics = new Metrics();
  metrics.watchStore(() => store.figures(), { hasRoundTrips: options.store.kind === "postgres" });
  store.watchCommits((transactions) => metrics.batchSizes.observe(transactions));
  metrics.watchExtents(() => runtime.payloadFigures());
  const accounts = new AccountSet(authAccount, options.accounts);
  const properties = new PropertiesService(store);
  const blobs = new BlobService(runtime.parts, { isVersioned: options.isBlobVersioned });
  const queues = new QueueService(runtime.parts);
  const tables = new TableService(runtime.parts);
  const files = new FileService(runtime.parts, { shareRetentionDays: options.shareRetentionDays });
  const services = { blob: blobs, queue: queues, table: tables, file: files };
  for (const chore of Object.values(services).flatMap((service) => service.chores())) {
    runtime.chores.add(chore);
  }
  const auth: AuthContext = {
    accounts,
    clock,
    oauth: options.oauth ?? "off",
    isLoose: options.isLoose,
    publicAccess: (account, container) => blobs.publicAccess(account, container),
    policies: (service, account, name) => services[service].policies(account, name),
  };
  const accessLog = openAccessLog({ target: options.accessLog, log, clock });
  const shared = {
    auth,
    clock,
    log,
    metrics,
    accessLog,
    requestIds: new RequestIds(random),
    isSecure: options.certificate !== undefined,
    isHostStyleAllowed: options.allowsHostStyle,
    replyMemory,
    corsRules: async (service: ServiceName, account: string) =>
      (await properties.get(account, service)).cors ?? [],
    // The Blob service alone has such a property.
    defaultVersion: async (service: ServiceName, account: string) =>
      service === "blob" ? (await properties.get(account, service)).defaultServiceVersion : undefined,
  };
  const listeners = new Map<ServicePort, Pick<Listener, "accept" | "close">>();
  const serve = async <Services>(table: OperationTable<Services>, services: Services): Promise<number> => {
    const keepAliveMillis = options.keepAliveMillis[table.service];
    const frontEnd = new FrontEnd({ ...shared, keepAliveMillis, table, services });
    const listener = await listenOrMove(options.addresses[table.service], (at) =>
      listen({
        ...at,
        isHandedOver,
        certificate: options.certificate,
        keepAliveMillis,
        handler: (incoming, connection) => frontEnd.handle(incoming, connection),
      }),
    );
    listeners.set(table.service, listener);
    metrics.watchConnections(table.service, () => listener.connections());
    return listener.port;
  };
  const logins = new AccountSet(loginAccountOf, options.accounts);
  const serveSmb = async (): Promise<number> => {
    const fileSystem = new ServiceFileSystem(files, {
      accessLists: options.smbAccessLists,
      streams: options.smbStreams,
    });
    const server = new SmbServer({
      fileSystem,
      accounts: logins,
      serverName: SMB_NAME,
      encryption: options.smbEncryption,
      clock,
      timers: systemTimers,
      random,
      log,
      replyMemory: smbReplyMemory,
    });
    const listener = await listenOrMove(options.addresses.smb, (at) =>
      listenSmb({ ...at, server, isHandedOver }),
    );
    const detach = fileSystem.attach(new ServerOutside(server));
    listeners.set("smb", {
      accept: (socket) => listener.accept(socket),
      close: async () => {
        await listener.close();
        detach();
      },
    });
    metrics.watchConnections("smb", () => listener.connections());
    return listener.port;
  };
  const closeAll = async (): Promise<void> => {
    await Promise.all([...listeners.values()].map((listener) => listener.close()));
    await accessLog?.close();
  };
  try {
    const ports = {
      blob: await serve(BLOB_OPERATIONS, { properties, blobs, auth }),
      queue: await serve(QUEUE_OPERATIONS, { properties, queues, auth }),
      table: await serve(TABLE_OPERATIONS, { properties, tables, auth }),
      file: await serve(FILE_OPERATIONS, { properties, files, auth }),
      smb: await serveSmb(),
    };
    const watched = watchAccounts(options, log, (list) => {
      accounts.replace(list.accounts);
      logins.replace(list.accounts);
    });
    return {
      ports,
      metrics,
      accept: (service, socket) => listeners.get(service)!.accept(socket),
      reload: () => {
        watched?.reload();
        accessLog?.reopen();
      },
      close: async () => {
        watched?.stop();
        await closeAll();
      },
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/** For the replies of all connections. */
function newReplyMemory(log: Log, bytesMax: number): ReplyMemory {
  const onStalled = (unsentBytes: number): void =>
    log.warn({ unsentBytes }, "closed a connection: its client does not read, and the reply memory is full");
  return new ReplyMemory({ bytesMax, onStalled });
}

/** What authentication keeps of an account, derived once. */
function authAccount(name: string, keys: readonly Buffer[]): Account {
  return { name, rawKeys: keys, keys: keys.map((key) => new HmacKey(key)) };
}

function watchAccounts(
  { accountsFile }: Options,
  log: Log,
  apply: (list: AccountList) => void,
): AccountsFile | undefined {
  if (accountsFile === undefined) return undefined;
  const { path, text } = accountsFile;
  const watched = new AccountsFile({ path, timers: systemTimers, log, apply }, text);
  watched.start();
  return watched;
}
