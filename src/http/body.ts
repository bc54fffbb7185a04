import type { IncomingMessage } from "node:http";
import { Refusal } from "../base/refusals.ts";
import type { Body, Headers } from "./exchange.ts";

/**
 * The body of a request. Nothing is read before an operation asks for it, so a request that is refused by its
 * headers costs no transfer: `Expect: 100-continue` is answered at the first read.
 */
export class RequestBody implements Body {
  readonly length: number | undefined;
  readonly #message: IncomingMessage;
  readonly #bytesMax: number;
  readonly #onFirstRead: (() => void) | undefined;
  bytesRead = 0;

  constructor(message: IncomingMessage, headers: Headers, bytesMax: number, onFirstRead?: () => void) {
    this.#message = message;
    this.#bytesMax = bytesMax;
    this.#onFirstRead = onFirstRead;
    const declared = headers["content-length"];
    // Node has checked the header: digits only, and never beside Transfer-Encoding.
    this.length =
      declared !== undefined ? Number(declared) : headers["transfer-encoding"] === undefined ? 0 : undefined;
    if (this.length !== undefined && this.length > bytesMax) throw new Refusal("RequestBodyTooLarge");
  }

  async *stream(): AsyncGenerator<Buffer> {
    this.#onFirstRead?.();
    try {
      for await (const piece of this.#message as AsyncIterable<Buffer>) {
        this.bytesRead += piece.length;
        if (this.bytesRead > this.#bytesMax) throw new Refusal("RequestBodyTooLarge");
        yield piece;
      }
    } catch (error) {
      if (error instanceof Refusal) throw error;
      throw new ClientGone(error);
    }
    // A connection that ends early looks like the end of the body unless the length is compared.
    if (!this.#message.complete) throw new ClientGone();
  }

  async read(bytesMax: number): Promise<Buffer> {
    if (this.length !== undefined && this.length > bytesMax) throw new Refusal("RequestBodyTooLarge");
    if (this.length === 0) return Buffer.alloc(0);
    const pieces: Buffer[] = [];
    let bytes = 0;
    for await (const piece of this.stream()) {
      bytes += piece.length;
      if (bytes > bytesMax) throw new Refusal("RequestBodyTooLarge");
      pieces.push(piece);
    }
    return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces, bytes);
  }
}

/** The client went away in the middle of its request: there is nobody to answer, and nothing was stored. */
export class ClientGone extends Error {
  override readonly name = "ClientGone";

  constructor(cause?: unknown) {
    super("the client went away", cause === undefined ? undefined : { cause });
  }
}
