import { LIMITS } from "../../base/limits.ts";
import { ChunkReader } from "./chunks.ts";
import { CHUNKED } from "./request-head.ts";

/** What the body asks of its connection. */
export interface BodySource {
  pause(): void;
  resume(): void;
}

/** The client went away in the middle of its request: there is nobody to answer, and nothing was stored. */
export class ClientGone extends Error {
  override readonly name = "ClientGone";

  constructor() {
    super("the client went away");
  }
}

/** The body of one request as it comes off the connection: pieces are kept until somebody takes them. */
export class IncomingBody {
  readonly #source: BodySource;
  readonly #chunks: ChunkReader | undefined;
  #left: number;
  #pieces: Buffer[] = [];
  #keptBytes = 0;
  #isPaused = false;
  #isDiscarded = false;
  #isGone = false;
  #waiting: { resolve(piece: Buffer | undefined): void; reject(error: Error): void } | undefined;
  /** The last byte is here. */
  isComplete: boolean;

  constructor(length: number, source: BodySource) {
    this.#source = source;
    this.#chunks = length === CHUNKED ? new ChunkReader() : undefined;
    this.#left = length;
    this.isComplete = length === 0;
  }

  /** Bytes that the client still has to send; infinite while nobody knows. */
  get unreadBytes(): number {
    if (this.isComplete) return 0;
    return this.#chunks === undefined ? this.#left : Number.POSITIVE_INFINITY;
  }

  /** It is the client's turn: what came has been taken, and there must be more. */
  get isAwaited(): boolean {
    return !this.isComplete && this.#pieces.length === 0;
  }

  /** Takes what belongs to the body and returns the rest, which belongs to the next request. */
  feed(data: Buffer): Buffer | undefined {
    if (this.#chunks !== undefined) {
      const end = this.#chunks.read(data, this.#keep);
      if (end < 0) return undefined;
      this.#complete();
      return end === data.length ? undefined : data.subarray(end);
    }
    if (data.length < this.#left) {
      this.#left -= data.length;
      this.#keep(data);
      return undefined;
    }
    const end = this.#left;
    this.#left = 0;
    if (end > 0) this.#keep(end === data.length ? data : data.subarray(0, end));
    this.#complete();
    return end === data.length ? undefined : data.subarray(end);
  }

  /** All pieces that are here, without waiting. */
  takeAll(): readonly Buffer[] {
    const pieces = this.#pieces;
    this.#pieces = [];
    this.#keptBytes = 0;
    return pieces;
  }

  /** The next piece; undefined at the end. One caller at a time. */
  next(): Promise<Buffer | undefined> {
    const piece = this.#pieces.shift();
    if (piece !== undefined) {
      this.#keptBytes -= piece.length;
      if (this.#isPaused && this.#keptBytes <= LIMITS.bodyWaitingBytesMax / 2) this.#resume();
      return Promise.resolve(piece);
    }
    if (this.isComplete) return Promise.resolve(undefined);
    if (this.#isGone) return Promise.reject(new ClientGone());
    if (this.#isPaused) this.#resume();
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
  }

  /** Nobody wants the rest: it is read away, so that the next request can be found behind it. */
  discard(): void {
    this.#isDiscarded = true;
    this.takeAll();
    if (this.#isPaused) this.#resume();
  }

  /** The connection is gone. What came whole can still be read. */
  end(): void {
    this.#isGone = true;
    if (this.isComplete) return;
    this.#waiting?.reject(new ClientGone());
    this.#waiting = undefined;
  }

  readonly #keep = (piece: Buffer): void => {
    if (this.#isDiscarded) return;
    if (this.#waiting !== undefined) {
      const { resolve } = this.#waiting;
      this.#waiting = undefined;
      resolve(piece);
      return;
    }
    this.#pieces.push(piece);
    this.#keptBytes += piece.length;
    if (this.#keptBytes > LIMITS.bodyWaitingBytesMax && !this.#isPaused) {
      this.#isPaused = true;
      this.#source.pause();
    }
  };

  #complete(): void {
    this.isComplete = true;
    this.#waiting?.resolve(undefined);
    this.#waiting = undefined;
  }

  #resume(): void {
    this.#isPaused = false;
    this.#source.resume();
  }
}
