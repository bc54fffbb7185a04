import { monotonic, pause } from "../../../src/base/clock.ts";
import { type Random, seededRandom } from "../../../src/base/random.ts";
import type { Product } from "../../support/product.ts";
import { WireClient } from "../../support/wire-client.ts";
import { Entry, isClean, type LedgerStats, newStats } from "./cell.ts";
import { cellsOf, PREPARE } from "./cells.ts";

/**
 * Clients that write without pause, each its own cells, until the product goes down under them; then
 * everything is looked at, and they go on. What was acknowledged must be there, what was not may be, whole.
 */
export class Ledger {
  readonly stats: LedgerStats = newStats();
  readonly #product: Product;
  readonly #random: Random;
  readonly #clients: readonly { readonly client: WireClient; readonly entries: readonly Entry[] }[];

  constructor(product: Product, clients: number, seed: number) {
    this.#product = product;
    this.#random = seededRandom(seed);
    this.#clients = Array.from({ length: clients }, (_, number) => ({
      client: new WireClient(() => product.ports),
      entries: cellsOf(number, this.#random).map((cell) => new Entry(cell, this.stats)),
    }));
  }

  async prepare(): Promise<void> {
    const client = new WireClient(() => this.#product.ports);
    for (const [service, request] of PREPARE) {
      const reply = await client.send(service, request);
      if (typeof reply === "string" || (reply.status >= 300 && reply.status !== 409)) {
        throw new Error(`${request.method} ${request.path}: ${JSON.stringify(reply)}`);
      }
    }
    client.close();
  }

  /** Works until `crash` has been called after so many milliseconds and has come back, then checks. */
  async cycle(millis: number, crash: () => Promise<void>): Promise<void> {
    let isOver = false;
    const work = this.#clients.map(async ({ client, entries }) => {
      while (!isOver) {
        const free = entries.filter(({ isCertain }) => isCertain);
        const entry = free[Math.floor(this.#random.fraction() * free.length)];
        if (entry === undefined) return;
        await entry.write(client, this.#random);
      }
    });
    await pause(millis);
    await crash();
    isOver = true;
    await Promise.all(work);
    await this.check();
  }

  async check(): Promise<void> {
    await Promise.all(
      this.#clients.map(async ({ client, entries }) => {
        for (const entry of entries) await entry.check(client);
      }),
    );
  }

  get isClean(): boolean {
    return isClean(this.stats);
  }

  close(): void {
    for (const { client } of this.#clients) client.close();
  }
}

/** How long it took until somebody was answered again. */
export async function timeToAnswer(product: Product, path: string): Promise<number> {
  const client = new WireClient(() => product.ports);
  const from = monotonic();
  try {
    for (;;) {
      const reply = await client.send("blob", { method: "GET", path });
      if (typeof reply !== "string") return monotonic() - from;
      await pause(5);
    }
  } finally {
    client.close();
  }
}
