import { LIMITS } from "../../base/limits.ts";
import { release } from "../../memory/payload-memory.ts";
import { ChunkReader } from "./chunks.ts";
import { CHUNKED } from "./request-head.ts";

/** What the body asks of its connection. */
export interface BodySource {
  pause(): void;
  resume(): void;
}

/**
 * The client went away in the middle of its request: there is nobody to answer, and nothing was stored. It carries no
 * stack: thousands of clients may go away at once.
 */
export class ClientGone extends Error {
  override readonly name = "ClientGone";

  constructor() {
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    super("the client went away");
    Error.stackTraceLimit = limit;
  }
}

/**
 * The body of one request as it comes off the connection: pieces are kept until somebody takes them. Small ones are put
 * together first: a thousand clients that send single bytes must not wake a thousand operations each time.
 */
export class IncomingBody {
  readonly #source: BodySource;
  readonly #chunks: ChunkReader | undefined;
  /** What chunks have brought so far, without what stands between them. */
  #chunkedBytes = 0;
  #left: number;
  #unread: Buffer[] = [];
  #gathered: Buffer | undefined;
  #gatheredBytes = 0;
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
    if (this.isComplete || this.#unread.length > 0) return false;
    return this.#gatheredBytes === 0 || this.#waiting !== undefined;
  }

  /**
   * Takes what belongs to the body and returns the rest, which belongs to the next request. The bytes are the body's from
   * here on; of a body that was discarded they stay the caller's.
   */
  feed(data: Buffer): Buffer | undefined {
    if (this.#chunks !== undefined) {
      const before = this.#chunkedBytes;
      const end = this.#chunks.read(data, this.#keepChunked);
      const between = (end < 0 ? data.length : end) - (this.#chunkedBytes - before);
      if (!this.#isDiscarded) release(data.subarray(0, between));
      if (end < 0) return undefined;
      this.#complete();
      return end === data.length ? undefined : data.subarray(end);
    }
    if (data.length < this.#left) {
      this.#left -= data.length;
      this.#buffer(data);
      return undefined;
    }
    const end = this.#left;
    this.#left = 0;
    if (end > 0) this.#keepWhole(end === data.length ? data : data.subarray(0, end));
    this.#complete();
    return end === data.length ? undefined : data.subarray(end);
  }

  /** All pieces that are here, without waiting. */
  takeAll(): readonly Buffer[] {
    this.#endGathering();
    const pieces = this.#unread;
    this.#unread = [];
    this.#keptBytes = 0;
    return pieces;
  }

  /** The next piece; undefined at the end. One caller at a time. */
  next(): Promise<Buffer | undefined> {
    const piece = this.#unread.shift();
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
    for (const piece of this.takeAll()) release(piece);
    if (this.#isPaused) this.#resume();
  }

  /** The connection is gone. What came whole can still be read. */
  end(): void {
    this.#isGone = true;
    if (this.isComplete) return;
    for (const piece of this.takeAll()) release(piece);
    this.#waiting?.reject(new ClientGone());
    this.#waiting = undefined;
  }

  readonly #keepChunked = (piece: Buffer): void => {
    this.#chunkedBytes += piece.length;
    this.#buffer(piece);
  };

  readonly #buffer = (piece: Buffer): void => {
    if (this.#isDiscarded) return;
    if (piece.length >= LIMITS.smallPartBytes) {
      this.#keepWhole(piece);
      return;
    }
    if (this.#gatheredBytes + piece.length > LIMITS.gatheredBodyBytes) this.#endGathering();
    const gathered = this.#gatheringFor(this.#gatheredBytes + piece.length);
    gathered.set(piece, this.#gatheredBytes);
    this.#gatheredBytes += piece.length;
    release(piece);
  };

  /** A whole page for each of 2,000 bodies that bring their first single byte would take 45 ms and 8 MiB. */
  #gatheringFor(bytes: number): Buffer {
    const former = this.#gathered;
    if (former !== undefined && former.length >= bytes) return former;
    let length = former?.length ?? LIMITS.gatheredBodyBytesMin;
    while (length < bytes) length *= 2;
    const gathered = Buffer.allocUnsafeSlow(Math.min(length, LIMITS.gatheredBodyBytes));
    if (former !== undefined) gathered.set(former.subarray(0, this.#gatheredBytes));
    this.#gathered = gathered;
    return gathered;
  }

  #keepWhole(piece: Buffer): void {
    this.#endGathering();
    if (this.#isDiscarded) return;
    this.#unread.push(piece);
    this.#keptBytes += piece.length;
    this.#deliver();
    if (this.#keptBytes > LIMITS.bodyWaitingBytesMax && !this.#isPaused) {
      this.#isPaused = true;
      this.#source.pause();
    }
  }

  #endGathering(): void {
    const gathered = this.#gathered;
    if (gathered === undefined) return;
    this.#unread.push(gathered.subarray(0, this.#gatheredBytes));
    this.#keptBytes += this.#gatheredBytes;
    this.#gathered = undefined;
    this.#gatheredBytes = 0;
    this.#deliver();
  }

  /** Whoever waits gets the first piece, or the end. */
  #deliver(): void {
    if (this.#waiting === undefined) return;
    const { resolve } = this.#waiting;
    this.#waiting = undefined;
    const piece = this.#unread.shift();
    if (piece !== undefined) this.#keptBytes -= piece.length;
    resolve(piece);
  }

  #complete(): void {
    this.#endGathering();
    this.isComplete = true;
    this.#deliver();
  }

  #resume(): void {
    this.#isPaused = false;
    this.#source.resume();
  }
}
