import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { systemTimers, type Timers } from "../base/clock.ts";
import { LIMITS } from "../base/limits.ts";
import { ConnectionWatch } from "./connection-watch.ts";

/**
 * A listening socket with the limits of the product: header size, time to the first byte of a request, idle
 * time, number of connections. Closing finishes what was accepted.
 */
export type Handler = (
  message: IncomingMessage,
  response: ServerResponse,
  sendContinue?: () => void,
) => Promise<void>;

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** True where another process listens and hands the connections over (see `accept`). */
  readonly isHandedOver?: boolean;
  readonly handler: Handler;
  /** PEM or PFX, as node:https takes them; undefined for plain HTTP. */
  readonly certificate?: object | undefined;
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

export async function listen({
  host,
  port,
  isHandedOver = false,
  handler,
  certificate,
  timers = systemTimers,
}: ListenOptions): Promise<Listener> {
  const options = {
    maxHeaderSize: LIMITS.headerBytesMax,
    headersTimeout: LIMITS.headersTimeoutMillis,
    // An upload of hours is legal as long as it moves: the idle limit below is what ends a stalled one.
    requestTimeout: 0,
    keepAliveTimeout: LIMITS.keepAliveMillis,
    connectionsCheckingInterval: LIMITS.headersSweepMillis,
    noDelay: true,
  };
  const server: Server =
    certificate === undefined ? createServer(options) : createSecureServer({ ...certificate, ...options });
  const watch = new ConnectionWatch(timers);
  // Beyond this Node drops headers without a word; one more than we take is enough to notice.
  server.maxHeadersCount = LIMITS.headerCountMax + 1;
  server.timeout = LIMITS.bodyIdleMillis;
  server.maxRequestsPerSocket = 0;
  server.on("request", (message, response) => {
    watch.asked(message);
    void handler(message, response);
  });
  server.on("checkContinue", (message, response) => {
    watch.asked(message);
    void handler(message, response, () => response.writeContinue());
  });
  server.on("clientError", refuseMalformed);
  server.on(certificate === undefined ? "connection" : "secureConnection", (socket: Socket) =>
    watch.opened(socket),
  );
  const { sockets } = watch;
  const close = (): Promise<void> =>
    isHandedOver ? drainSockets(server, sockets, timers) : closeGracefully(server, timers);
  if (!isHandedOver) await startListening(server, host, port);
  return {
    host,
    port: isHandedOver ? port : (server.address() as AddressInfo).port,
    accept: (socket) => {
      server.emit("connection", socket);
      socket.resume();
    },
    connections: () => sockets.size,
    close: () => {
      watch.close();
      return close();
    },
  };
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

/** What the parser refuses never becomes a request; the connection cannot be trusted to be in step, so it ends. */
function refuseMalformed(error: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable || error.code === "ECONNRESET") {
    socket.destroy();
    return;
  }
  const status =
    error.code === "HPE_HEADER_OVERFLOW" ? "431 Request Header Fields Too Large" : "400 Bad Request";
  const code = error.code === "HPE_HEADER_OVERFLOW" ? "RequestHeadersTooLarge" : "InvalidInput";
  socket.end(
    `HTTP/1.1 ${status}\r\nx-ms-error-code: ${code}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
  );
}

/** A connection that is kept alive ends once its request is answered; Node alone would wait for its idle time. */
function closeGracefully(server: Server, timers: Timers): Promise<void> {
  return new Promise((resolve) => {
    const patience = timers.after(LIMITS.shutdownMillis, () => server.closeAllConnections());
    const sweep = timers.every(LIMITS.shutdownSweepMillis, () => server.closeIdleConnections());
    server.close(() => {
      patience.cancel();
      sweep.cancel();
      resolve();
    });
    server.closeIdleConnections();
  });
}

/** A server that never listened cannot be closed: its connections are ended as their requests are answered. */
async function drainSockets(server: Server, sockets: ReadonlySet<Socket>, timers: Timers): Promise<void> {
  const ended = [...sockets].map((socket) => new Promise((resolve) => socket.once("close", resolve)));
  const patience = timers.after(LIMITS.shutdownMillis, () => server.closeAllConnections());
  const sweep = timers.every(LIMITS.shutdownSweepMillis, () => server.closeIdleConnections());
  server.closeIdleConnections();
  await Promise.all(ended);
  patience.cancel();
  sweep.cancel();
}
