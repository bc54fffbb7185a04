import type { Instant, Millis } from "../base/clock.ts";
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { Caller } from "./auth/caller.ts";

export type ServiceName = "blob" | "queue" | "table" | "file";

/**
 * Where a request points. `rawPath` is the path as it was sent, still encoded and with the account in it when
 * the address is path-style: clients sign it. `path` is what follows the account, decoded, without the
 * leading slash ("" for the account itself).
 */
export interface Target {
  readonly service: ServiceName;
  readonly account: string;
  readonly isSecondary: boolean;
  readonly isPathStyle: boolean;
  /** The address is that of the account's static website: `account.web.host`. */
  readonly isWebsite?: true;
  readonly rawPath: string;
  readonly path: string;
}

/** Decoded query parameters, looked up without regard to case. */
export interface Query {
  get(name: string): string | undefined;
  has(name: string): boolean;
  /** Every pair, names lower-cased, values decoded, in the order sent. */
  readonly pairs: readonly (readonly [name: string, value: string])[];
  /** Names that are repeated and must not be; nearly always undefined. */
  readonly repeated: readonly string[] | undefined;
}

/** Header values by lower-cased name. */
export type Headers = Readonly<Record<string, string | undefined>>;

export interface Body {
  /** Bytes of content; undefined for a chunked body. */
  readonly length: number | undefined;
  /**
   * The bytes as they arrive, with backpressure. A digest that the client declared is checked before the
   * stream ends; `md5` and `crc64` of the result, if requested, are set then.
   */
  stream(want?: { readonly md5?: boolean; readonly crc64?: boolean }): BodyStream;
  /**
   * All of it, checked; refused past `bytesMax` (413). Not a promise if it has arrived, as most small bodies
   * have.
   */
  read(bytesMax: number): MaybePromise<Buffer>;
}

export interface BodyStream extends AsyncIterable<Buffer> {
  readonly bytesRead: number;
  /** Base64, once the stream has ended. */
  readonly md5: string | undefined;
  readonly crc64: string | undefined;
}

/** Whether a client still waits for its reply: for operations that take long. */
export interface Client {
  /** It has closed the connection, or its half of it. */
  readonly hasLeft: boolean;
  /** Called once when it leaves. There is one watcher at a time, which removes itself. */
  onLeave: (() => void) | undefined;
}

export interface HttpRequest {
  readonly id: string;
  readonly method: string;
  readonly target: Target;
  readonly query: Query;
  readonly headers: Headers;
  /** Names and values alternately, as they were sent: the case of a name matters in metadata. */
  readonly rawHeaders: readonly string[];
  readonly body: Body;
  readonly isSecure: boolean;
  readonly remoteAddress: string;
  readonly receivedAt: Instant;
  /** The client's `timeout` parameter; the Table service has none. */
  readonly timeout?: Millis | undefined;
  /** x-ms-version, or api-version or sv of the address; "" without any. */
  readonly version: string;
  readonly caller: Caller;
  readonly client: Client;
}

/** Header names as they are printed; an undefined value is left out. */
export type ReplyHeaders = Readonly<Record<string, string | undefined>>;

export interface HttpReply {
  readonly status: number;
  /** The reason phrase, in visible ASCII; HTTP's own phrase without it. */
  readonly reason?: string | undefined;
  readonly headers?: ReplyHeaders;
  /**
   * A string is sent as UTF-8, buffers one after the other. A stream needs `length` unless it may be chunked.
   */
  readonly body?: string | Buffer | readonly Buffer[] | AsyncIterable<Uint8Array>;
  /** A byte order mark precedes the string: inside it, the mark would double its memory. */
  readonly isMarked?: boolean;
  readonly length?: number | undefined;
  /** Called once when the reply is sent or the client is gone: releases what a streamed body owns. */
  readonly release?: (() => void) | undefined;
}
