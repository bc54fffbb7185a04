import { Socket } from "node:net";
import { systemTimers } from "../base/clock.ts";
import { LIMITS } from "../base/limits.ts";
import { isAnnouncement, RelayedMessages } from "../base/messages.ts";
import { systemRandom } from "../base/random.ts";
import { ClosingTooSlow, closeWithin, endProcessNow } from "../base/shutdown.ts";
import type { Log } from "../observability/log.ts";
import { EmbeddedStore } from "../store/embedded/embedded-store.ts";
import { isWriteLockMessage, WriteLockClient, withWriteLocks } from "../store/embedded/turn.ts";
import type { Options } from "./options.ts";
import { Runtime } from "./runtime.ts";
import { type Server, type ServicePort, startServer } from "./server.ts";
import { type ConnectionAccepted, type ConnectionHandover, isHandover } from "./spread-connections.ts";
import type { WorkerOrder, WorkerReport } from "./supervisor.ts";

/** A process that serves under a supervisor: it borrows the turn to write and obeys orders. */
export async function runWorker(
  options: Options,
  log: Log,
  onFatal: (error: unknown) => void,
): Promise<void> {
  const report = (report: WorkerReport): void => {
    process.send?.(report);
  };
  // Without its supervisor a worker has nobody who lends turns: it must not go on by itself.
  process.on("disconnect", () => process.exit(1));
  const send = (message: object): void => {
    process.send?.(message);
  };
  // Of the event loop itself: as long as it goes round, the worker does its work.
  systemTimers.every(LIMITS.workerBeatMillis, () => report({ report: "alive" }));
  const turns = {
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
      turns.records.receive(message);
      turns.ephemeral.receive(message);
    });
    const open = (): Runtime => new Runtime({ choice: options.store, owner, log, turns, messages, onFatal });
    runtime = await withWriteLocks([turns.records, turns.ephemeral], open);
    await runtime.start();
    server = await startServer({ options, runtime, log, isHandedOver: true });
  } catch (error) {
    report({ report: "failed", message: (error as Error).message });
    return;
  }
  const duty = { runtime, server, report, log, shutdownMillis: options.shutdownMillis };
  process.on("message", (message: WorkerOrder | ConnectionHandover, socket: unknown) => {
    if (isHandover(message)) {
      // Told before it is read: from here on the connection lives and dies with this process.
      process.send?.({ taken: message.id } satisfies ConnectionAccepted);
      // The client may have gone while it was handed over.
      if (socket instanceof Socket) server.accept(message.connection as ServicePort, socket);
    } else if ("order" in message) void obey(message, duty).catch(onFatal);
  });
  report({ report: "ready", owner });
}

interface Duty {
  readonly runtime: Runtime;
  readonly server: Server;
  readonly report: (report: WorkerReport) => void;
  readonly shutdownMillis: number;
  readonly log: Log;
}

async function obey(order: WorkerOrder, duty: Duty): Promise<void> {
  const { runtime, server, report } = duty;
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
      server.learnListeners(order.places);
      break;
    case "reload":
      server.reload();
      break;
    case "stop":
      await stop(duty);
  }
}

async function stop({ runtime, server, shutdownMillis, log }: Duty): Promise<void> {
  try {
    await closeWithin(shutdownMillis + LIMITS.shutdownLastMillis, async (closing) => {
      await server.close(closing);
      await runtime.close(closing);
    });
  } catch (error) {
    if (!(error instanceof ClosingTooSlow)) throw error;
    log.error({ reason: error.message }, "shutting down: the worker ends although parts of it did not close");
    endProcessNow();
    return;
  }
  process.exit(0);
}
