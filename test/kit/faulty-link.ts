import { connect, createServer, type Server, type Socket } from "node:net";

/**
 * What the link to a database does with what is sent over it.
 *
 *   carry      passes everything on
 *   swallow    requests arrive, answers are lost, and nothing closes: a firewall that has lost its state
 *   blackhole  nothing arrives on either side, and nothing closes: a cable that was pulled
 *   stall      nothing arrives for now; `carry` delivers it
 *   refuse     connections are closed, and new ones are refused
 */
export type LinkMode = "carry" | "swallow" | "blackhole" | "stall" | "refuse";

/** One connection over the link. */
class Strand {
  readonly #client: Socket;
  readonly #database: Socket;
  readonly #held: (() => void)[] = [];
  #mode: LinkMode;

  constructor(client: Socket, database: Socket, mode: LinkMode, onRequest: (bytes: Buffer) => void) {
    this.#client = client;
    this.#database = database;
    this.#mode = mode;
    for (const [from, to] of [
      [client, database],
      [database, client],
    ] as const) {
      from.on("error", () => {});
      // The other side learns of an end only over a link that carries.
      from.on("close", () => this.#pass(() => to.destroy(), false));
    }
    client.on("data", (bytes: Buffer) => {
      onRequest(bytes);
      this.#pass(() => database.write(bytes), this.#mode === "swallow");
    });
    database.on("data", (bytes: Buffer) => this.#pass(() => client.write(bytes), false));
  }

  #pass(deliver: () => void, isLetThrough: boolean): void {
    if (this.#mode === "carry" || isLetThrough) deliver();
    else if (this.#mode === "stall") this.#held.push(deliver);
  }

  /** What was swallowed stays lost: a connection that lost bytes goes on carrying nothing. */
  set(mode: LinkMode): void {
    const isBroken = this.#mode === "swallow" || this.#mode === "blackhole";
    if (isBroken && (mode === "carry" || mode === "stall")) return;
    this.#mode = mode;
    if (mode === "carry") for (const deliver of this.#held.splice(0)) deliver();
    if (mode === "refuse") this.destroy();
  }

  destroy(): void {
    this.#client.destroy();
    this.#database.destroy();
  }
}

/** Stands between a store and its database, and fails in the ways networks do. */
export class FaultyLink {
  readonly #server: Server;
  readonly #databasePort: number;
  readonly #strands = new Set<Strand>();
  #mode: LinkMode = "carry";
  #atCommit: { mode: LinkMode; reach: "all" | "one"; begun(): void } | undefined;
  /** The first bytes of every connection. */
  readonly firstBytes: Buffer[] = [];

  private constructor(server: Server, databasePort: number) {
    this.#server = server;
    this.#databasePort = databasePort;
    server.on("connection", (client) => this.#join(client));
  }

  /** Port 0: any that is free. */
  static async before(databasePort: number, port = 0): Promise<FaultyLink> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
    return new FaultyLink(server, databasePort);
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port;
  }

  /** The same database, over this link. */
  over(address: string): string {
    return address.replace(/127\.0\.0\.1:\d+/, `127.0.0.1:${this.port}`);
  }

  set(mode: LinkMode): void {
    this.#mode = mode;
    for (const strand of this.#strands) strand.set(mode);
  }

  /**
   * From the next commit of a write on: all connections, or only the one it goes over. Resolves at that
   * moment.
   */
  setAtCommit(mode: LinkMode, reach: "all" | "one"): Promise<void> {
    return new Promise((begun) => {
      this.#atCommit = { mode, reach, begun };
    });
  }

  #join(client: Socket): void {
    // Refused as far as a server can that listens: nothing is said.
    if (this.#mode === "refuse") {
      client.destroy();
      return;
    }
    const database = connect(this.#databasePort, "127.0.0.1");
    client.once("data", (bytes: Buffer) => this.firstBytes.push(bytes));
    const strand: Strand = new Strand(client, database, this.#mode, (bytes) => {
      // A commit that records an operation: the names of both statements are in what is sent.
      const isCommit = bytes.includes("\0outcome\0") && bytes.includes("\0commit\0");
      if (this.#atCommit === undefined || !isCommit) return;
      const { mode, reach, begun } = this.#atCommit;
      this.#atCommit = undefined;
      if (reach === "one") strand.set(mode);
      else this.set(mode);
      begun();
    });
    this.#strands.add(strand);
    database.on("close", () => this.#strands.delete(strand));
  }

  async close(): Promise<void> {
    for (const strand of this.#strands) strand.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}
