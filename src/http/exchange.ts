import type { Instant, Millis } from "../base/clock.ts";
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { Caller } from "./auth/caller.ts";

/** What the rest of the front end sees of one HTTP request, and what it answers. */
export type ServiceName = "blob" | "queue" | "table" | "file";

/**
 * Where a request points. `rawPath` is the path as it came, still encoded and with the account in it when the
 * address is path-style: signatures are made over it. `path` is what follows the account, decoded, without
 * the leading slash ("" for the account itself).
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

/** Decoded query parameters; names keep their case as sent and are looked up without regard to it. */
export interface Query {
  get(name: string): string | undefined;
  has(name: string): boolean;
  /** Every pair, names lower-cased, values decoded, in the order sent. */
  readonly pairs: readonly (readonly [name: string, value: string])[];
  /**
   * Names that came more than once although they must not; undefined when there are none, as nearly always.
   */
  readonly repeated: readonly string[] | undefined;
}

/** Header values by lower-cased name. A header sent twice is refused when it is one that must not repeat. */
export type Headers = Readonly<Record<string, string | undefined>>;

export interface Body {
  /** Bytes of content; undefined for a chunked body, which tells only at its end. */
  readonly length: number | undefined;
  /**
   * The bytes as they come, with backpressure. A digest the client declared is checked when the last byte has
   * passed, before the end of the stream is told; `md5` and `crc64` of the result stand then, where wanted.
   */
  stream(want?: { readonly md5?: boolean; readonly crc64?: boolean }): BodyStream;
  /**
   * All of it, checked; refused past `bytesMax` (413). At once where it is here, as most small bodies are.
   */
  read(bytesMax: number): MaybePromise<Buffer>;
}

export interface BodyStream extends AsyncIterable<Buffer> {
  readonly bytesRead: number;
  /** Base64; known at the end of the stream. */
  readonly md5: string | undefined;
  readonly crc64: string | undefined;
}

/** Whether a client still waits for its answer: for operations that take long on behalf of it. */
export interface Client {
  /** It has closed the connection, or its half of it. */
  readonly hasLeft: boolean;
  /** Called once when it leaves. There is one watcher at a time, which takes itself away again. */
  onLeave: (() => void) | undefined;
}

export interface HttpRequest {
  readonly id: string;
  readonly method: string;
  readonly target: Target;
  readonly query: Query;
  readonly headers: Headers;
  /** Names and values in turn, as they came: where the case of a name counts (metadata). */
  readonly rawHeaders: readonly string[];
  readonly body: Body;
  readonly isSecure: boolean;
  readonly remoteAddress: string;
  readonly receivedAt: Instant;
  /** How long the client gives the call, where it says so; it never says so to the Table service. */
  readonly timeout?: Millis | undefined;
  /** x-ms-version, or what stands in for it (sv of a SAS); "" when the client gave none. */
  readonly version: string;
  readonly caller: Caller;
  readonly client: Client;
}

/** Header names as they go out; an undefined value is left out. */
export type ReplyHeaders = Readonly<Record<string, string | undefined>>;

export interface HttpReply {
  readonly status: number;
  /**
   * What the status line says beside the number, in visible ASCII; left out, the words that HTTP has for it.
   */
  readonly reason?: string | undefined;
  readonly headers?: ReplyHeaders;
  /**
   * A string goes out as UTF-8, buffers one after the other. A stream needs `length` unless it may be
   * chunked.
   */
  readonly body?: string | Buffer | readonly Buffer[] | AsyncIterable<Uint8Array>;
  /**
   * The body, a string, follows a byte order mark: one inside the string would make it twice as long in
   * memory.
   */
  readonly isMarked?: boolean;
  readonly length?: number | undefined;
  /** What a streamed body has in memory until its end, besides the part that is being sent. */
  readonly heldBytes?: number | undefined;
  /** Called once when the reply is out or the client is gone: gives back what a streamed body holds. */
  readonly release?: (() => void) | undefined;
}
