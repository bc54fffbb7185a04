import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { systemTimers, type Timer } from "../base/clock.ts";
import { LIMITS } from "../base/limits.ts";
import { ConnectionReport } from "../observability/connection-report.ts";
import { type Log, silentLog } from "../observability/log.ts";
import { connectionsFor, readDescriptorsMax } from "./descriptors.ts";

/**
 * The supervisor accepts connections and passes each to the next worker, round robin.
 *
 * node:cluster does the same, but forgets a connection if the worker dies before it accepts it, and the
 * client waits for ever. Here the supervisor keeps its copy of the socket until the worker confirms. If the
 * worker dies first, or does not confirm in time, the supervisor closes its copy: the dead worker may have
 * read part of a request, and a client whose connection breaks retries.
 */
export interface ConnectionHandover {
  readonly connection: string;
  readonly id: number;
}

export interface ConnectionAccepted {
  readonly accepted: number;
}

export function isHandover(message: unknown): message is ConnectionHandover {
  return typeof message === "object" && message !== null && "connection" in message;
}

export function isAccepted(message: unknown): message is ConnectionAccepted {
  return typeof message === "object" && message !== null && "accepted" in message;
}

export interface ConnectionReceiver {
  readonly id: number;
  handOver(message: ConnectionHandover, socket: Socket): void;
}

/**
 * SMB clients break each other's caches and wait for each other's locks in the memory of one process, so the
 * worker that has been ready longest gets all of them (decision 0022).
 */
const SINGLE_PROCESS: ReadonlySet<string> = new Set(["smb"]);

interface PendingConnection {
  readonly service: string;
  readonly socket: Socket;
  readonly timeout: Timer;
  receiver: number | undefined;
}

export class ConnectionSpreader {
  readonly #servers: Server[] = [];
  readonly #receivers: ConnectionReceiver[] = [];
  readonly #pending = new Map<number, PendingConnection>();
  #next = 0;
  #lastId = 0;
  /** A pending connection uses a descriptor of this process. */
  readonly #pendingMax: number;
  readonly #report: ConnectionReport;

  constructor(log: Log = silentLog, pendingMax: number = connectionsFor(readDescriptorsMax())) {
    this.#pendingMax = pendingMax;
    this.#report = new ConnectionReport({ log, connectionsMax: pendingMax });
  }

  /** Listens; connections wait until a worker is ready. Resolves with the port. */
  async listen(service: string, address: { readonly host: string; readonly port: number }): Promise<number> {
    const server = createServer({ pauseOnConnect: true, noDelay: true }, (socket) => {
      if (this.#pending.size >= this.#pendingMax) {
        this.#report.note("refused");
        socket.destroy();
        return;
      }
      const id = ++this.#lastId;
      const timeout = systemTimers.after(LIMITS.handoverMillis, () => this.#drop(id));
      this.#pending.set(id, { service, socket, receiver: undefined, timeout });
      socket.on("error", () => this.#drop(id));
      this.#handOver(id);
    });
    await once(server.listen({ ...address, exclusive: true }), "listening");
    server.on("error", (error) => this.#report.noteFailure(error));
    this.#servers.push(server);
    return (server.address() as { port: number }).port;
  }

  /** A worker that is ready to serve. */
  add(receiver: ConnectionReceiver): void {
    this.#receivers.push(receiver);
    for (const [id, pending] of this.#pending) if (pending.receiver === undefined) this.#handOver(id);
  }

  /** The worker has the connection: our copy is closed. */
  confirm({ accepted }: ConnectionAccepted): void {
    this.#drop(accepted);
  }

  /** The worker is gone: drops the connections it had not confirmed. */
  remove(receiverId: number): void {
    const index = this.#receivers.findIndex(({ id }) => id === receiverId);
    if (index >= 0) this.#receivers.splice(index, 1);
    for (const [id, { receiver }] of this.#pending) if (receiver === receiverId) this.#drop(id);
  }

  /**
   * Stops listening and drops pending connections. It does not wait for the listeners to end: Node.js counts
   * connections that were passed on among those that must end first, and their workers still run.
   */
  close(): void {
    for (const id of this.#pending.keys()) this.#drop(id);
    for (const server of this.#servers) server.close();
  }

  /** Closes our copy; the copy of a worker stays open. */
  #drop(id: number): void {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    pending?.timeout.cancel();
    pending?.socket.destroy();
  }

  #handOver(id: number): void {
    const pending = this.#pending.get(id);
    if (pending === undefined || this.#receivers.length === 0) return;
    const { service, socket } = pending;
    const index = SINGLE_PROCESS.has(service) ? 0 : this.#next++ % this.#receivers.length;
    const receiver = this.#receivers[index]!;
    pending.receiver = receiver.id;
    receiver.handOver({ connection: service, id }, socket);
  }
}
