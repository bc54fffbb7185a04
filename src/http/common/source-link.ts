import { type ClientRequest, type IncomingMessage, request as plainRequest } from "node:http";
import { request as secureRequest } from "node:https";
import { isIPv6, type LookupFunction } from "node:net";
import type { Timer, Timers } from "../../base/clock.ts";
import { LIMITS } from "../../base/limits.ts";
import { Refusal } from "../../base/refusals.ts";
import { ClientGone } from "../connection/incoming-body.ts";
import type { Client } from "../exchange.ts";

export interface LinkOptions {
  readonly url: URL;
  /** What the name was found to be: the connection goes to one of these, and to no other. */
  readonly addresses: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  /** Whose leaving ends the fetch; undefined for a copy that goes on without its client. */
  readonly client: Client | undefined;
  readonly timers: Timers;
  /** Called once, when the connection is no longer used. */
  readonly release: () => void;
}

/**
 * One connection to the source of a copy on another server. It ends when the source is too slow, when the client for
 * which it is read leaves, and when it is closed, which the owner does in any case.
 */
export class SourceLink {
  readonly #options: LinkOptions;
  readonly #message: ClientRequest;
  #watch: Timer | undefined;
  #failure: Error | undefined;
  #isClosed = false;
  #isAwaited = false;
  #awaitedMillis = 0;
  #bytes = 0;

  constructor(options: LinkOptions) {
    const { url, addresses, headers, client } = options;
    this.#options = options;
    const start = url.protocol === "https:" ? secureRequest : plainRequest;
    this.#message = start(url, { method: "GET", headers, agent: false, lookup: lookupIn(addresses) });
    if (client !== undefined) client.onLeave = () => this.#fail(new ClientGone());
  }

  /** The head of the answer. Redirects are not followed: the client named the place that is to be read. */
  open(): Promise<IncomingMessage> {
    const { client, timers } = this.#options;
    const message = this.#message;
    return new Promise((resolve, reject) => {
      const timer = timers.after(LIMITS.sourceHeadersMillis, () => this.#fail(unverified()));
      message.on("response", (response) => {
        timer.cancel();
        resolve(response);
      });
      // Unreachable, not speaking HTTP, or gone: all the client can be told is that it could not be read.
      message.on("error", () => {});
      message.on("close", () => {
        timer.cancel();
        reject(this.#failure ?? unverified());
      });
      if (client?.hasLeft === true) this.#fail(new ClientGone());
      else message.end();
    });
  }

  async *read(response: IncomingMessage): AsyncGenerator<Buffer> {
    this.#watch = this.#options.timers.every(LIMITS.sourceWatchMillis, () => this.#checkProgress());
    const pieces = (response as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
    try {
      for (;;) {
        this.#isAwaited = true;
        const { done, value } = await pieces.next();
        this.#isAwaited = false;
        if (done === true) break;
        this.#bytes += value.length;
        yield value;
      }
    } catch {
      throw this.#failure ?? unverified();
    } finally {
      this.#watch.cancel();
    }
    if (this.#failure !== undefined || !response.complete) throw this.#failure ?? unverified();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const { client, release } = this.#options;
    this.#watch?.cancel();
    if (client !== undefined) client.onLeave = undefined;
    this.#message.destroy();
    release();
  }

  /** Only the time in which we wait for the source counts: a slow disk of ours is not its fault. */
  #checkProgress(): void {
    if (!this.#isAwaited) return;
    this.#awaitedMillis += LIMITS.sourceWatchMillis;
    if (this.#awaitedMillis < LIMITS.slowSourceMillis) return;
    if (this.#bytes < LIMITS.slowSourceBytesMin) this.#fail(unverified());
    this.#awaitedMillis = 0;
    this.#bytes = 0;
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#message.destroy(error);
  }
}

function unverified(): Refusal {
  return new Refusal("CannotVerifyCopySource");
}

/** Node would ask for the name once more, and might hear something else than what was checked. */
function lookupIn(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  return (_, options, done) => {
    const { all, family } = options;
    const fitting = family === 4 || family === 6 ? found.filter((one) => one.family === family) : found;
    const [first] = fitting;
    if (first === undefined) done(new Error("no address of this family"), "");
    else if (all === true) done(null, fitting);
    else done(null, first.address, first.family);
  };
}
