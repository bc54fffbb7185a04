import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { systemTimers, type Timers } from "../base/clock.ts";
import { LIMITS } from "../base/limits.ts";

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
  readonly handler: Handler;
  /** PEM or PFX, as node:https takes them; undefined for plain HTTP. */
  readonly certificate?: object | undefined;
  readonly timers?: Timers;
}

export interface Listener {
  readonly host: string;
  readonly port: number;
  connections(): number;
  close(): Promise<void>;
}

export async function listen({
  host,
  port,
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
    noDelay: true,
  };
  const server: Server =
    certificate === undefined ? createServer(options) : createSecureServer({ ...certificate, ...options });
  server.maxConnections = LIMITS.connectionsMax;
  server.maxHeadersCount = LIMITS.headerCountMax;
  server.timeout = LIMITS.bodyIdleMillis;
  server.maxRequestsPerSocket = 0;
  server.on("request", (message, response) => void handler(message, response));
  server.on(
    "checkContinue",
    (message, response) => void handler(message, response, () => response.writeContinue()),
  );
  server.on("clientError", refuseMalformed);
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port }, () => {
      server.removeListener("error", reject);
      resolve();
    });
  });
  return {
    host,
    port: (server.address() as AddressInfo).port,
    connections: () => sockets.size,
    close: () => closeGracefully(server, timers),
  };
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
