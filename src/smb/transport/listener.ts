import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import type { SmbServer } from "../server.ts";

/** A listening socket for SMB with the limits of the product. Closing ends the sessions and their handles. */
export interface SmbListenOptions {
  readonly host: string;
  readonly port: number;
  readonly server: SmbServer;
  /** True in a worker: another process listens and hands connections over to `accept`. */
  readonly isHandedOver?: boolean;
  /** The system could not accept a connection. */
  readonly onAcceptFailure?: (error: Error) => void;
}

export interface SmbListener {
  readonly host: string;
  readonly port: number;
  accept(socket: Socket): void;
  connections(): number;
  /** The listener and its connections no longer keep the process alive. */
  unref(): void;
  close(): Promise<void>;
}

export async function listenSmb({
  host,
  port,
  server,
  isHandedOver = false,
  onAcceptFailure,
}: SmbListenOptions): Promise<SmbListener> {
  const listener = createServer({ noDelay: true }, (socket) => server.accept(socket));
  if (!isHandedOver) await once(listener.listen({ host, port }), "listening");
  listener.on("error", (error) => onAcceptFailure?.(error));
  return {
    host,
    port: isHandedOver ? port : (listener.address() as AddressInfo).port,
    accept: (socket) => {
      server.accept(socket);
      socket.resume();
    },
    connections: () => server.connectionCount,
    unref: () => {
      listener.unref();
      // First: a connection takes the handle from its socket.
      listener.prependListener("connection", (socket: Socket) => socket.unref());
    },
    close: async () => {
      const closed = isHandedOver ? undefined : once(listener.close(), "close");
      await server.close();
      await closed;
    },
  };
}
