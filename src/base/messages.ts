/**
 * Short messages between the processes that share a store. They only wake: what is to be done is written in
 * the store, so a message may be lost, come twice or come late, and whoever listens also looks for itself now
 * and then.
 *
 * A message reaches the listeners of every process, the one that announced it among them, in a later turn of
 * the event loop. It carries at most `MESSAGE_BYTES_MAX` bytes, and its topic is a word of printable ASCII:
 * any channel for notices between processes or machines can carry it.
 */
export interface Messages {
  announce(topic: string, bytes?: Buffer): void;
  /** Returns what ends the listening. */
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
    const found = this.#listeners.get(topic);
    if (found === undefined) this.#listeners.set(topic, new Set([hear]));
    else found.add(hear);
    return () => {
      const here = this.#listeners.get(topic);
      here?.delete(hear);
      if (here?.size === 0) this.#listeners.delete(topic);
    };
  }

  deliver(topic: string, bytes: Buffer): void {
    for (const hear of [...(this.#listeners.get(topic) ?? [])]) hear(bytes);
  }
}

/** As it travels between a worker and its supervisor, who passes it on to the other workers. */
export interface Announcement {
  readonly announced: string;
  readonly bytes: string;
}

export function isAnnouncement(message: unknown): message is Announcement {
  return typeof message === "object" && message !== null && "announced" in message;
}

/** Among the workers of one supervisor. */
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
