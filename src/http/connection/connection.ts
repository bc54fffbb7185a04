import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { copyPage } from "../../base/bytes.ts";
import { LIMITS } from "../../base/limits.ts";
import { bufferPool } from "../../memory/buffer-pool.ts";
import { type OwnedChunk, PooledBuffer, release, retain } from "../../memory/pooled-buffer.ts";
import { readInto } from "../../memory/read-into.ts";
import { BodyBuffer } from "./body-buffer.ts";
import { type BodySource, copyOfBody, IncomingBody } from "./incoming-body.ts";
import {
  beginsMethod,
  hasBareLineFeed,
  Malformed,
  type RequestHead,
  readRequestHead,
} from "./request-head.ts";

/** One request: its head is complete, its body may still be arriving. */
export interface Incoming {
  readonly head: RequestHead;
  readonly body: IncomingBody;
  readonly remoteAddress: string;
}

/** What a connection needs of the listener it came through. */
export interface Host {
  /** Sweeps of the listener so far: a clock that costs nothing to read. */
  readonly sweeps: number;
  readonly isClosing: boolean;
  /** How long a connection may wait for its next request. */
  readonly keepAliveMillis: number;
  handle(incoming: Incoming, connection: Connection): void;
  closed(connection: Connection): void;
}

type State = "head" | "request" | "discarding" | "sending" | "lingering";

const HEAD_END = Buffer.from("\r\n\r\n");

/**
 * One HTTP/1.1 connection: requests one after another, each answered before the next is read.
 *
 * Node's own HTTP server costs about 25 microseconds of every request in objects and streams that nothing
 * here uses; this one costs 10 (decision 0012). It is also how a reply is written: the caller prints the
 * head.
 */
export class Connection implements BodySource {
  readonly #socket: Socket;
  readonly #host: Host;
  #state: State = "head";
  #incoming: Incoming | undefined;
  /** A body that no operation reads to its end: its bytes are skipped. */
  #discarded: IncomingBody | undefined;
  /** The first bytes of a head, or of requests that the client sent before its last one was answered. */
  #pending: Buffer | undefined;
  #isPaused = false;
  #isContinued = false;
  #hasEnded = false;
  #remoteAddress: string | undefined;
  /** The sweep in which bytes last moved, and the one in which the pending head began. */
  #movedAt: number;
  #headBegunAt: number;
  #isFresh = true;
  /** Bytes received when the current body last made progress, and the sweep of that. */
  #slowBytes = 0;
  #slowSince = 0;
  #onDrain: (() => void) | undefined;
  /** For an operation that has nothing more to do once its client is gone. */
  onLeave: (() => void) | undefined;
  readonly #bodyBuffer: BodyBuffer;

  constructor(accepted: Socket, host: Host) {
    this.#bodyBuffer = new BodyBuffer(accepted instanceof TLSSocket);
    // A client may close its half once its request is out, and still wants the answer.
    accepted.allowHalfOpen = true;
    const socket = readInto(accepted, {
      nextBuffer: this.#nextBuffer,
      onFilled: this.#receiveFilled,
      onBorrowed: this.#receiveBorrowed,
      onOwned: this.#receive,
    });
    this.#socket = socket;
    this.#host = host;
    this.#movedAt = host.sweeps;
    this.#headBegunAt = host.sweeps;
    socket.on("end", this.#receiveEnd);
    socket.on("drain", this.#drained);
    // The close that follows is enough.
    socket.on("error", () => {});
    socket.on("close", () => {
      this.#incoming?.body.end();
      this.#notifyLeave();
      this.#drained();
      this.#bodyBuffer.release();
      host.closed(this);
    });
  }

  /** The connection is closed: the client receives nothing that is written now. */
  get isGone(): boolean {
    return this.#socket.destroyed;
  }

  /**
   * The client closed its half, or all of it. Most clients that close a half are gone; the rest look the
   * same.
   */
  get hasLeft(): boolean {
    return this.#hasEnded || this.#socket.destroyed;
  }

  get isIdle(): boolean {
    return this.#state === "head" && this.#pending === undefined;
  }

  /** True when the connection stays after the reply to the request at hand. */
  get keepsAlive(): boolean {
    if (this.#host.isClosing || (this.#hasEnded && this.#pending === undefined)) return false;
    const { head, body } = this.#incoming!;
    // Without "100 Continue" a client may or may not send its body: the next bytes could be either.
    if (head.expectsContinue && !this.#isContinued && !body.isComplete) return false;
    return head.keepsAlive && body.unreadBytes <= LIMITS.drainedBytesMax;
  }

  sendContinue(): void {
    if (this.#isContinued) return;
    this.#isContinued = true;
    this.#socket.write("HTTP/1.1 100 Continue\r\n\r\n", "latin1");
  }

  /** A whole reply as a binary string, after which the next request is read. */
  sendWhole(reply: string, keepsAlive: boolean): void {
    this.#socket.write(reply, "latin1");
    this.finish(keepsAlive);
  }

  /**
   * Writes a chunk of a reply and owns it. The caller awaits the promise, if any, before it writes the next.
   */
  write(chunk: string | Uint8Array): Promise<void> | undefined {
    const socket = this.#socket;
    // Released also when the write failed: the socket does not read the memory after its callback.
    const isAccepted =
      typeof chunk === "string" ? socket.write(chunk, "latin1") : socket.write(chunk, () => release(chunk));
    if (isAccepted || socket.destroyed) return undefined;
    return new Promise((resolve) => {
      this.#onDrain = resolve;
    });
  }

  /** Bytes that were written and that the system has not accepted yet. */
  get unsentBytes(): number {
    return this.#socket.writableLength;
  }

  /** Enough is unsent that `drain` follows, or the end of the connection. */
  get isBehind(): boolean {
    return this.#socket.writableNeedDrain && this.#socket.writableLength > 0;
  }

  /** Runs once, when all that was written is sent or the client is gone. */
  whenDrained(run: () => void): void {
    this.#onDrain = run;
  }

  /** Several small chunks that follow one another leave together. */
  cork(): void {
    this.#socket.cork();
  }

  uncork(): void {
    this.#socket.uncork();
  }

  /** The reply is out. */
  finish(keepsAlive: boolean): void {
    if (this.isGone) return;
    const { body } = this.#incoming!;
    this.#incoming = undefined;
    this.#movedAt = this.#host.sweeps;
    body.discard();
    if (!keepsAlive) this.#linger();
    else if (body.isComplete) this.#nextRequest();
    else {
      this.#discarded = body;
      this.#state = "discarding";
    }
  }

  destroy(): void {
    this.#socket.destroy();
  }

  /** Closes it in favour of another one: the listener no longer counts it when this returns. */
  evict(): void {
    this.#socket.destroy();
    this.#host.closed(this);
  }

  /** Ends the connection as soon as no request is in progress and the client has the last reply. */
  close(): void {
    if (this.#state !== "head") return;
    if (this.#socket.writableLength > 0) this.#linger();
    else this.#socket.destroy();
  }

  /** Called by the listener in every sweep: closes the connection of a client that has stopped moving. */
  sweep(sweepMillis: number): void {
    const idleMillis = (this.#host.sweeps - this.#movedAt - 1) * sweepMillis;
    switch (this.#state) {
      case "head":
        if (this.#pending !== undefined || this.#isFresh) {
          const since = (this.#host.sweeps - this.#headBegunAt - 1) * sweepMillis;
          if (since >= LIMITS.headersTimeoutMillis) this.#refuse("408 Request Timeout", "OperationTimedOut");
        } else if (idleMillis >= this.#host.keepAliveMillis) this.destroy();
        break;
      case "request":
        // The client is idle only when we wait for its bytes, or for it to read ours.
        if (this.#onDrain === undefined && !this.#incoming!.body.isAwaited) {
          this.#slowSince = this.#host.sweeps;
          break;
        }
        // A client that closed its half can only read the reply, and most such clients are gone.
        if (idleMillis >= (this.#hasEnded ? LIMITS.halfClosedIdleMillis : LIMITS.bodyIdleMillis))
          this.destroy();
        else if (this.#isCrawling(sweepMillis)) this.destroy();
        break;
      case "discarding":
      case "sending":
        if (idleMillis >= LIMITS.bodyIdleMillis) this.destroy();
        break;
      case "lingering":
        if (idleMillis >= (this.unsentBytes > 0 ? LIMITS.bodyIdleMillis : LIMITS.lingerMillis))
          this.destroy();
        break;
    }
  }

  /**
   * The body arrives so slowly that it only occupies the connection. Time in which the client waits for us is
   * left out.
   */
  #isCrawling(sweepMillis: number): boolean {
    const bytes = this.#socket.bytesRead;
    if (!this.#incoming!.body.isAwaited || bytes - this.#slowBytes >= LIMITS.slowBodyBytesMin) {
      this.#slowBytes = bytes;
      this.#slowSince = this.#host.sweeps;
      return false;
    }
    return (this.#host.sweeps - this.#slowSince) * sweepMillis >= LIMITS.slowBodyMillis;
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  readonly #nextBuffer = (): Buffer | undefined =>
    this.#bodyBuffer.next(this.#state === "request" && !this.#incoming!.body.isComplete);

  readonly #receiveFilled = (count: number): void => {
    const isOwned = this.#bodyBuffer.measure(count);
    this.#receive(this.#bodyBuffer.filled(count, isOwned), !isOwned);
  };

  readonly #receiveBorrowed = (data: Buffer): void => {
    this.#bodyBuffer.measure(data.length);
    this.#receive(data, true);
  };

  /** Owns `data` unless it is borrowed; then it copies the bytes of a body or of a later request. */
  readonly #receive = (data: OwnedChunk, isBorrowed = false): void => {
    this.#movedAt = this.#host.sweeps;
    try {
      switch (this.#state) {
        case "head":
          this.#receiveHead(data, isBorrowed || data instanceof PooledBuffer);
          break;
        case "request":
          if (this.#incoming!.body.isComplete) this.#keepPending(data, 0, isBorrowed);
          else this.#feed(this.#incoming!.body, isBorrowed ? bufferPool.copyForBody(data) : retain(data));
          break;
        case "sending":
          this.#keepPending(data, 0, isBorrowed);
          break;
        case "discarding": {
          const end = this.#discarded!.feed(data);
          if (!this.#discarded!.isComplete) break;
          this.#discarded = undefined;
          this.#keepPending(data, end, isBorrowed);
          this.#nextRequest();
          break;
        }
      }
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
      // A handler that already has the request notices that its body ends early.
      if (this.#incoming !== undefined) this.destroy();
      else this.#refuse("400 Bad Request", "InvalidInput");
    } finally {
      if (!isBorrowed) release(data);
    }
  };

  /** Owns the chunk. The bytes behind the body belong to the next request. */
  #feed(body: IncomingBody, chunk: OwnedChunk): void {
    try {
      this.#keepPending(chunk, body.feed(chunk));
    } finally {
      release(chunk);
    }
  }

  #receiveHead(data: Buffer, isBorrowed: boolean): void {
    const former = this.#pending;
    let all = former === undefined ? data : Buffer.concat([former, data]);
    const mustCopy = isBorrowed && former === undefined;
    // Some old clients send an empty line after a body.
    while (all.length >= 2 && all[0] === 13 && all[1] === 10) all = all.subarray(2);
    const end = all.indexOf(HEAD_END, Math.max(0, (former?.length ?? 0) - 5));
    if (end < 0) {
      if (all.length > LIMITS.headerBytesMax) this.#refuseTooLong();
      else if (hasBareLineFeed(all)) throw new Malformed("a bare line feed");
      else if (all.length > 0 && !beginsMethod(all[0]!)) throw new Malformed("not a method");
      else if (all.length > 0) {
        if (former === undefined) this.#headBegunAt = this.#host.sweeps;
        this.#pending = mustCopy ? Buffer.from(all) : all;
      }
      if (this.#hasEnded) this.#socket.destroySoon();
      return;
    }
    if (end > LIMITS.headerBytesMax) {
      this.#refuseTooLong();
      return;
    }
    const head = readRequestHead(all, end);
    const body = new IncomingBody(head.bodyLength, this);
    this.#pending = undefined;
    if (body.isComplete) this.#keepPending(all, end + 4, mustCopy);
    else if (end + 4 < all.length) {
      const rest = all.subarray(end + 4);
      this.#feed(body, mustCopy ? copyOfBody(rest, head.bodyLength) : rest);
    }
    this.#isFresh = false;
    this.#isContinued = false;
    this.#state = "request";
    this.#remoteAddress ??= this.#socket.remoteAddress ?? "";
    this.#slowBytes = this.#socket.bytesRead;
    this.#slowSince = this.#host.sweeps;
    const incoming = { head, body, remoteAddress: this.#remoteAddress };
    this.#incoming = incoming;
    this.#host.handle(incoming, this);
  }

  /**
   * Keeps bytes of a later request, from `from` on; beyond a limit it stops reading until that one is next.
   */
  #keepPending(data: OwnedChunk, from: number, isBorrowed = false): void {
    if (from === data.length) return;
    const rest = data.subarray(from);
    if (this.#pending !== undefined) this.#pending = Buffer.concat([this.#pending, rest]);
    else this.#pending = isBorrowed || data instanceof PooledBuffer ? copyPage(rest) : rest;
    if (this.#pending.length <= LIMITS.headerBytesMax || this.#isPaused) return;
    this.#isPaused = true;
    this.#socket.pause();
  }

  /** A client that does not read its replies waits for its next ones: unread replies occupy memory. */
  #nextRequest(): void {
    if (this.isBehind) {
      this.#state = "sending";
      return;
    }
    this.#state = "head";
    if (this.#isPaused) {
      this.#isPaused = false;
      this.#socket.resume();
    }
    const pending = this.#pending;
    if (pending !== undefined) {
      this.#pending = undefined;
      this.#headBegunAt = this.#host.sweeps;
      this.#receive(pending);
    } else if (this.#host.isClosing || this.#hasEnded) this.#linger();
  }

  readonly #receiveEnd = (): void => {
    this.#hasEnded = true;
    this.#notifyLeave();
    // Requests that arrived before the end are still answered.
    if (this.#state === "sending") return;
    if (this.#state !== "request") this.#socket.destroySoon();
    else if (!this.#incoming!.body.isComplete) this.#socket.destroy();
  };

  #notifyLeave(): void {
    const { onLeave } = this;
    this.onLeave = undefined;
    onLeave?.();
  }

  readonly #drained = (): void => {
    this.#movedAt = this.#host.sweeps;
    const resume = this.#onDrain;
    this.#onDrain = undefined;
    resume?.();
    if (this.#state === "sending" && !this.isGone) this.#nextRequest();
  };

  /** Closes our half, and discards what the client sends for a moment: a reset could overtake the reply. */
  #linger(): void {
    this.#state = "lingering";
    this.#pending = undefined;
    if (this.#hasEnded) this.#socket.destroySoon();
    else {
      this.#socket.resume();
      this.#socket.end();
    }
  }

  #refuseTooLong(): void {
    this.#refuse("431 Request Header Fields Too Large", "RequestHeadersTooLarge");
  }

  #refuse(status: string, code: string): void {
    this.#socket.write(
      `HTTP/1.1 ${status}\r\nx-ms-error-code: ${code}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
    );
    this.#linger();
  }
}
