import type { Unauthenticated } from "../../src/http/auth/authenticate.ts";
import type { ServiceName } from "../../src/http/exchange.ts";
import { requestOf } from "./auth.ts";

/** What an SDK hands to its HTTP client, as far as we look at it. */
interface OutgoingRequest {
  readonly url: string;
  readonly method: string;
  /** The storage packages hand over their older kind of headers, the table package the newer one. */
  readonly headers: { headersArray(): { name: string; value: string }[] } | Iterable<[string, string]>;
  readonly body?: unknown;
}

class Captured extends Error {
  override readonly name = "Captured";
}

/** An HTTP client that keeps the request and sends nothing. */
export class CapturingClient {
  #last: OutgoingRequest | undefined;

  readonly sendRequest = async (request: OutgoingRequest): Promise<never> => {
    this.#last = request;
    throw new Captured("captured");
  };

  /** The request that the call would have sent, as the server reads it. */
  async requestOf(service: ServiceName, call: () => Promise<unknown>): Promise<Unauthenticated> {
    this.#last = undefined;
    await call().catch((error: unknown) => {
      if (!String(error).includes("captured")) throw error;
    });
    const last = this.#last as OutgoingRequest | undefined;
    if (last === undefined) throw new Error("the SDK sent nothing");
    const pairs =
      "headersArray" in last.headers
        ? last.headers.headersArray().map(({ name, value }) => [name, value] as const)
        : last.headers;
    const headers = Object.fromEntries(pairs);
    const url = new URL(last.url);
    const hasLength = Object.keys(headers).some((name) => name.toLowerCase() === "content-length");
    // Node's client states the length of an empty body, which the SDK leaves out.
    if (!hasLength && (last.method === "PUT" || last.method === "POST")) headers["content-length"] = "0";
    return requestOf({
      service,
      method: last.method,
      url: `${url.protocol}//${url.host}${url.pathname}${url.search}`,
      headers,
    });
  }
}
