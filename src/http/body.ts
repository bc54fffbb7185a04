import type { IncomingMessage } from "node:http";
import { Refusal } from "../base/refusals.ts";
import type { Body, Headers } from "./exchange.ts";
import { CheckedBody, checkBytes, type DeclaredDigest, readDeclaredDigest } from "./wire/digest.ts";
import { decodeStructuredBody, readStructuredBody } from "./wire/structured-body.ts";

const EMPTY = Buffer.alloc(0);

/**
 * The body of a request. Nothing is read before an operation asks for it, so a request that is refused by its
 * headers costs no transfer: `Expect: 100-continue` is answered at the first read.
 */
export class RequestBody implements Body {
  readonly length: number | undefined;
  readonly #message: IncomingMessage;
  readonly #bytesMax: number;
  readonly #onFirstRead: (() => void) | undefined;
  readonly #declared: DeclaredDigest;
  readonly #structured: { readonly contentLength: number } | undefined;
  /** Bytes taken off the connection so far. */
  bytesRead = 0;

  constructor(message: IncomingMessage, headers: Headers, bytesMax: number, onFirstRead?: () => void) {
    this.#message = message;
    this.#onFirstRead = onFirstRead;
    this.#declared = readDeclaredDigest(headers);
    // On a read the same header asks for a structured answer.
    const isRead = message.method === "GET" || message.method === "HEAD";
    this.#structured = isRead ? undefined : readStructuredBody(headers);
    const declared = headers["content-length"];
    // Node has checked the header: digits only, and never beside Transfer-Encoding.
    const sent =
      declared !== undefined ? Number(declared) : headers["transfer-encoding"] === undefined ? 0 : undefined;
    this.length = this.#structured?.contentLength ?? sent;
    // A structured body is a little longer than its content: headers and checksums of its segments.
    this.#bytesMax = this.#structured === undefined ? bytesMax : bytesMax + bytesMax / 32 + 1_024;
    if (sent !== undefined && sent > this.#bytesMax) throw new Refusal("RequestBodyTooLarge");
    if (this.length !== undefined && this.length > bytesMax) throw new Refusal("RequestBodyTooLarge");
  }

  stream(want: { readonly md5?: boolean; readonly crc64?: boolean } = {}): CheckedBody {
    const received = this.#receive();
    const content =
      this.#structured === undefined ? received : decodeStructuredBody(received, this.#structured);
    return new CheckedBody(content, {
      declared: this.#declared,
      wantsMd5: want.md5 ?? false,
      wantsCrc64: want.crc64 ?? false,
    });
  }

  async read(bytesMax: number): Promise<Buffer> {
    if (this.length !== undefined && this.length > bytesMax) throw new Refusal("RequestBodyTooLarge");
    const whole =
      this.#structured === undefined ? await this.#readPlain(bytesMax) : await this.#readStream(bytesMax);
    const { md5, crc64 } = this.#declared;
    if (md5 !== undefined || crc64 !== undefined) checkBytes(whole, { declared: this.#declared });
    return whole;
  }

  async #readStream(bytesMax: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    let bytes = 0;
    for await (const piece of this.stream()) {
      bytes += piece.length;
      if (bytes > bytesMax) throw new Refusal("RequestBodyTooLarge");
      pieces.push(piece);
    }
    return Buffer.concat(pieces, bytes);
  }

  /** By events: for a small body that is one of three, an iterator costs more than the body. */
  #readPlain(bytesMax: number): Promise<Buffer> {
    if (this.length === 0) return Promise.resolve(EMPTY);
    this.#onFirstRead?.();
    return new Promise((resolve, reject) => {
      const message = this.#message;
      const pieces: Buffer[] = [];
      const limit = Math.min(bytesMax, this.#bytesMax);
      message.on("data", (piece: Buffer) => {
        this.bytesRead += piece.length;
        if (this.bytesRead <= limit) pieces.push(piece);
        else reject(new Refusal("RequestBodyTooLarge"));
      });
      message.on("end", () => {
        if (!message.complete) reject(new ClientGone());
        else resolve(pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces));
      });
      message.on("error", (error) => reject(new ClientGone(error)));
      message.on("close", () => {
        if (!message.readableEnded) reject(new ClientGone());
      });
    });
  }

  async *#receive(): AsyncGenerator<Buffer> {
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
    // A connection that ends early looks like the end of the body unless the parser is asked.
    if (!this.#message.complete) throw new ClientGone();
  }
}

/** The client went away in the middle of its request: there is nobody to answer, and nothing was stored. */
export class ClientGone extends Error {
  override readonly name = "ClientGone";

  constructor(cause?: unknown) {
    super("the client went away", cause === undefined ? undefined : { cause });
  }
}
