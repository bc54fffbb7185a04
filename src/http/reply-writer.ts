import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { HttpReply } from "./exchange.ts";
import { ReplyQueue } from "./reply-queue.ts";

/** A reply with what every reply carries. */
export interface Outgoing extends HttpReply {
  readonly isHead: boolean;
  readonly mustClose: boolean;
  readonly requestId: string;
  readonly version: string | undefined;
  readonly clientRequestId: string | undefined;
}

export interface Sent {
  readonly status: number;
  readonly bytes: number;
}

/** Writes replies: headers in one piece, small bodies with them, streams at the pace of the client. */
export class ReplyWriter {
  readonly #queue = new ReplyQueue();

  send(
    response: ServerResponse,
    reply: Outgoing,
    done: (sent: Sent) => void,
    failed: (error: unknown) => void,
  ): void {
    this.#queue.push(() => {
      if (response.destroyed) {
        done({ status: reply.status, bytes: 0 });
        return;
      }
      const { body } = reply;
      if (body === undefined || typeof body === "string" || Buffer.isBuffer(body)) {
        done({ status: reply.status, bytes: this.#writeWhole(response, reply, body) });
      } else {
        this.#writeStream(response, reply, body).then(
          (bytes) => done({ status: reply.status, bytes }),
          (error: unknown) => {
            // Part of the reply is out. Ending the connection is the only way left to say that it is not whole.
            response.destroy();
            done({ status: reply.status, bytes: 0 });
            if (!isClosedByClient(error)) failed(error);
          },
        );
      }
    });
  }

  #writeWhole(response: ServerResponse, reply: Outgoing, body: string | Buffer | undefined): number {
    const bytes = body === undefined ? 0 : typeof body === "string" ? Buffer.byteLength(body) : body.length;
    const hasLength = reply.status !== 204 && reply.status !== 304;
    const length = reply.isHead ? (reply.length ?? bytes) : bytes;
    response.writeHead(reply.status, rawHeaders(reply, hasLength ? length : undefined));
    // A string joins its headers in one write; a buffer needs a vector, which costs more than it saves here.
    if (reply.isHead || bytes === 0) response.end();
    else response.end(body);
    return bytes;
  }

  async #writeStream(
    response: ServerResponse,
    reply: Outgoing,
    body: AsyncIterable<Uint8Array>,
  ): Promise<number> {
    response.writeHead(reply.status, rawHeaders(reply, reply.length));
    let bytes = 0;
    if (!reply.isHead) {
      for await (const piece of body) {
        bytes += piece.length;
        if (response.destroyed) return bytes;
        if (!response.write(piece)) await Promise.race([once(response, "drain"), once(response, "close")]);
      }
    }
    response.end();
    return bytes;
  }
}

function isClosedByClient(error: unknown): boolean {
  const code = (error as { code?: unknown } | undefined)?.code;
  return code === "ERR_STREAM_DESTROYED" || code === "ECONNRESET" || code === "EPIPE";
}

/** A flat list, which Node writes out as it is. */
function rawHeaders(reply: Outgoing, length: number | undefined): string[] {
  const list = ["Server", "Holdfast", "x-ms-request-id", reply.requestId];
  if (reply.version !== undefined) list.push("x-ms-version", reply.version);
  if (reply.clientRequestId !== undefined) list.push("x-ms-client-request-id", reply.clientRequestId);
  for (const name in reply.headers) {
    const value = reply.headers[name];
    if (value !== undefined) list.push(name, value);
  }
  if (length !== undefined) list.push("Content-Length", String(length));
  if (reply.mustClose) list.push("Connection", "close");
  return list;
}
