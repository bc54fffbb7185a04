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
  /** The checked addresses of the host: the connection goes to one of these. */
  readonly addresses: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  /** The fetch ends when this client leaves; undefined for a copy that continues without its client. */
  readonly client: Client | undefined;
  readonly timers: Timers;
  /** Called once, when the connection is no longer used. */
  readonly release: () => void;
}

/**
 * One connection to the source of a copy on another server. It ends when the source is too slow, when its
 * client leaves, or when its owner closes it, which the owner always does.
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

  /** The head of the response. The server follows no redirects, since it has checked this address only. */
  open(): Promise<IncomingMessage> {
    const { client, timers } = this.#options;
    const message = this.#message;
    return new Promise((resolve, reject) => {
      const timer = timers.after(LIMITS.sourceHeadersMillis, () => this.#fail(unverified()));
      message.on("response", (response) => {
        timer.cancel();
        resolve(response);
      });
      // Unreachable, not an HTTP server, or disconnected: to the client all these are one refusal.
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
    const chunks = (response as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
    try {
      for (;;) {
        this.#isAwaited = true;
        const { done, value } = await chunks.next();
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

  /** Only the time that we wait for the source counts, not that of a slow disk here. */
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

/** Node.js would resolve the name again, perhaps to an address that was not checked. */
function lookupIn(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  return (_, options, done) => {
    const { all, family } = options;
    const fitting =
      family === 4 || family === 6 ? found.filter((address) => address.family === family) : found;
    const [first] = fitting;
    if (first === undefined) done(new Error("no address of this family"), "");
    else if (all === true) done(null, fitting);
    else done(null, first.address, first.family);
  };
}
