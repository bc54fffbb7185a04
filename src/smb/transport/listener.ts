import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
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
  if (!isHandedOver) await startListening(listener, host, port);
  listener.on("error", (error) => onAcceptFailure?.(error));
  return {
    host,
    port: isHandedOver ? port : (listener.address() as AddressInfo).port,
    accept: (socket) => {
      server.accept(socket);
      socket.resume();
    },
    connections: () => server.connectionCount,
    close: async () => {
      const closed = isHandedOver
        ? Promise.resolve()
        : new Promise<void>((resolve) => listener.close(() => resolve()));
      await server.close();
      await closed;
    },
  };
}

function startListening(listener: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    listener.once("error", reject);
    listener.listen({ host, port }, () => {
      listener.removeListener("error", reject);
      resolve();
    });
  });
}
