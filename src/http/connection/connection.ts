import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { copyPage } from "../../base/bytes.ts";
import { LIMITS } from "../../base/limits.ts";
import { bufferPool } from "../../memory/buffer-pool.ts";
import { type OwnedChunk, PooledBuffer, release, retain } from "../../memory/pooled-buffer.ts";
import { readInto } from "../../memory/read-into.ts";
import { type BodySource, copyOfBody, IncomingBody } from "./incoming-body.ts";
import {
  beginsMethod,
  hasBareLineFeed,
  Malformed,
  type RequestHead,
  readRequestHead,
} from "./request-head.ts";

/** One request as it came: the head is whole, the body may still be on its way. */
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
 * One HTTP/1.1 connection: requests one after another, each answered before the next is looked at.
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
  /** The first part of a head, or what a client sent ahead of its turn. */
  #pending: Buffer | undefined;
  #isPaused = false;
  #isContinued = false;
  #hasEnded = false;
  #remoteAddress: string | undefined;
  /** The sweep in which something last moved, and the one in which the head that is under way began. */
  #movedAt: number;
  #headBegunAt: number;
  #isFresh = true;
  /** Bytes that had come when the body at hand last made progress, and when that was. */
  #slowBytes = 0;
  #slowSince = 0;
  #onDrain: (() => void) | undefined;
  /** For an operation that has nothing more to do once its client is gone. */
  onLeave: (() => void) | undefined;
  /** Where the bytes of a body are read to, and whether they come fast enough to be worth it. */
  #buffer: PooledBuffer | undefined;
  #filledBytes = 0;
  #isFast = false;
  readonly #fastBytes: number;

  constructor(accepted: Socket, host: Host) {
    this.#fastBytes = accepted instanceof TLSSocket ? LIMITS.fastRecordBytes : LIMITS.fastPieceBytes;
    // A client may close its half once its request is out, and still wants the answer.
    accepted.allowHalfOpen = true;
    const socket = readInto(accepted, {
      place: this.#place,
      placed: this.#placed,
      lent: this.#borrowed,
      given: this.#receive,
    });
    this.#socket = socket;
    this.#host = host;
    this.#movedAt = host.sweeps;
    this.#headBegunAt = host.sweeps;
    socket.on("end", this.#receiveEnd);
    socket.on("drain", this.#drained);
    // The close that follows tells it all.
    socket.on("error", () => {});
    socket.on("close", () => {
      this.#incoming?.body.end();
      this.#notifyLeave();
      this.#drained();
      this.#releaseBuffer();
      host.closed(this);
    });
  }

  /** The client is gone: what is written now reaches nobody. */
  get isGone(): boolean {
    return this.#socket.destroyed;
  }

  /**
   * Its half is closed, or all of it. Most who close a half are gone; who only shut it down cannot be told
   * from them.
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
    // A client that was never told to go on may or may not send its body: the next bytes could be either.
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

  /** A part of a reply, given away; when a promise comes back, wait for it before the next part. */
  write(piece: string | Uint8Array): Promise<void> | undefined {
    const socket = this.#socket;
    const isTaken = typeof piece === "string" ? socket.write(piece, "latin1") : this.#giveAway(piece);
    if (isTaken || socket.destroyed) return undefined;
    return new Promise((resolve) => {
      this.#onDrain = resolve;
    });
  }

  #giveAway(piece: Uint8Array): boolean {
    // Also when it failed: nothing reads the memory of a write any more once its end was reported.
    return this.#socket.write(piece, () => release(piece));
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

  /** Several small parts that follow one another leave together. */
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

  /** Makes place for another one: the listener no longer counts it when this returns. */
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

  /** Looks for a client that has stopped moving. Called by the listener in every sweep. */
  sweep(sweepMillis: number): void {
    const stood = (this.#host.sweeps - this.#movedAt - 1) * sweepMillis;
    switch (this.#state) {
      case "head":
        if (this.#pending !== undefined || this.#isFresh) {
          const since = (this.#host.sweeps - this.#headBegunAt - 1) * sweepMillis;
          if (since >= LIMITS.headersTimeoutMillis) this.#refuse("408 Request Timeout", "OperationTimedOut");
        } else if (stood >= this.#host.keepAliveMillis) this.destroy();
        break;
      case "request":
        // While we work the client has nothing to do. It has when we wait for its bytes, or for it to take
        // ours.
        if (this.#onDrain === undefined && !this.#incoming!.body.isAwaited) {
          this.#slowSince = this.#host.sweeps;
          break;
        }
        // A client that closed its half has nothing left to do but to take the reply. Most of them are simply
        // gone.
        if (stood >= (this.#hasEnded ? LIMITS.halfClosedIdleMillis : LIMITS.bodyIdleMillis)) this.destroy();
        else if (this.#isCrawling(sweepMillis)) this.destroy();
        break;
      case "discarding":
      case "sending":
        if (stood >= LIMITS.bodyIdleMillis) this.destroy();
        break;
      case "lingering":
        if (stood >= (this.unsentBytes > 0 ? LIMITS.bodyIdleMillis : LIMITS.lingerMillis)) this.destroy();
        break;
    }
  }

  /** A body that comes so slowly that it can only mean to stay. Whoever waits for us is not meant. */
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

  #discarded: IncomingBody | undefined;

  /**
   * A body that comes in large pieces is read into memory that it keeps; all else passes through the lent
   * one.
   */
  readonly #place = (): Buffer | undefined => {
    const isLarge = this.#isFast && this.#state === "request" && !this.#incoming!.body.isComplete;
    if (!isLarge || this.#filledBytes > LIMITS.bodyBufferBytes / 2) this.#releaseBuffer();
    if (isLarge) this.#buffer ??= bufferPool.acquireBodyBuffer();
    return this.#buffer?.borrow(this.#filledBytes);
  };

  #releaseBuffer(): void {
    if (this.#buffer !== undefined) bufferPool.releaseBodyBuffer(this.#buffer);
    this.#buffer = undefined;
    this.#filledBytes = 0;
  }

  readonly #placed = (count: number): void => {
    this.#isFast = count >= this.#fastBytes;
    const buffer = this.#buffer!;
    const from = this.#filledBytes;
    // A few bytes would keep a buffer from other bodies: they are copied.
    if (!this.#isFast) {
      this.#receive(buffer.borrow(from, from + count), true);
      return;
    }
    this.#filledBytes += count;
    this.#receive(buffer.retainSlice(from, from + count));
  };

  readonly #borrowed = (data: Buffer): void => {
    this.#isFast = data.length >= this.#fastBytes;
    this.#receive(data, true);
  };

  /**
   * Owns `data` unless it is borrowed; borrowed bytes that stay (of a body, or of a later request) are
   * copied.
   */
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
      this.#refuseMalformed();
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
    // An empty line in front of a request is what some old clients leave behind a body.
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
   * Keeps bytes of a later request, from `from` on; beyond a limit it stops reading until that request is
   * next.
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

  /** A client that sends requests and does not read the replies waits: unread replies take memory. */
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
    // Requests that were sent ahead are still to be answered.
    if (this.#state === "sending") return;
    if (this.#state !== "request") this.#socket.destroySoon();
    else if (!this.#incoming!.body.isComplete) this.#socket.destroy();
  };

  #notifyLeave(): void {
    const notify = this.onLeave;
    this.onLeave = undefined;
    notify?.();
  }

  readonly #drained = (): void => {
    this.#movedAt = this.#host.sweeps;
    const resume = this.#onDrain;
    this.#onDrain = undefined;
    resume?.();
    if (this.#state === "sending" && !this.isGone) this.#nextRequest();
  };

  /** Our half ends; the client's is read away for a moment, since a reset could overtake the reply. */
  #linger(): void {
    this.#state = "lingering";
    this.#pending = undefined;
    if (this.#hasEnded) this.#socket.destroySoon();
    else {
      this.#socket.resume();
      this.#socket.end();
    }
  }

  #refuseMalformed(): void {
    // Once the request is with its handler, the broken body is the handler's to notice: it ends early.
    if (this.#incoming !== undefined) this.destroy();
    else this.#refuse("400 Bad Request", "InvalidInput");
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
