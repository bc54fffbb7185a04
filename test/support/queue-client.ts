import { Agent, request } from "node:http";
import { signedHeaders, targetOf } from "../../bench/sign.ts";

/**
 * A queue client for many loops in one process: no SDK, no retries of its own. A request that got no reply
 * says so, because then nobody knows whether it was done, and what to make of that is what the caller is
 * testing.
 */
export interface TakenByClient {
  readonly id: string;
  readonly receipt: string;
  readonly text: string;
}

export type Reply<T> = { readonly status: number; readonly value: T } | "no reply";

export class QueueTestClient {
  readonly #port: number;
  readonly #agent: Agent;
  readonly #queue: string;

  constructor(port: number, queue: string, connectionsMax: number) {
    this.#port = port;
    this.#queue = queue;
    this.#agent = new Agent({ keepAlive: true, maxSockets: connectionsMax });
  }

  create(): Promise<Reply<undefined>> {
    return this.#send("PUT", "", {}, undefined, () => undefined);
  }

  put(text: string): Promise<Reply<undefined>> {
    const body = Buffer.from(`<QueueMessage><MessageText>${text}</MessageText></QueueMessage>`);
    return this.#send("POST", "/messages", {}, body, () => undefined);
  }

  get(count: number, hideForSeconds: number): Promise<Reply<TakenByClient[]>> {
    const query = { numofmessages: String(count), visibilitytimeout: String(hideForSeconds) };
    return this.#send("GET", "/messages", query, undefined, readMessages);
  }

  delete({ id, receipt }: TakenByClient): Promise<Reply<undefined>> {
    return this.#send("DELETE", `/messages/${id}`, { popreceipt: receipt }, undefined, () => undefined);
  }

  count(): Promise<Reply<number>> {
    return this.#send("GET", "", { comp: "metadata" }, undefined, (_, headers) =>
      Number(headers["x-ms-approximate-messages-count"]),
    );
  }

  close(): void {
    this.#agent.destroy();
  }

  #send<T>(
    method: string,
    path: string,
    query: Record<string, string>,
    body: Buffer | undefined,
    read: (body: string, headers: NodeJS.Dict<string | string[]>) => T,
  ): Promise<Reply<T>> {
    const plain = { method, path: `/${this.#queue}${path}`, query, ...(body === undefined ? {} : { body }) };
    const headers = signedHeaders(plain);
    headers["Content-Length"] = String(body?.length ?? 0);
    return new Promise((resolve) => {
      const message = request(
        {
          host: "127.0.0.1",
          port: this.#port,
          agent: this.#agent,
          method,
          path: targetOf(plain),
          headers,
        },
        (response) => {
          let text = "";
          response.setEncoding("utf8");
          response.on("data", (chunk: string) => {
            text += chunk;
          });
          response.on("end", () =>
            resolve({ status: response.statusCode ?? 0, value: read(text, response.headers) }),
          );
          response.on("error", () => resolve("no reply"));
        },
      );
      message.setTimeout(PATIENCE_MILLIS, () => message.destroy());
      message.on("error", () => resolve("no reply"));
      message.on("close", () => resolve("no reply"));
      message.end(body);
    });
  }
}

const PATIENCE_MILLIS = 20_000;

const MESSAGE =
  /<MessageId>([^<]*)<\/MessageId>.*?<PopReceipt>([^<]*)<\/PopReceipt>.*?<MessageText>([^<]*)<\/MessageText>/gs;

function readMessages(body: string): TakenByClient[] {
  return [...body.matchAll(MESSAGE)].map(([, id, receipt, text]) => ({
    id: id!,
    receipt: receipt!,
    text: text!,
  }));
}
