import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { createServer as createSecureServer, type TLSSocket } from "node:tls";
import { systemTimers, type Timers } from "../base/clock.ts";
import { ConnectionLimit } from "../base/connection-limit.ts";
import { LIMITS } from "../base/limits.ts";
import { type Log, silentLog } from "../observability/log.ts";
import { Connection, type Host, type Incoming } from "./connection/connection.ts";
import { Handshake, type HandshakeHost } from "./connection/handshake.ts";

/**
 * A listening socket with the limits of the product: header size, time to the end of a TLS handshake and of a
 * head, idle time, number of connections. Closing finishes what was accepted.
 */
export type Handler = (incoming: Incoming, connection: Connection) => void;

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** In the log. */
  readonly name?: string;
  /** Another process listens and passes the connections on (see `accept`). */
  readonly isHandedOver?: boolean;
  readonly handler: Handler;
  /** PEM or PFX, as node:tls takes them; undefined for plain HTTP. */
  readonly certificate?: object | undefined;
  readonly keepAliveMillis?: number | undefined;
  /** How long closing waits for requests that are in progress. */
  readonly shutdownMillis?: number | undefined;
  readonly connectionsMax?: number | undefined;
  /** Counts the connections of this listener; without it they are limited by `connectionsMax` alone. */
  readonly limit?: ConnectionLimit | undefined;
  /** The system could not accept a connection. */
  readonly onAcceptFailure?: (error: Error) => void;
  readonly log?: Log;
  readonly timers?: Timers;
}

export interface Listener {
  readonly host: string;
  readonly port: number;
  /** Serves a connection that another process accepted. */
  accept(socket: Socket): void;
  connections(): number;
  /** The listener and its connections no longer keep the process alive. */
  unref(): void;
  close(): Promise<void>;
}

export async function listen(options: ListenOptions): Promise<Listener> {
  const { host, port, isHandedOver = false, certificate, timers = systemTimers } = options;
  const connections = new ConnectionSet(options);
  // A client may close its half once it sent its request; one that does so in a TLS handshake will not
  // finish.
  const settings = { noDelay: true, allowHalfOpen: certificate === undefined };
  const server = createServer(settings, (socket) => connections.add(socket));
  if (!isHandedOver) await once(server.listen({ host, port }), "listening");
  server.on("error", (error) => options.onAcceptFailure?.(error));
  const sweep = timers.every(LIMITS.connectionSweepMillis, () => connections.sweep());
  return {
    host,
    port: isHandedOver ? port : (server.address() as AddressInfo).port,
    accept: (socket) => {
      connections.add(socket);
      socket.resume();
    },
    connections: () => connections.size,
    unref: () => {
      server.unref();
      // First: a connection takes the handle from its socket.
      server.prependListener("connection", (socket: Socket) => socket.unref());
    },
    close: async () => {
      const isUnbound = isHandedOver ? undefined : once(server.close(), "close");
      await connections.close(timers);
      await isUnbound;
      sweep.cancel();
    },
  };
}

/** The connections of one listener, from the moment they are accepted. */
class ConnectionSet implements Host, HandshakeHost {
  readonly #open = new Set<Connection | Handshake>();
  readonly #options: ListenOptions;
  readonly #limit: ConnectionLimit;
  /** Performs handshakes and does not listen. Undefined for plain HTTP. */
  readonly #tls: Server | undefined;
  readonly #handshakes = new Map<Socket, Handshake>();
  #whenEmpty: (() => void) | undefined;
  sweeps = 0;
  isClosing = false;
  readonly keepAliveMillis: number;

  constructor(options: ListenOptions) {
    this.#options = options;
    this.#limit =
      options.limit ?? new ConnectionLimit({ max: options.connectionsMax ?? LIMITS.connectionsMax });
    this.keepAliveMillis = options.keepAliveMillis ?? LIMITS.keepAliveMillis;
    this.#tls = options.certificate === undefined ? undefined : this.#openTls(options.certificate);
  }

  #openTls(certificate: object): Server {
    // `Handshake` measures the time of the whole handshake.
    const tls = createSecureServer({ ...certificate, handshakeTimeout: 0 }, (socket) =>
      this.#secured(socket),
    );
    tls.on("tlsClientError", (_, socket) => socket.destroy());
    return tls;
  }

  get size(): number {
    return this.#open.size;
  }

  add(socket: Socket): void {
    if (this.isClosing || !this.#limit.admit()) {
      socket.destroy();
      return;
    }
    if (this.#tls === undefined) this.#admit(new Connection(socket, this));
    else {
      const handshake = new Handshake(socket, this);
      this.#handshakes.set(socket, handshake);
      this.#admit(handshake);
    }
  }

  #admit(connection: Connection | Handshake): void {
    this.#open.add(connection);
    this.#limit.add(connection);
  }

  startTls(socket: Socket): void {
    this.#tls!.emit("connection", socket);
  }

  /** The connection replaces its handshake. */
  #secured(socket: TLSSocket): void {
    const accepted = acceptedBehind(socket, this.#handshakes.keys());
    const handshake = accepted && this.#handshakes.get(accepted);
    if (handshake === undefined || !this.#open.has(handshake)) {
      socket.destroy();
      return;
    }
    handshake.finish();
    this.#handshakes.delete(accepted!);
    this.#open.delete(handshake);
    this.#limit.remove(handshake);
    this.#admit(new Connection(socket, this));
  }

  handle(incoming: Incoming, connection: Connection): void {
    this.#limit.heard(connection);
    this.#options.handler(incoming, connection);
  }

  closed(connection: Connection | Handshake): void {
    if (!this.#open.delete(connection)) return;
    if (connection instanceof Handshake) this.#handshakes.delete(connection.socket);
    this.#limit.remove(connection);
    if (this.size === 0) this.#whenEmpty?.();
  }

  sweep(): void {
    this.sweeps++;
    for (const connection of this.#open) connection.sweep(LIMITS.connectionSweepMillis);
  }

  /**
   * Closes connections without a request now, the others after their reply, and after `shutdownMillis` all.
   */
  async close(timers: Timers): Promise<void> {
    this.isClosing = true;
    for (const connection of this.#open) connection.close();
    if (this.size === 0) return;
    const { shutdownMillis = LIMITS.shutdownMillis, name, log = silentLog } = this.#options;
    const patience = timers.after(shutdownMillis, () => {
      log.warn(
        { service: name, connections: this.size, shutdownMillis },
        "shutting down: connections are closed although their requests have not finished",
      );
      for (const connection of [...this.#open]) connection.evict();
    });
    await new Promise<void>((resolve) => {
      this.#whenEmpty = resolve;
    });
    patience.cancel();
  }
}

/** The accepted socket below a TLS socket: an undocumented field (decision 0057), or the one of its peer. */
export function acceptedBehind(socket: TLSSocket, accepted: Iterable<Socket>): Socket | undefined {
  const parent = (socket as unknown as { readonly _parent?: Socket })._parent;
  const isSame = ({ remotePort, remoteAddress }: Socket): boolean =>
    remotePort === socket.remotePort && remoteAddress === socket.remoteAddress;
  return parent ?? [...accepted].find(isSame);
}
