import type { Log } from "./base/log.ts";
import { mergeMetrics } from "./base/metrics.ts";
import { systemRandom } from "./base/random.ts";
import { type DataDirectory, openDataDirectory } from "./data-directory.ts";
import { createAdminHandler, type Readiness } from "./http/admin.ts";
import { type Listener, listen } from "./http/listener.ts";
import { listenOrMove } from "./listen-or-move.ts";
import { forgetEphemeral } from "./open-store.ts";
import type { Options } from "./options.ts";
import { Runtime } from "./runtime.ts";
import { SERVICE_PORTS, type ServicePort, startServer } from "./server.ts";
import { ConnectionSpreader } from "./spread-connections.ts";
import { Supervisor } from "./supervisor.ts";

/** A whole Holdfast: the data directory, one process or several, and the admin listener. */
export interface RunOptions {
  readonly options: Options;
  readonly log: Log;
  readonly onFatal: (error: unknown) => void;
}

export interface Running {
  readonly ports: Readonly<Record<ServicePort | "admin", number>>;
  reload(): void;
  close(): Promise<void>;
}

/** What serves, in this process or in others. */
interface Serving {
  readonly ports: Readonly<Record<ServicePort, number>>;
  readonly readyParts: () => Readiness["parts"];
  readonly metrics: () => Promise<string>;
  reload(): void;
  close(): Promise<void>;
}

export async function run({ options, log, onFatal }: RunOptions): Promise<Running> {
  const directory = await lockDirectory(options);
  try {
    forgetEphemeral(options.store);
    const serving = await (options.workers > 1
      ? serveFromWorkers(options, log, onFatal, directory?.lockDescriptor)
      : serveHere(options, log, onFatal));
    return await withAdmin(options, log, serving, directory);
  } catch (error) {
    await directory?.release();
    throw error;
  }
}

async function lockDirectory({ store }: Options): Promise<DataDirectory | undefined> {
  return store.kind === "embedded" ? openDataDirectory(store.directory) : undefined;
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
      reload: () => server.reload(),
      close: async () => {
        await server.close();
        await runtime.close();
      },
    };
  } catch (error) {
    await runtime.close();
    throw error;
  }
}

/** Before any worker runs, so that none meets what a crash left half done. */
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
  const connections = new ConnectionSpreader();
  const ports: Partial<Record<ServicePort, number>> = {};
  try {
    for (const service of SERVICE_PORTS) {
      ports[service] = await listenOrMove(options.addresses[service], (at) =>
        connections.listen(service, at),
      );
    }
  } catch (error) {
    connections.close();
    throw error;
  }
  const supervisor = await startWorkers(options, log, onFatal, { lockDescriptor, connections });
  return {
    ports: ports as Record<ServicePort, number>,
    readyParts: () => ({
      workers: {
        isUp: supervisor.readyCount > 0,
        state: `${supervisor.readyCount} of ${options.workers} ready`,
      },
    }),
    metrics: async () => mergeMetrics(await supervisor.metrics()),
    reload: () => supervisor.tellAll({ order: "reload" }),
    close: async () => {
      connections.close();
      await supervisor.stop();
    },
  };
}

function startWorkers(
  options: Options,
  log: Log,
  onFatal: (error: unknown) => void,
  shared: { readonly lockDescriptor: number | undefined; readonly connections: ConnectionSpreader },
): Promise<Supervisor> {
  return new Promise((resolve, reject) => {
    let isUp = false;
    const supervisor = new Supervisor({
      ...shared,
      workers: options.workers,
      log,
      onReady: () => {
        isUp = true;
        resolve(supervisor);
      },
      onGivenUp: (message) => (isUp ? onFatal(new Error(message)) : reject(new Error(message))),
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
  const handler = createAdminHandler({
    readiness: () => ({ isStopping, parts: serving.readyParts() }),
    metrics: serving.metrics,
    log,
  });
  let admin: Listener;
  try {
    admin = await listenOrMove(options.addresses.admin, (at) => listen({ ...at, handler }));
  } catch (error) {
    await serving.close();
    throw error;
  }
  return {
    ports: { ...serving.ports, admin: admin.port },
    reload: () => serving.reload(),
    close: async () => {
      isStopping = true;
      await serving.close();
      await admin.close();
      await directory?.release();
    },
  };
}
