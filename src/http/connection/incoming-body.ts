import { copyBriefly } from "../../base/bytes.ts";
import { LIMITS } from "../../base/limits.ts";
import { bufferPool } from "../../memory/buffer-pool.ts";
import { type OwnedChunk, release, retainSlice } from "../../memory/pooled-buffer.ts";
import { ChunkReader } from "./chunks.ts";
import { CHUNKED } from "./request-head.ts";

/** What the body asks of its connection. */
export interface BodySource {
  pause(): void;
  resume(): void;
}

/**
 * The client closed the connection in the middle of its request, and nothing was stored. The error carries no
 * stack: thousands of clients may disconnect at once.
 */
export class ClientGone extends Error {
  override readonly name = "ClientGone";

  constructor() {
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    super("the client closed the connection");
    Error.stackTraceLimit = limit;
  }
}

/**
 * A copy of borrowed bytes. A body that arrived complete with its head is used up soon: its copy may be
 * brief.
 */
export function copyOfBody(bytes: Buffer, bodyLength: number): OwnedChunk {
  return bytes.length === bodyLength ? copyBriefly(bytes) : bufferPool.copyForBody(bytes);
}

/**
 * The body of one request as it comes off the connection: it owns chunks until an operation reads them. It
 * joins small ones first: a thousand clients that send single bytes must not wake a thousand operations each
 * time.
 */
export class IncomingBody {
  readonly #source: BodySource;
  readonly #chunks: ChunkReader | undefined;
  #left: number;
  #unread: OwnedChunk[] = [];
  #gathered: Buffer | undefined;
  #gatheredBytes = 0;
  #keptBytes = 0;
  #isPaused = false;
  #isDiscarded = false;
  #isGone = false;
  #waiting: { resolve(chunk: OwnedChunk | undefined): void; reject(error: Error): void } | undefined;
  /** The last byte has arrived. */
  isComplete: boolean;

  constructor(length: number, source: BodySource) {
    this.#source = source;
    this.#chunks = length === CHUNKED ? new ChunkReader() : undefined;
    this.#left = length;
    this.isComplete = length === 0;
  }

  /** Bytes that the client still has to send; infinite for a chunked body. */
  get unreadBytes(): number {
    if (this.isComplete) return 0;
    return this.#chunks === undefined ? this.#left : Number.POSITIVE_INFINITY;
  }

  /** The operation waits for the client: it has read all that arrived, and the body goes on. */
  get isAwaited(): boolean {
    if (this.isComplete || this.#unread.length > 0) return false;
    return this.#gatheredBytes === 0 || this.#waiting !== undefined;
  }

  /**
   * Retains the bytes of the body and returns how many they are; the rest belongs to the next request. The
   * caller keeps its reference. Plain memory must not be written over afterwards, unless the body was
   * discarded.
   */
  feed(data: OwnedChunk): number {
    if (this.#chunks !== undefined) {
      const end = this.#chunks.read(data, this.#append);
      if (end < 0) return data.length;
      this.#complete();
      return end;
    }
    if (data.length < this.#left) {
      this.#left -= data.length;
      this.#append(retainSlice(data, 0, data.length));
      return data.length;
    }
    const end = this.#left;
    this.#left = 0;
    if (end > 0) this.#appendWhole(retainSlice(data, 0, end));
    this.#complete();
    return end;
  }

  /** All chunks that have arrived; the caller owns them. */
  takeAll(): readonly OwnedChunk[] {
    this.#endGathering();
    const chunks = this.#unread;
    this.#unread = [];
    this.#keptBytes = 0;
    return chunks;
  }

  /** The next chunk, which the caller owns; undefined at the end. One caller at a time. */
  next(): Promise<OwnedChunk | undefined> {
    const chunk = this.#unread.shift();
    if (chunk !== undefined) {
      this.#keptBytes -= chunk.length;
      if (this.#isPaused && this.#keptBytes <= LIMITS.bodyWaitingBytesMax / 2) this.#resume();
      return Promise.resolve(chunk);
    }
    if (this.isComplete) return Promise.resolve(undefined);
    if (this.#isGone) return Promise.reject(new ClientGone());
    if (this.#isPaused) this.#resume();
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
  }

  /** No operation reads the rest: the connection skips it to find the next request behind it. */
  discard(): void {
    this.#isDiscarded = true;
    for (const chunk of this.takeAll()) release(chunk);
    if (this.#isPaused) this.#resume();
  }

  /** The connection is closed. A complete body can still be read. */
  end(): void {
    this.#isGone = true;
    if (this.isComplete) return;
    for (const chunk of this.takeAll()) release(chunk);
    this.#waiting?.reject(new ClientGone());
    this.#waiting = undefined;
  }

  readonly #append = (chunk: OwnedChunk): void => {
    if (this.#isDiscarded || chunk.length >= LIMITS.smallPartBytes) {
      this.#appendWhole(chunk);
      return;
    }
    if (this.#gatheredBytes + chunk.length > LIMITS.gatheredBodyBytes) this.#endGathering();
    const gathered = this.#gatheringFor(this.#gatheredBytes + chunk.length);
    gathered.set(chunk, this.#gatheredBytes);
    this.#gatheredBytes += chunk.length;
    release(chunk);
  };

  /** Starts small: a whole page for each of 2,000 bodies that send one byte would take 45 ms and 8 MiB. */
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

  #appendWhole(chunk: OwnedChunk): void {
    this.#endGathering();
    if (this.#isDiscarded) {
      release(chunk);
      return;
    }
    this.#unread.push(chunk);
    this.#keptBytes += chunk.length;
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

  /** The waiting reader gets the first chunk, or the end. */
  #deliver(): void {
    if (this.#waiting === undefined) return;
    const { resolve } = this.#waiting;
    this.#waiting = undefined;
    const chunk = this.#unread.shift();
    if (chunk !== undefined) this.#keptBytes -= chunk.length;
    resolve(chunk);
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
