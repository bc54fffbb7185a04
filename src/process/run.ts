import { CannotStart } from "../base/faults.ts";
import { LIMITS } from "../base/limits.ts";
import { systemRandom } from "../base/random.ts";
import { createAdminHandler, type Readiness } from "../http/admin/admin.ts";
import type { BackupSource } from "../http/admin/backup.ts";
import type { ListenerPlaces } from "../http/common/own-listeners.ts";
import { type Listener, listen } from "../http/listener.ts";
import type { Log } from "../observability/log.ts";
import { mergeMetrics } from "../observability/metrics.ts";
import { openAdminWarning } from "../services/account/accounts.ts";
import { createBackup } from "../services/backup/create-backup.ts";
import { newAdminToken, removeAdminAccess, writeAdminAccess } from "./admin-access.ts";
import { type DataDirectory, openDataDirectory } from "./data-directory.ts";
import { listenOrMove } from "./listen-or-move.ts";
import { forgetEphemeral } from "./open-store.ts";
import type { Options } from "./options.ts";
import { Runtime } from "./runtime.ts";
import { applySeed } from "./seed.ts";
import { placesOf, SERVICE_PORTS, type ServicePort, startServer } from "./server.ts";
import { type Closing, closeWithin } from "./shutdown.ts";
import { ConnectionSpreader } from "./spread-connections.ts";
import { Supervisor, type SupervisorOptions } from "./supervisor.ts";

/** A whole server: the data directory, one process or several, and the admin listener. */
export interface RunOptions {
  readonly options: Options;
  readonly log: Log;
  readonly onFatal: (error: unknown) => void;
}

export interface Running {
  readonly ports: Readonly<Record<ServicePort | "admin", number>>;
  reload(): void;
  /** Removes all data and service properties of all accounts, whatever `--allowReset` says. */
  reset(): Promise<void>;
  /** The listeners no longer keep the process alive. Not for several workers, nor for a database. */
  unref(): void;
  /** Rejects with `ClosingTooSlow` when some part does not close in time. */
  close(): Promise<void>;
}

/** The services, in this process or in workers. */
interface Serving {
  readonly ports: Readonly<Record<ServicePort, number>>;
  readonly readyParts: () => Readiness["parts"];
  readonly metrics: () => Promise<string>;
  /** A snapshot of all data, where this process has the store. */
  readonly backup?: BackupSource["create"];
  setListeners(places: ListenerPlaces): void;
  reload(): void;
  reset(): Promise<void>;
  unref(): void;
  close(closing: Closing): Promise<void>;
}

export async function run({ options, log, onFatal }: RunOptions): Promise<Running> {
  for (const warning of options.warnings) log.warn({}, warning);
  const { store } = options;
  const directory = store.kind === "embedded" ? await openDataDirectory(store.directory, { log }) : undefined;
  try {
    forgetEphemeral(store);
    const serving = await (options.workers > 1
      ? serveFromWorkers(options, log, onFatal, directory?.lockDescriptor)
      : serveHere(options, log, onFatal));
    return await withAdmin(options, log, serving, directory);
  } catch (error) {
    await directory?.release();
    throw error;
  }
}

async function serveHere(options: Options, log: Log, onFatal: (error: unknown) => void): Promise<Serving> {
  const owner = `process-${process.pid}-${systemRandom.uuid()}`;
  const runtime = new Runtime({ choice: options.store, owner, log, onFatal });
  try {
    await runtime.recoverAll();
    await runtime.start();
    const server = await startServer({ options, runtime, log });
    return {
      ports: server.ports,
      readyParts: () => ({
        store: runtime.engine.readiness?.() ?? { isUp: true, state: "open" },
        listeners: { isUp: true, state: "listening" },
      }),
      metrics: async () => mergeMetrics([await server.metrics.snapshotMetrics()]),
      backup: (have, sink) =>
        createBackup({ payload: runtime.payload, random: runtime.parts.random, have, sink }),
      setListeners: (places) => server.setListeners(places),
      reload: () => server.reload(),
      reset: () => server.reset(),
      unref: () => server.unref(),
      close: async (closing) => {
        await server.close(closing);
        await runtime.close(closing);
      },
    };
  } catch (error) {
    await runtime.close();
    throw error;
  }
}

/** Recovers from a crash before any worker runs. */
async function recoverFirst(options: Options, log: Log, onFatal: (error: unknown) => void): Promise<void> {
  const runtime = new Runtime({ choice: options.store, owner: `supervisor-${process.pid}`, log, onFatal });
  try {
    await runtime.recoverAll();
  } finally {
    await runtime.close();
  }
}

async function serveFromWorkers(
  options: Options,
  log: Log,
  onFatal: (error: unknown) => void,
  lockDescriptor: number | undefined,
): Promise<Serving> {
  await recoverFirst(options, log, onFatal);
  const connections = new ConnectionSpreader(log);
  const ports: Partial<Record<ServicePort, number>> = {};
  try {
    for (const service of SERVICE_PORTS) {
      ports[service] = await listenOrMove(service, options.addresses[service], (at) =>
        connections.listen(service, at),
      );
    }
  } catch (error) {
    connections.close();
    throw error;
  }
  const places = placesOf(options, ports);
  const supervisor = await startWorkers(options, log, onFatal, { lockDescriptor, connections, places });
  return {
    ports: ports as Record<ServicePort, number>,
    readyParts: () => ({
      workers: {
        isUp: supervisor.readyCount > 0,
        state: `${supervisor.readyCount} of ${options.workers} ready`,
      },
    }),
    metrics: async () => mergeMetrics(await supervisor.metrics()),
    setListeners: (places) => supervisor.setListeners(places),
    reload: () => supervisor.sendAll({ order: "reload" }),
    reset: () => supervisor.reset(),
    unref: () => {},
    close: async (closing) => {
      connections.close();
      await closing.step("workers", () => supervisor.stop());
    },
  };
}

function startWorkers(
  options: Options,
  log: Log,
  onFatal: (error: unknown) => void,
  shared: Pick<SupervisorOptions, "lockDescriptor" | "connections" | "places">,
): Promise<Supervisor> {
  return new Promise((resolve, reject) => {
    let isUp = false;
    const supervisor = new Supervisor({
      ...shared,
      workers: options.workers,
      shutdownMillis: options.shutdownMillis,
      log,
      onReady: () => {
        isUp = true;
        resolve(supervisor);
      },
      onGivenUp: (message) => (isUp ? onFatal(new Error(message)) : reject(new CannotStart(message))),
    });
    supervisor.start();
  });
}

async function withAdmin(
  options: Options,
  log: Log,
  serving: Serving,
  directory: DataDirectory | undefined,
): Promise<Running> {
  let isStopping = false;
  const token = newAdminToken();
  const handler = createAdminHandler({
    backup: directory && serving.backup && { token, create: serving.backup },
    readiness: () => ({ isStopping, parts: serving.readyParts() }),
    metrics: serving.metrics,
    reset: options.allowsReset ? () => serving.reset() : undefined,
    log,
  });
  let admin: Listener;
  try {
    admin = await listenOrMove("admin", options.addresses.admin, (at) =>
      listen({
        ...at,
        name: "admin",
        handler,
        connectionsMax: LIMITS.adminConnectionsMax,
        shutdownMillis: Math.min(options.shutdownMillis, LIMITS.adminShutdownMillis),
        log,
        onAcceptFailure: (err) => log.warn({ err }, "the admin listener could not accept a connection"),
      }),
    );
  } catch (error) {
    await closeWithin(closingMillisMax(options), (closing) => serving.close(closing));
    throw error;
  }
  const ports = { ...serving.ports, admin: admin.port };
  if (options.store.kind === "embedded" && directory !== undefined)
    writeAdminAccess(options.store.directory, { url: localUrl(admin), token });
  // Copies must never read from the admin listener, so its port is known before any request.
  serving.setListeners(placesOf(options, ports));
  const warning = openAdminWarning(options.addresses.admin.host);
  if (warning !== undefined) log.warn({ port: admin.port }, warning);
  const running: Running = {
    ports,
    reload: () => serving.reload(),
    reset: () => serving.reset(),
    unref: () => {
      serving.unref();
      admin.unref();
    },
    close: () => {
      isStopping = true;
      return closeWithin(closingMillisMax(options), async (closing) => {
        await serving.close(closing);
        await closing.step("connections to the admin listener", () => admin.close());
        if (options.store.kind === "embedded") removeAdminAccess(options.store.directory);
        await closing.step("the lock of the data directory", () => directory?.release());
      });
    },
  };
  try {
    await createSeed(options, ports);
  } catch (error) {
    await running.close();
    throw error;
  }
  return running;
}

async function createSeed(options: Options, ports: Running["ports"]): Promise<void> {
  const { seed, accounts, certificate, addresses } = options;
  if (seed === undefined) return;
  const at = (name: "blob" | "queue" | "table" | "file") => ({
    host: addresses[name].host,
    port: ports[name],
  });
  await applySeed(seed, {
    accounts,
    isSecure: certificate !== undefined,
    addresses: { blob: at("blob"), queue: at("queue"), table: at("table"), file: at("file") },
  });
}

/** An address of the listener on this machine. */
function localUrl({ host, port }: Listener): string {
  const reached = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return `http://${reached.includes(":") ? `[${reached}]` : reached}:${port}`;
}

/** The workers must have ended before the supervisor gives up waiting. */
function closingMillisMax({ shutdownMillis, workers }: Options): number {
  const workersMillis = workers > 1 ? 2 * LIMITS.workersLastMillis : 0;
  return shutdownMillis + LIMITS.shutdownLastMillis + workersMillis;
}
