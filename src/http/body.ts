import { type MaybePromise, then } from "../base/maybe-promise.ts";
import { Refusal } from "../base/refusals.ts";
import { type OwnedChunk, PooledBuffer, release } from "../memory/pooled-buffer.ts";
import type { Connection, Incoming } from "./connection/connection.ts";
import type { IncomingBody } from "./connection/incoming-body.ts";
import { CHUNKED } from "./connection/request-head.ts";
import type { Body } from "./exchange.ts";
import { CheckedBody, checkBytes, type DeclaredDigest, readDeclaredDigest } from "./wire/digest.ts";
import { decodeStructuredBody, readStructuredBody } from "./wire/structured-body.ts";

const EMPTY = Buffer.alloc(0);

/**
 * The body of a request. Nothing is read before an operation asks for it, so a request that is refused by its
 * headers costs no transfer: `Expect: 100-continue` is answered at the first read.
 */
export class RequestBody implements Body {
  readonly length: number | undefined;
  readonly #incoming: IncomingBody;
  readonly #connection: Connection;
  readonly #expectsContinue: boolean;
  readonly #bytesMax: number;
  readonly #declared: DeclaredDigest;
  readonly #structured: { readonly contentLength: number } | undefined;
  /** Bytes read off the connection so far. */
  bytesRead = 0;

  constructor({ head, body }: Incoming, connection: Connection, bytesMax: number) {
    const { method, headers, bodyLength, expectsContinue } = head;
    this.#incoming = body;
    this.#connection = connection;
    this.#expectsContinue = expectsContinue;
    this.#declared = readDeclaredDigest(headers);
    // On a read the same header asks for a structured answer.
    const isRead = method === "GET" || method === "HEAD";
    this.#structured = isRead ? undefined : readStructuredBody(headers);
    const sent = bodyLength === CHUNKED ? undefined : bodyLength;
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
      length: this.length,
    });
  }

  read(bytesMax: number): MaybePromise<Buffer> {
    if (this.length !== undefined && this.length > bytesMax) throw new Refusal("RequestBodyTooLarge");
    const whole = this.#structured === undefined ? this.#readPlain(bytesMax) : this.#readStream(bytesMax);
    const declared = this.#declared;
    if (declared.md5 === undefined && declared.crc64 === undefined) return whole;
    return then(whole, (bytes) => {
      checkBytes(bytes, { declared });
      return bytes;
    });
  }

  async #readStream(bytesMax: number): Promise<Buffer> {
    const chunks: OwnedChunk[] = [];
    let bytes = 0;
    for await (const chunk of this.stream()) {
      bytes += chunk.length;
      if (bytes > bytesMax) throw new Refusal("RequestBodyTooLarge");
      chunks.push(chunk);
    }
    return joinChunks(chunks);
  }

  #readPlain(bytesMax: number): MaybePromise<Buffer> {
    if (this.length === 0) return EMPTY;
    this.#onFirstRead();
    const limit = Math.min(bytesMax, this.#bytesMax);
    const incoming = this.#incoming;
    // A small body arrives with its head, or in one packet behind it.
    if (!incoming.isComplete) return this.#gather(limit);
    const whole = joinChunks(incoming.takeAll());
    this.bytesRead = whole.length;
    if (whole.length > limit) throw new Refusal("RequestBodyTooLarge");
    return whole;
  }

  async #gather(limit: number): Promise<Buffer> {
    const chunks: OwnedChunk[] = [];
    for await (const chunk of this.#receive(limit)) chunks.push(chunk);
    return joinChunks(chunks);
  }

  /**
   * Not a generator, like all code that passes a body on: a generator that waits for its next chunk keeps the
   * last one in memory, and there may be thousands of slow clients.
   */
  #receive(limit = this.#bytesMax): AsyncIterable<OwnedChunk> {
    const next = async (): Promise<IteratorResult<OwnedChunk>> => {
      this.#onFirstRead();
      const chunk = await this.#incoming.next();
      if (chunk === undefined) return { done: true, value: undefined };
      this.bytesRead += chunk.length;
      if (this.bytesRead > limit) throw new Refusal("RequestBodyTooLarge");
      return { done: false, value: chunk };
    };
    return { [Symbol.asyncIterator]: () => ({ next }) };
  }

  #onFirstRead(): void {
    if (this.#expectsContinue) this.#connection.sendContinue();
  }
}

/** In one plain buffer that the operation may keep for long, so pooled memory is copied and released. */
function joinChunks(chunks: readonly OwnedChunk[]): Buffer {
  const [only] = chunks;
  if (chunks.length === 1 && !(only instanceof PooledBuffer)) return only!;
  const whole = Buffer.concat(chunks);
  for (const chunk of chunks) release(chunk);
  return whole;
}
