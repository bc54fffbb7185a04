import { createServer, type Server, type Socket } from "node:net";
import { systemTimers, type Timer } from "../base/clock.ts";
import { connectionsFor, readDescriptorsMax } from "../base/descriptors.ts";
import { LIMITS } from "../base/limits.ts";
import { ConnectionReport } from "../observability/connection-report.ts";
import { type Log, silentLog } from "../observability/log.ts";

/**
 * Connections for several worker processes: the supervisor accepts them and hands each to the next worker.
 *
 * node:cluster does the same, but forgets a connection that it handed to a worker which died before taking
 * it: the client then waits for ever. Here a connection stays ours until the worker says that it has it. If
 * the worker dies first, or does not answer in time, our copy is closed: nobody can tell whether the dead had
 * read a part of a request, and a client whose connection breaks knows what to do.
 */
export interface ConnectionHandover {
  readonly connection: string;
  readonly id: number;
}

export interface ConnectionAccepted {
  readonly taken: number;
}

export function isHandover(message: unknown): message is ConnectionHandover {
  return typeof message === "object" && message !== null && "connection" in message;
}

export function isTaken(message: unknown): message is ConnectionAccepted {
  return typeof message === "object" && message !== null && "taken" in message;
}

export interface Taker {
  readonly id: number;
  hand(message: ConnectionHandover, socket: Socket): void;
}

/**
 * SMB clients break each other's caches and wait for each other's locks in the memory of one process: the
 * worker that has been ready longest takes all of them (decision 0022).
 */
const TOGETHER: ReadonlySet<string> = new Set(["smb"]);

interface Waiting {
  readonly service: string;
  readonly socket: Socket;
  readonly patience: Timer;
  holder: number | undefined;
}

export class ConnectionSpreader {
  readonly #servers: Server[] = [];
  readonly #takers: Taker[] = [];
  readonly #waiting = new Map<number, Waiting>();
  #next = 0;
  #lastId = 0;
  /** Each connection takes a descriptor of this process until its worker has it. */
  readonly #waitingMax: number;
  readonly #report: ConnectionReport;

  constructor(log: Log = silentLog, waitingMax: number = connectionsFor(readDescriptorsMax())) {
    this.#waitingMax = waitingMax;
    this.#report = new ConnectionReport({ log, connectionsMax: waitingMax });
  }

  /** Listens; connections wait until there is somebody to take them. Resolves with the port. */
  async listen(service: string, address: { readonly host: string; readonly port: number }): Promise<number> {
    const server = createServer({ pauseOnConnect: true, noDelay: true }, (socket) => {
      if (this.#waiting.size >= this.#waitingMax) {
        this.#report.note("refused");
        socket.destroy();
        return;
      }
      const id = ++this.#lastId;
      const patience = systemTimers.after(LIMITS.handoverMillis, () => this.#drop(id));
      this.#waiting.set(id, { service, socket, holder: undefined, patience });
      socket.on("error", () => this.#drop(id));
      this.#hand(id);
    });
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen({ ...address, exclusive: true }, () => {
        server.removeListener("error", reject);
        resolve();
      });
    });
    server.on("error", (error) => this.#report.noteFailure(error));
    this.#servers.push(server);
    return (server.address() as { port: number }).port;
  }

  /** A worker that is ready to serve. */
  add(taker: Taker): void {
    this.#takers.push(taker);
    for (const [id, { holder }] of this.#waiting) if (holder === undefined) this.#hand(id);
  }

  /** The worker has it: our copy of the connection goes. */
  taken({ taken }: ConnectionAccepted): void {
    this.#drop(taken);
  }

  /** The worker is gone, and with it what it had not taken yet. */
  remove(takerId: number): void {
    const index = this.#takers.findIndex(({ id }) => id === takerId);
    if (index >= 0) this.#takers.splice(index, 1);
    for (const [id, waiting] of this.#waiting) {
      if (waiting.holder === takerId) this.#drop(id);
    }
  }

  /**
   * Stops listening and drops what nobody took. Nobody waits for the end of the listeners: Node.js counts
   * connections that were handed over among those that must be gone first, and their workers have not been
   * told to stop yet.
   */
  close(): void {
    for (const id of this.#waiting.keys()) this.#drop(id);
    for (const server of this.#servers) server.close();
  }

  /** Closes our copy; where a worker has its own, the connection goes on. */
  #drop(id: number): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    waiting?.patience.cancel();
    waiting?.socket.destroy();
  }

  #hand(id: number): void {
    const waiting = this.#waiting.get(id);
    const isTogether = waiting !== undefined && TOGETHER.has(waiting.service);
    const taker = isTogether
      ? this.#takers[0]
      : this.#takers[this.#next++ % Math.max(1, this.#takers.length)];
    if (taker === undefined || waiting === undefined) return;
    waiting.holder = taker.id;
    taker.hand({ connection: waiting.service, id }, waiting.socket);
  }
}
