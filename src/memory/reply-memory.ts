import { type Millis, monotonic, systemTimers, type Timer, type Timers } from "../base/clock.ts";
import { LIMITS } from "../base/limits.ts";

/**
 * The memory of all replies of a process, from the moment a reply is made until the client has read it. A
 * client that asks and does not read costs nothing but its connection, so without a bound a few of them fill
 * the process.
 *
 * An operation with a long reply reserves memory before it makes the reply, and waits while there is none.
 * Replies that clients do not read stay in memory only while no other request needs it: when one waits, the
 * connections that have taken nothing for `stalledMillis` are closed, those with the most unsent bytes first.
 * A reply that moves is left alone. Short replies reserve nothing; they count when the system does not accept
 * them at once.
 */
export interface ReplyMemoryOptions {
  readonly bytesMax?: number;
  readonly waitMillis?: Millis;
  readonly stalledMillis?: Millis;
  readonly timers?: Timers;
  readonly now?: () => Millis;
  /** Called for each connection that was closed because its client reads nothing. */
  readonly onStalled?: (unsentBytes: number) => void;
}

/** A connection, as far as this module knows it. */
interface Client {
  destroy(): void;
}

interface Waiter {
  readonly bytes: number;
  readonly since: Millis;
  readonly resolve: (isGranted: boolean) => void;
}

export class ReplyMemory {
  readonly now: () => Millis;
  readonly #bytesMax: number;
  readonly #waitMillis: Millis;
  readonly #stalledMillis: Millis;
  readonly #timers: Timers;
  readonly #onStalled: (unsentBytes: number) => void;
  /** Reservations with unsent bytes. */
  readonly #sending = new Set<ReplyReservation>();
  /** Requests that wait, by the reservation they wait for. */
  readonly #waiting = new Map<ReplyReservation, Waiter[]>();
  #waitingBytes = 0;
  #bytes = 0;
  #look: Timer | undefined;

  constructor(options: ReplyMemoryOptions = {}) {
    this.#bytesMax = options.bytesMax ?? LIMITS.replyMemoryBytesMax;
    this.#waitMillis = options.waitMillis ?? LIMITS.replyWaitMillis;
    this.#stalledMillis = options.stalledMillis ?? LIMITS.stalledReplyMillis;
    this.#timers = options.timers ?? systemTimers;
    this.#onStalled = options.onStalled ?? (() => {});
    this.now = options.now ?? monotonic;
  }

  /** Reserved and unsent, of all connections. */
  get bytes(): number {
    return this.#bytes;
  }

  get isFull(): boolean {
    return this.#bytes >= this.#bytesMax;
  }

  /** One for each reply, or for all replies of a connection, which then has at most `bytesMax`. */
  reservationFor(client: Client, bytesMax: number = Number.POSITIVE_INFINITY): ReplyReservation {
    return new ReplyReservation(this, client, bytesMax);
  }

  /** For reservations. Undefined when the bytes are reserved at once. */
  reserve(reservation: ReplyReservation, bytes: number): Promise<boolean> | undefined {
    if (this.#waiting.size === 0 && reservation.mayHave(bytes) && this.#fits(bytes)) {
      reservation.addReserved(bytes);
      return undefined;
    }
    return new Promise((resolve) => {
      const waiter = { bytes, since: this.now(), resolve };
      const earlier = this.#waiting.get(reservation);
      if (earlier === undefined) this.#waiting.set(reservation, [waiter]);
      else earlier.push(waiter);
      this.#waitingBytes += bytes;
      this.#grant();
      this.#watch();
    });
  }

  /** For reservations. */
  count(change: number): void {
    this.#bytes += change;
    if (change < 0) {
      if (this.#waiting.size > 0) this.#grant();
    } else if (this.#bytes > this.#bytesMax) this.#watch();
  }

  /** For reservations. */
  setSending(reservation: ReplyReservation, isSending: boolean): void {
    if (isSending) this.#sending.add(reservation);
    else this.#sending.delete(reservation);
  }

  /** For reservations. Refuses the requests that wait for this one. */
  leave(reservation: ReplyReservation): void {
    const left = this.#waiting.get(reservation);
    if (left === undefined) return;
    this.#waiting.delete(reservation);
    for (const { bytes, resolve } of left) {
      this.#waitingBytes -= bytes;
      resolve(false);
    }
    this.#grant();
  }

  /** A reply larger than all the memory is made when it is the only one. */
  #fits(bytes: number): boolean {
    return this.#bytes === 0 || this.#bytes + bytes <= this.#bytesMax;
  }

  /**
   * The connection that has least is next, so that one with many requests does not keep the others waiting;
   * of equal ones the one that came first. What does not fit is waited for, or a large reply would never be
   * made.
   */
  #grant(): void {
    for (;;) {
      const next = this.#next();
      if (next === undefined) return;
      const [waiter] = this.#waiting.get(next)!;
      if (!this.#fits(waiter!.bytes)) return;
      this.#removeFirst(next);
      next.addReserved(waiter!.bytes);
      waiter!.resolve(true);
    }
  }

  #next(): ReplyReservation | undefined {
    let next: ReplyReservation | undefined;
    for (const [reservation, [first]] of this.#waiting)
      if (reservation.mayHave(first!.bytes) && (next === undefined || reservation.bytes < next.bytes))
        next = reservation;
    return next;
  }

  #removeFirst(reservation: ReplyReservation): Waiter {
    const waiters = this.#waiting.get(reservation)!;
    const first = waiters.shift()!;
    if (waiters.length === 0) this.#waiting.delete(reservation);
    this.#waitingBytes -= first.bytes;
    return first;
  }

  #watch(): void {
    this.#look ??= this.#timers.every(LIMITS.stalledReplyLookMillis, () => this.#relieve());
  }

  /** Refuses requests that have waited too long, and closes stalled connections whose memory others need. */
  #relieve(): void {
    const now = this.now();
    for (const reservation of [...this.#waiting.keys()]) this.#refuseLate(reservation, now);
    const missing = this.#bytes + this.#waitingBytes - this.#bytesMax;
    if (missing > 0) this.#closeStalled(now, missing);
    if (this.#waiting.size > 0 || this.#bytes > this.#bytesMax) return;
    this.#look?.cancel();
    this.#look = undefined;
  }

  #refuseLate(reservation: ReplyReservation, now: Millis): void {
    for (;;) {
      const first = this.#waiting.get(reservation)?.[0];
      if (first === undefined || now - first.since < this.#waitMillis) return;
      this.#removeFirst(reservation).resolve(false);
    }
  }

  #closeStalled(now: Millis, missing: number): void {
    const stalled = [...this.#sending].filter(({ movedAt }) => now - movedAt >= this.#stalledMillis);
    stalled.sort((one, other) => other.bytes - one.bytes);
    let freed = 0;
    for (const reservation of stalled) {
      if (freed >= missing) return;
      freed += reservation.bytes;
      this.#onStalled(reservation.bytes);
      reservation.client.destroy();
      reservation.close();
    }
  }
}

/** What one reply, or one connection, has of the memory. */
export class ReplyReservation {
  readonly client: Client;
  readonly bytesMax: number;
  /** When the client last took some of the unsent bytes, or when they began to wait. */
  movedAt: Millis = 0;
  readonly #memory: ReplyMemory;
  #reservedBytes = 0;
  #unsentBytes = 0;
  #isClosed = false;

  constructor(memory: ReplyMemory, client: Client, bytesMax: number) {
    this.#memory = memory;
    this.client = client;
    this.bytesMax = bytesMax;
  }

  get bytes(): number {
    return this.#reservedBytes + this.#unsentBytes;
  }

  /** Whether so many bytes more are within its own limit. */
  mayHave(bytes: number): boolean {
    return this.bytes === 0 || this.bytes + bytes <= this.bytesMax;
  }

  get unsentBytes(): number {
    return this.#unsentBytes;
  }

  /** Undefined when the memory is there at once; else true, or false when it was waited for in vain. */
  reserve(bytes: number): Promise<boolean> | undefined {
    return this.#isClosed ? Promise.resolve(false) : this.#memory.reserve(this, bytes);
  }

  /** For the memory that grants it. */
  addReserved(bytes: number): void {
    this.#reservedBytes += bytes;
    this.#memory.count(bytes);
  }

  /** Some of what was reserved was not needed, or is unsent now. */
  release(bytes: number): void {
    const released = Math.min(bytes, this.#reservedBytes);
    this.#reservedBytes -= released;
    if (released > 0) this.#memory.count(-released);
  }

  /** What was reserved has become a reply of so many bytes, which wait for the client. */
  exchange(unsentBytes: number): void {
    const reserved = this.#reservedBytes;
    this.#reservedBytes = 0;
    this.#setUnsent(unsentBytes, unsentBytes, -reserved);
  }

  /**
   * So many bytes wait for the client now, `addedBytes` of them new. It has taken some if there are fewer
   * than that.
   */
  setUnsent(bytes: number, addedBytes = 0): void {
    this.#setUnsent(bytes, addedBytes, 0);
  }

  #setUnsent(bytes: number, addedBytes: number, change: number): void {
    if (this.#isClosed) return;
    const former = this.#unsentBytes;
    if (bytes > 0 && (former === 0 || bytes < former + addedBytes)) this.movedAt = this.#memory.now();
    if ((former === 0) !== (bytes === 0)) this.#memory.setSending(this, bytes > 0);
    this.#unsentBytes = bytes;
    const changed = bytes - former + change;
    if (changed !== 0) this.#memory.count(changed);
  }

  /** Nothing of it is in memory any more. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    // The waiting requests first: what is released here must not be granted to this reservation again.
    this.#memory.leave(this);
    const { bytes } = this;
    if (this.#unsentBytes > 0) this.#memory.setSending(this, false);
    this.#reservedBytes = 0;
    this.#unsentBytes = 0;
    if (bytes > 0) this.#memory.count(-bytes);
  }
}
