import { connect, createServer, type Server, type Socket } from "node:net";

/** What becomes of the next commit that passes: its answer is lost, or it never arrives. */
export type Cut = "answer" | "request";

/** Stands between the store and the database and cuts the connection at the worst moment. */
export class CuttingProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #next: Cut | undefined;
  cuts = 0;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async before(port: number): Promise<CuttingProxy> {
    const server = createServer();
    const proxy = new CuttingProxy(server);
    server.on("connection", (client) => proxy.#join(client, connect(port, "127.0.0.1")));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port;
  }

  cutNextCommit(cut: Cut): void {
    this.#next = cut;
  }

  #join(client: Socket, database: Socket): void {
    for (const [one, other] of [
      [client, database],
      [database, client],
    ] as const) {
      this.#sockets.add(one);
      one.on("error", () => {});
      one.on("close", () => {
        this.#sockets.delete(one);
        other.destroy();
      });
    }
    let isDeaf = false;
    client.on("data", (bytes: Buffer) => {
      // A commit that records an operation: the names of both statements are in what is sent.
      const isCommit = bytes.includes("\0outcome\0") && bytes.includes("\0commit\0");
      const cut = isCommit ? this.#next : undefined;
      if (cut === undefined) {
        database.write(bytes);
        return;
      }
      this.#next = undefined;
      this.cuts++;
      isDeaf = true;
      if (cut === "answer") database.write(bytes, () => setTimeout(() => client.destroy(), 5));
      else client.destroy();
    });
    database.on("data", (bytes: Buffer) => {
      if (!isDeaf) client.write(bytes);
    });
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}
