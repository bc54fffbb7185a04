/**
 * Short messages between the processes that share a store. They only wake a listener: the work itself is
 * written in the store. A message may therefore be lost, come twice or come late, and a listener also checks
 * the store at intervals.
 *
 * A message reaches the listeners of every process, including the sender's, in a later tick of the event
 * loop. It has at most `MESSAGE_BYTES_MAX` bytes, and its topic is a word of printable ASCII, so that any
 * channel between processes or machines can carry it.
 */
export interface Messages {
  announce(topic: string, bytes?: Buffer): void;
  /** Returns a function that removes the listener. */
  listen(topic: string, hear: (bytes: Buffer) => void): () => void;
}

export const MESSAGE_BYTES_MAX = 1_024;

const NOTHING = Buffer.alloc(0);

/** Within one process. */
export class LocalMessages implements Messages {
  readonly #listeners = new Map<string, Set<(bytes: Buffer) => void>>();

  announce(topic: string, bytes: Buffer = NOTHING): void {
    if (bytes.length > MESSAGE_BYTES_MAX) throw new RangeError("a message between processes is short");
    setImmediate(() => this.deliver(topic, bytes));
  }

  listen(topic: string, hear: (bytes: Buffer) => void): () => void {
    const listeners = this.#listeners.get(topic) ?? new Set();
    this.#listeners.set(topic, listeners.add(hear));
    return () => {
      listeners.delete(hear);
      if (listeners.size === 0 && this.#listeners.get(topic) === listeners) this.#listeners.delete(topic);
    };
  }

  deliver(topic: string, bytes: Buffer): void {
    for (const hear of [...(this.#listeners.get(topic) ?? [])]) hear(bytes);
  }
}

/** A message on its way from a worker to the supervisor, which relays it to the other workers. */
export interface Announcement {
  readonly announced: string;
  readonly bytes: string;
}

export function isAnnouncement(message: unknown): message is Announcement {
  return typeof message === "object" && message !== null && "announced" in message;
}

/** Between the workers of one supervisor. */
export class RelayedMessages extends LocalMessages {
  readonly #send: (message: Announcement) => void;

  constructor(send: (message: Announcement) => void) {
    super();
    this.#send = send;
  }

  override announce(topic: string, bytes: Buffer = NOTHING): void {
    super.announce(topic, bytes);
    this.#send({ announced: topic, bytes: bytes.toString("base64") });
  }

  receive({ announced, bytes }: Announcement): void {
    this.deliver(announced, Buffer.from(bytes, "base64"));
  }
}
