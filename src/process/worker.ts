import { Socket } from "node:net";
import { systemTimers } from "../base/clock.ts";
import { LIMITS } from "../base/limits.ts";
import { isAnnouncement, RelayedMessages } from "../base/messages.ts";
import { systemRandom } from "../base/random.ts";
import type { Log } from "../observability/log.ts";
import { EmbeddedStore } from "../store/embedded/embedded-store.ts";
import { isWriteLockMessage, WriteLockClient, withWriteLocks } from "../store/embedded/write-lock.ts";
import type { Options } from "./options.ts";
import { Runtime } from "./runtime.ts";
import { type Server, type ServicePort, startServer } from "./server.ts";
import { ClosingTooSlow, closeWithin, endProcessNow } from "./shutdown.ts";
import { type ConnectionAccepted, type ConnectionHandover, isHandover } from "./spread-connections.ts";
import type { WorkerOrder, WorkerReport } from "./supervisor.ts";

/** A process that serves under a supervisor, which arbitrates the write locks and sends orders. */
export async function runWorker(
  options: Options,
  log: Log,
  onFatal: (error: unknown) => void,
): Promise<void> {
  const send = (message: object): void => {
    process.send?.(message);
  };
  const report: (report: WorkerReport) => void = send;
  // Without its supervisor a worker gets no write lock, so it must not continue.
  process.on("disconnect", () => process.exit(1));
  // A timer of the event loop: it fires as long as the loop runs.
  systemTimers.every(LIMITS.workerBeatMillis, () => report({ report: "alive" }));
  const writeLocks = {
    records: new WriteLockClient("records", send),
    ephemeral: new WriteLockClient("ephemeral", send),
  };
  const messages = new RelayedMessages(send);
  const owner = `worker-${process.pid}-${systemRandom.uuid()}`;
  let runtime: Runtime;
  let server: Server;
  try {
    process.on("message", (message: unknown) => {
      if (isAnnouncement(message)) messages.receive(message);
      if (!isWriteLockMessage(message)) return;
      writeLocks.records.receive(message);
      writeLocks.ephemeral.receive(message);
    });
    const open = (): Runtime =>
      new Runtime({ choice: options.store, owner, log, writeLocks, messages, onFatal });
    runtime = await withWriteLocks([writeLocks.records, writeLocks.ephemeral], open);
    await runtime.start();
    server = await startServer({ options, runtime, log, isHandedOver: true });
  } catch (error) {
    report({ report: "failed", message: (error as Error).message });
    return;
  }
  const context = { runtime, server, report, log, shutdownMillis: options.shutdownMillis };
  process.on("message", (message: WorkerOrder | ConnectionHandover, socket: unknown) => {
    if (isHandover(message)) {
      // Confirmed before the first read: from here on the connection ends with this process.
      send({ accepted: message.id } satisfies ConnectionAccepted);
      // undefined when the client left meanwhile.
      if (socket instanceof Socket) server.accept(message.connection as ServicePort, socket);
    } else if ("order" in message) void obey(message, context).catch(onFatal);
  });
  report({ report: "ready", owner });
}

interface WorkerContext {
  readonly runtime: Runtime;
  readonly server: Server;
  readonly report: (report: WorkerReport) => void;
  readonly shutdownMillis: number;
  readonly log: Log;
}

async function obey(order: WorkerOrder, context: WorkerContext): Promise<void> {
  const { runtime, server, report } = context;
  switch (order.order) {
    case "release":
      if (runtime.engine instanceof EmbeddedStore) runtime.engine.forgetDeadReaders();
      await runtime.releaseDead(order.owners);
      report({ report: "released", owners: order.owners });
      break;
    case "metrics":
      report({ report: "metrics", id: order.id, snapshot: await server.metrics.snapshotMetrics() });
      break;
    case "listeners":
      server.setListeners(order.places);
      break;
    case "reload":
      server.reload();
      break;
    case "reset":
      report({ report: "reset", failure: await failureOf(server.reset()) });
      break;
    case "stop":
      await stop(context);
  }
}

const failureOf = (done: Promise<void>): Promise<string | undefined> =>
  done.then(
    () => undefined,
    (error: Error) => error.message,
  );

async function stop({ runtime, server, shutdownMillis, log }: WorkerContext): Promise<void> {
  try {
    await closeWithin(shutdownMillis + LIMITS.shutdownLastMillis, async (closing) => {
      await server.close(closing);
      await runtime.close(closing);
    });
  } catch (error) {
    if (!(error instanceof ClosingTooSlow)) throw error;
    log.error({ reason: error.message }, "shutting down: the worker ends before all parts have closed");
    endProcessNow();
    return;
  }
  process.exit(0);
}
