import { systemClock } from "./base/clock.ts";
import type { Log } from "./base/log.ts";
import { systemRandom } from "./base/random.ts";
import { openStore } from "./open-store.ts";
import type { Options } from "./options.ts";
import { type Server, startServer } from "./server.ts";
import { EmbeddedStore } from "./store/embedded/embedded-store.ts";
import { isTurnMessage, TurnClient } from "./store/embedded/turn.ts";
import type { Store } from "./store/kv.ts";
import type { WorkerOrder, WorkerReport } from "./supervisor.ts";

/** A process that serves under a supervisor: it borrows the turn to write and obeys orders. */
export async function runWorker(
  options: Options,
  log: Log,
  onFatal: (error: unknown) => void,
): Promise<void> {
  const tell = (report: WorkerReport): void => {
    process.send?.(report);
  };
  // Without its supervisor a worker has nobody who lends turns: it must not go on by itself.
  process.on("disconnect", () => process.exit(1));
  const send = (message: object): void => {
    process.send?.(message);
  };
  const turns = { records: new TurnClient("records", send), ephemeral: new TurnClient("ephemeral", send) };
  const owner = `worker-${process.pid}-${systemRandom.uuid()}`;
  let store: Store;
  let server: Server;
  try {
    process.on("message", (message: unknown) => {
      if (!isTurnMessage(message)) return;
      turns.records.receive(message);
      turns.ephemeral.receive(message);
    });
    store = openStore({ choice: options.store, owner, clock: systemClock, turns, onFatal });
    server = await startServer({ options, store, log });
  } catch (error) {
    tell({ report: "failed", message: (error as Error).message });
    return;
  }
  process.on("message", (message: WorkerOrder) => {
    if ("order" in message) void obey(message, { store, server, tell }).catch(onFatal);
  });
  tell({ report: "ready", owner, ports: server.ports });
}

interface Duty {
  readonly store: Store;
  readonly server: Server;
  readonly tell: (report: WorkerReport) => void;
}

async function obey(order: WorkerOrder, { store, server, tell }: Duty): Promise<void> {
  switch (order.order) {
    case "release":
      if (store instanceof EmbeddedStore) store.forgetDeadReaders();
      for (const owner of order.owners) await store.ephemeral.releaseOwner(owner);
      tell({ report: "released", owners: order.owners });
      break;
    case "metrics":
      tell({ report: "metrics", id: order.id, snapshot: await server.metrics.snapshotMetrics() });
      break;
    case "reload":
      server.reload();
      break;
    case "stop":
      await server.close();
      await store.close();
      process.exit(0);
  }
}
