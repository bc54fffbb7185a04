/**
 * A queue as plainly as it can be said: a list of messages, looked through from end to end by every
 * operation. It knows nothing of keys, heads, tallies or sweeps. Receipts are numbers in the order they were
 * given out, and messages are numbers in the order they were put.
 */
export type Outcome<T> = T | { readonly refused: string };

interface ModelMessage {
  readonly number: number;
  readonly insertedAt: number;
  readonly expiresAt: number;
  visibleAt: number;
  dequeueCount: number;
  text: string;
  /** The only receipt that counts. */
  receipt: number;
}

export interface ModelGiven {
  readonly message: number;
  readonly text: string;
  readonly insertedAt: number;
  readonly expiresAt: number;
  readonly dequeueCount: number;
}

export interface ModelTaken extends ModelGiven {
  readonly receipt: number;
  readonly visibleAt: number;
}

const NEVER = Date.UTC(9999, 11, 31, 23, 59, 59);

export class QueueModel {
  now: number;
  #messages: ModelMessage[] = [];
  /** The message each receipt was given for. */
  readonly #receipts: number[] = [];
  #putSoFar = 0;
  /** Messages with a lower number were cleared away, and their ids forgotten. */
  #firstKnown = 0;

  constructor(now: number) {
    this.now = now;
  }

  get receiptsGiven(): number {
    return this.#receipts.length;
  }

  get messagesPut(): number {
    return this.#putSoFar;
  }

  put(
    text: string,
    { delay, timeToLive }: { delay: number; timeToLive: number | "never" },
  ): Outcome<{ message: number; receipt: number; visibleAt: number; expiresAt: number }> {
    if (timeToLive !== "never" && delay >= timeToLive) return { refused: "InvalidQueryParameterValue" };
    const message: ModelMessage = {
      number: this.#putSoFar++,
      insertedAt: this.now,
      expiresAt: timeToLive === "never" ? NEVER : this.now + timeToLive,
      visibleAt: this.now + delay,
      dequeueCount: 0,
      text,
      receipt: 0,
    };
    message.receipt = this.#newReceipt(message);
    this.#messages.push(message);
    const { number, receipt, visibleAt, expiresAt } = message;
    return { message: number, receipt, visibleAt, expiresAt };
  }

  get(count: number, hideFor: number): ModelTaken[] {
    return this.#visible(count).map((message) => {
      message.dequeueCount++;
      message.visibleAt = this.now + hideFor;
      message.receipt = this.#newReceipt(message);
      return { ...given(message), receipt: message.receipt, visibleAt: message.visibleAt };
    });
  }

  peek(count: number): ModelGiven[] {
    return this.#visible(count).map(given);
  }

  update(
    number: number,
    receipt: number,
    { hideFor, text }: { hideFor: number; text: string | undefined },
  ): Outcome<{ receipt: number; visibleAt: number }> {
    const found = this.#opened(number, receipt);
    if ("refused" in found) return found;
    if (this.now + hideFor > found.expiresAt) return { refused: "InvalidQueryParameterValue" };
    found.visibleAt = this.now + hideFor;
    if (text !== undefined) found.text = text;
    found.receipt = this.#newReceipt(found);
    return { receipt: found.receipt, visibleAt: found.visibleAt };
  }

  delete(number: number, receipt: number): Outcome<"deleted"> {
    const found = this.#opened(number, receipt);
    if ("refused" in found) return found;
    this.#messages = this.#messages.filter((message) => message !== found);
    return "deleted";
  }

  clear(): void {
    this.#messages = [];
    this.#firstKnown = this.#putSoFar;
  }

  /** Messages that have not expired. */
  living(): number {
    return this.#messages.filter((message) => this.now < message.expiresAt).length;
  }

  /**
   * Those, and the messages that expired so short a time ago that nobody needs to have looked for them yet.
   */
  livingOrJustExpired(): number {
    const lateness = ({ insertedAt, expiresAt }: ModelMessage): number =>
      Math.max(1_000, (expiresAt - insertedAt) / 64);
    return this.#messages.filter((message) => this.now < message.expiresAt + lateness(message)).length;
  }

  #visible(count: number): ModelMessage[] {
    return this.#messages
      .filter((message) => message.visibleAt <= this.now && this.now < message.expiresAt)
      .sort((one, other) => one.visibleAt - other.visibleAt || one.number - other.number)
      .slice(0, count);
  }

  #opened(number: number, receipt: number): ModelMessage | { refused: string } {
    if (number < this.#firstKnown) return { refused: "MessageNotFound" };
    if (this.#receipts[receipt] !== number) return { refused: "PopReceiptMismatch" };
    const message = this.#messages.find((candidate) => candidate.number === number);
    if (message === undefined || this.now >= message.expiresAt) return { refused: "MessageNotFound" };
    return message.receipt === receipt ? message : { refused: "MessageNotFound" };
  }

  #newReceipt(message: ModelMessage): number {
    return this.#receipts.push(message.number) - 1;
  }
}

function given({ number, text, insertedAt, expiresAt, dequeueCount }: ModelMessage): ModelGiven {
  return { message: number, text, insertedAt, expiresAt, dequeueCount };
}
