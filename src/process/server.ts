import type { Socket } from "node:net";
import { systemTimers } from "../base/clock.ts";
import { ConnectionLimit } from "../base/connection-limit.ts";
import { LIMITS } from "../base/limits.ts";
import { HmacKey } from "../digest/hmac.ts";
import type { Account } from "../http/auth/accounts.ts";
import type { AuthContext } from "../http/auth/authenticate.ts";
import { BLOB_OPERATIONS } from "../http/blob/operations.ts";
import { CopySourceFetcher } from "../http/common/copy-source-fetcher.ts";
import { type ListenerPlaces, type OwnListener, OwnListeners } from "../http/common/own-listeners.ts";
import type { ResolveName } from "../http/common/source-names.ts";
import type { ServiceName } from "../http/exchange.ts";
import { FILE_OPERATIONS } from "../http/file/operations.ts";
import { FrontEnd } from "../http/front-end.ts";
import { type Listener, listen } from "../http/listener.ts";
import type { OperationTable } from "../http/operation.ts";
import { QUEUE_OPERATIONS } from "../http/queue/operations.ts";
import { RequestIds } from "../http/request-id.ts";
import { TABLE_OPERATIONS } from "../http/table/operations.ts";
import { ReplyMemory } from "../memory/reply-memory.ts";
import { openAccessLog } from "../observability/access-log.ts";
import { ConnectionReport } from "../observability/connection-report.ts";
import type { Log } from "../observability/log.ts";
import { Metrics } from "../observability/metrics.ts";
import type { AccountList } from "../services/account/account-list.ts";
import { AccountSet } from "../services/account/accounts.ts";
import { AccountsFile } from "../services/account/accounts-file.ts";
import { getServiceProperties } from "../services/account/get-service-properties.ts";
import { blobContext } from "../services/blob/context.ts";
import { blobJobs } from "../services/blob/jobs.ts";
import { findContainerPolicies, findPublicAccess } from "../services/blob/set-container-acl.ts";
import { freeNames } from "../services/deleted-names.ts";
import { FileService } from "../services/file/file-service.ts";
import { fileJobs } from "../services/file/reclaim.ts";
import { queueContext } from "../services/queue/context.ts";
import { findQueuePolicies } from "../services/queue/get-queue-acl.ts";
import { queueJobs } from "../services/queue/jobs.ts";
import { reset } from "../services/reset.ts";
import { findTablePolicies } from "../services/table/get-table-acl.ts";
import { reclaimTables } from "../services/table/reclaim.ts";
import { loginAccountOf } from "../smb/crypto/login.ts";
import { attachToService } from "../smb/host.ts";
import { SMB_LIMITS } from "../smb/limits.ts";
import { SmbServer } from "../smb/server.ts";
import { listenSmb } from "../smb/transport/listener.ts";
import { connectionsFor, readDescriptorsMax } from "./descriptors.ts";
import { listenOrMove } from "./listen-or-move.ts";
import type { Options } from "./options.ts";
import type { Runtime } from "./runtime.ts";
import { Closing } from "./shutdown.ts";

/** One process that serves: the four HTTP front ends and the SMB front end over one runtime. */
export interface ServerOptions {
  readonly options: Options;
  readonly runtime: Runtime;
  readonly log: Log;
  /** Resolves the host names of copy sources; by default the system's resolver. */
  readonly resolveName?: ResolveName | undefined;
  /** True in a worker: the supervisor listens and passes connections to `accept`. */
  readonly isHandedOver?: boolean;
}

export const SERVICE_PORTS = ["blob", "queue", "table", "file", "smb"] as const;
/** The server name in the SMB login. */
const SMB_NAME = "HOLDFAST";
export type ServicePort = (typeof SERVICE_PORTS)[number];

export interface Server {
  readonly ports: Readonly<Record<ServicePort, number>>;
  readonly metrics: Metrics;
  /** Addresses of listeners in other processes: the admin port, and in a worker all of them. */
  setListeners(places: ListenerPlaces): void;
  /** Serves a connection that another process accepted. */
  accept(service: ServicePort, socket: Socket): void;
  /** Removes all data and service properties of all accounts. */
  reset(): Promise<void>;
  unref(): void;
  /** Reads the accounts file again, and reopens the access log by its name, in case it was rotated. */
  reload(): void;
  /** Completes in-flight requests. The caller closes the runtime. */
  close(closing?: Closing): Promise<void>;
}

export async function startServer({
  options,
  runtime,
  log,
  resolveName,
  isHandedOver = false,
}: ServerOptions): Promise<Server> {
  const { store, clock, random } = runtime.parts;
  const replyMemory = newReplyMemory(log, LIMITS.replyMemoryBytesMax);
  const smbReplyMemory = newReplyMemory(log, SMB_LIMITS.replyMemoryBytesMax);
  const metrics = new Metrics();
  metrics.watchStore(() => store.stats(), { hasRoundTrips: options.store.kind === "postgres" });
  store.watchCommits((transactions) => metrics.batchSizes.observe(transactions));
  metrics.watchExtents(() => runtime.payloadStats());
  metrics.watchUnsentReplies("http", () => replyMemory.bytes);
  metrics.watchUnsentReplies("smb", () => smbReplyMemory.bytes);
  const accounts = new AccountSet(authAccount, options.accounts);
  const properties = { store };
  const parts = { ...runtime.parts, isStrict: options.isStrict };
  const blobs = blobContext(parts, {
    isVersioned: options.isBlobVersioned,
    hasVersionLevelImmutability: options.hasVersionLevelImmutability,
  });
  const queues = queueContext(parts);
  const tables = parts;
  const files = new FileService(parts, { shareRetentionDays: options.shareRetentionDays });
  if (options.isStrict) runtime.jobs.add(freeNames(parts));
  for (const job of [...blobJobs(blobs), ...queueJobs(queues), reclaimTables(tables), ...fileJobs(files)]) {
    runtime.jobs.add(job);
  }
  const policiesOf = {
    blob: (account: string, container: string) => findContainerPolicies(blobs, { account, container }),
    queue: (account: string, queue: string) => findQueuePolicies(queues, { account, queue }),
    table: (account: string, table: string) => findTablePolicies(tables, { account, table }),
    file: (account: string, share: string) => files.policies(account, share),
  };
  const auth: AuthContext = {
    accounts,
    clock,
    oauth: options.oauth ?? "off",
    isLoose: options.isLoose,
    // A removed account makes nothing public.
    publicAccess: async (account, container) =>
      accounts.find(account) === undefined ? "none" : findPublicAccess(blobs, { account, container }),
    policies: (service, account, name) => policiesOf[service](account, name),
  };
  const ownListeners = new OwnListeners();
  const sources = new CopySourceFetcher({
    allowed: options.copySources,
    listeners: ownListeners,
    isHostStyleAllowed: options.allowsHostStyle,
    log,
    resolve: resolveName,
  });
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
    isStrict: options.isStrict,
    replyMemory,
    corsRules: async (service: ServiceName, account: string) =>
      (await getServiceProperties(properties, account, service)).cors ?? [],
    // Only the Blob service has this property.
    defaultVersion: async (service: ServiceName, account: string) =>
      service === "blob"
        ? (await getServiceProperties(properties, account, service)).defaultServiceVersion
        : undefined,
  };
  const listeners = new Map<ServicePort, Pick<Listener, "accept" | "unref" | "close">>();
  const connections = new ProcessConnections(log, metrics);
  const { onAcceptFailure } = connections;
  const serve = async <Services>(table: OperationTable<Services>, services: Services): Promise<number> => {
    const keepAliveMillis = options.keepAliveMillis[table.service];
    const frontEnd = new FrontEnd({ ...shared, keepAliveMillis, table, services });
    const limit = connections.limitOf(table.service, LIMITS.connectionsMax);
    const listener = await listenOrMove(table.service, options.addresses[table.service], (at) =>
      listen({
        ...at,
        name: table.service,
        isHandedOver,
        certificate: options.certificate,
        keepAliveMillis,
        shutdownMillis: options.shutdownMillis,
        limit,
        onAcceptFailure,
        log,
        handler: (incoming, connection) => frontEnd.handle(incoming, connection),
      }),
    );
    listeners.set(table.service, listener);
    if (table.service === "blob" || table.service === "file") {
      sources.readInside(table.service, (read) => frontEnd.readInside(read));
    }
    metrics.watchConnections(table.service, () => listener.connections());
    return listener.port;
  };
  const logins = new AccountSet(loginAccountOf, options.accounts);
  let endRevoked = (): void => {};
  const serveSmb = async (): Promise<number> => {
    const server = new SmbServer({
      files,
      acls: options.smbAcls,
      streams: options.smbStreams,
      accounts: logins,
      serverName: SMB_NAME,
      encryption: options.smbEncryption,
      clock,
      timers: systemTimers,
      random,
      log,
      limit: connections.limitOf("smb", SMB_LIMITS.connectionsMax),
      replyMemory: smbReplyMemory,
    });
    endRevoked = () => void server.endRevoked();
    const listener = await listenOrMove("smb", options.addresses.smb, (at) =>
      listenSmb({ ...at, server, isHandedOver, onAcceptFailure }),
    );
    const detach = attachToService(server);
    listeners.set("smb", {
      accept: (socket) => listener.accept(socket),
      unref: () => listener.unref(),
      close: async () => {
        await listener.close();
        detach();
      },
    });
    metrics.watchConnections("smb", () => listener.connections());
    return listener.port;
  };
  const closeAll = async (closing = new Closing()): Promise<void> => {
    await Promise.all(
      [...listeners].map(([name, listener]) =>
        closing.step(`connections to the ${name} service`, () => listener.close()),
      ),
    );
    await closing.step("the access log", () => accessLog?.close());
  };
  try {
    const ports = {
      blob: await serve(BLOB_OPERATIONS, { properties, blobs, auth, sources, puts: { inFlight: 0 } }),
      queue: await serve(QUEUE_OPERATIONS, { properties, queues, auth }),
      table: await serve(TABLE_OPERATIONS, { properties, tables, auth }),
      file: await serve(FILE_OPERATIONS, { properties, files, auth, sources }),
      smb: await serveSmb(),
    };
    // A worker gets the ports from its supervisor, before the first connection.
    if (!isHandedOver) ownListeners.add(placesOf(options, ports));
    const watched = watchAccounts(options, log, (list) => {
      accounts.replace(list.accounts);
      logins.replace(list.accounts);
      endRevoked();
    });
    return {
      ports,
      metrics,
      setListeners: (places) => ownListeners.add(places),
      accept: (service, socket) => listeners.get(service)!.accept(socket),
      reset: () => reset(files),
      unref: () => {
        for (const listener of listeners.values()) listener.unref();
      },
      reload: () => {
        watched?.reload();
        accessLog?.reopen();
      },
      close: async (closing) => {
        watched?.stop();
        await closeAll(closing);
      },
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/** The listeners with their configured hosts and actual ports. */
export function placesOf(
  { addresses }: Options,
  ports: Readonly<Partial<Record<OwnListener, number>>>,
): ListenerPlaces {
  const names = Object.keys(ports) as OwnListener[];
  return Object.fromEntries(names.map((name) => [name, { host: addresses[name].host, port: ports[name]! }]));
}

/** The connection limits of all listeners: together they leave descriptors for files and the admin port. */
class ProcessConnections {
  readonly #all: ConnectionLimit;
  readonly #report: ConnectionReport;
  readonly #metrics: Metrics;

  constructor(log: Log, metrics: Metrics) {
    const max = connectionsFor(readDescriptorsMax());
    this.#report = new ConnectionReport({ log, connectionsMax: max });
    this.#all = new ConnectionLimit({ max, report: this.#report });
    this.#metrics = metrics;
    metrics.watchEvictedConnections(() => this.#report.evictedTotal);
  }

  limitOf(service: ServicePort, max: number): ConnectionLimit {
    const limit = new ConnectionLimit({ max, parent: this.#all, report: this.#report });
    this.#metrics.watchRefusedConnections(service, () => limit.refused);
    return limit;
  }

  readonly onAcceptFailure = (error: Error): void => this.#report.noteFailure(error);
}

function newReplyMemory(log: Log, bytesMax: number): ReplyMemory {
  const onStalled = (unsentBytes: number): void =>
    log.warn(
      { unsentBytes },
      "closed a connection: its client does not read its reply, and the reply memory is full",
    );
  return new ReplyMemory({ bytesMax, onStalled });
}

/** The keys of an account, prepared for checking signatures. */
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
