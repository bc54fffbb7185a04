import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { createServer as createSecureServer } from "node:tls";
import { systemTimers, type Timers } from "../base/clock.ts";
import { LIMITS } from "../base/limits.ts";
import { Connection, type Host, type Incoming } from "./connection/connection.ts";

/**
 * A listening socket with the limits of the product: header size, time to the end of a head, idle time, number of
 * connections. Closing finishes what was accepted.
 */
export type Handler = (incoming: Incoming, connection: Connection) => void;

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** True where another process listens and hands the connections over (see `accept`). */
  readonly isHandedOver?: boolean;
  readonly handler: Handler;
  /** PEM or PFX, as node:tls takes them; undefined for plain HTTP. */
  readonly certificate?: object | undefined;
  readonly keepAliveMillis?: number | undefined;
  readonly connectionsMax?: number | undefined;
  readonly timers?: Timers;
}

export interface Listener {
  readonly host: string;
  readonly port: number;
  /** Serves a connection that another process accepted. */
  accept(socket: Socket): void;
  connections(): number;
  close(): Promise<void>;
}

export async function listen(options: ListenOptions): Promise<Listener> {
  const { host, port, isHandedOver = false, handler, certificate, timers = systemTimers } = options;
  const connections = new ConnectionSet(handler, options);
  const take = (socket: Socket): void => connections.add(socket);
  const settings = { noDelay: true, allowHalfOpen: true };
  const server: Server =
    certificate === undefined
      ? createServer(settings, take)
      : createSecureServer(
          { ...certificate, ...settings, handshakeTimeout: LIMITS.headersTimeoutMillis },
          take,
        );
  // A handshake that fails never becomes a connection; there is nobody to tell.
  server.on("tlsClientError", () => {});
  if (!isHandedOver) await startListening(server, host, port);
  const sweep = timers.every(LIMITS.connectionSweepMillis, () => connections.sweep());
  return {
    host,
    port: isHandedOver ? port : (server.address() as AddressInfo).port,
    accept: (socket) => {
      server.emit("connection", socket);
      socket.resume();
    },
    connections: () => connections.size,
    close: async () => {
      const isUnbound = isHandedOver
        ? undefined
        : new Promise<void>((resolve) => server.close(() => resolve()));
      await connections.close(timers);
      await isUnbound;
      sweep.cancel();
    },
  };
}

/** The connections of one listener. */
class ConnectionSet implements Host {
  readonly #connections = new Set<Connection>();
  readonly #handler: Handler;
  #whenEmpty: (() => void) | undefined;
  sweeps = 0;
  isClosing = false;

  readonly keepAliveMillis: number;
  readonly #connectionsMax: number;
  /** Those that have never asked for anything, the oldest first. */
  readonly #silent = new Set<Connection>();

  constructor(handler: Handler, { keepAliveMillis, connectionsMax }: ListenOptions) {
    this.#handler = handler;
    this.keepAliveMillis = keepAliveMillis ?? LIMITS.keepAliveMillis;
    this.#connectionsMax = connectionsMax ?? LIMITS.connectionsMax;
  }

  get size(): number {
    return this.#connections.size;
  }

  /** Nobody has to prove anything to connect: with too many, one that has never asked for anything gives way. */
  add(socket: Socket): void {
    if (this.size >= this.#connectionsMax) {
      const [oldest] = this.#silent;
      if (oldest === undefined) {
        socket.destroy();
        return;
      }
      oldest.destroy();
      this.closed(oldest);
    }
    const connection = new Connection(socket, this);
    this.#connections.add(connection);
    this.#silent.add(connection);
  }

  handle(incoming: Incoming, connection: Connection): void {
    if (this.#silent.size > 0) this.#silent.delete(connection);
    this.#handler(incoming, connection);
  }

  closed(connection: Connection): void {
    this.#connections.delete(connection);
    this.#silent.delete(connection);
    if (this.size === 0) this.#whenEmpty?.();
  }

  sweep(): void {
    this.sweeps++;
    for (const connection of this.#connections) connection.sweep(LIMITS.connectionSweepMillis);
  }

  /** Connections without a request end now, the others behind their reply, and what hangs is cut off. */
  async close(timers: Timers): Promise<void> {
    this.isClosing = true;
    for (const connection of this.#connections) connection.close();
    if (this.size === 0) return;
    const patience = timers.after(LIMITS.shutdownMillis, () => {
      for (const connection of this.#connections) connection.destroy();
    });
    await new Promise<void>((resolve) => {
      this.#whenEmpty = resolve;
    });
    patience.cancel();
  }
}

function startListening(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port }, () => {
      server.removeListener("error", reject);
      resolve();
    });
  });
}
