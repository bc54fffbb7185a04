import { pause } from "../../base/clock.ts";
import { LIMITS } from "../../base/limits.ts";
import { LocalMessages } from "../../base/messages.ts";
import type { Log } from "../../observability/log.ts";
import type { Pool } from "./pool.ts";
import type { Session } from "./session.ts";
import { type Notification, type Prepared, text } from "./wire.ts";

const CHANNEL_BYTES_MAX = 63;

function channelOf(schema: string): string {
  return `holdfast_${schema}`.slice(0, CHANNEL_BYTES_MAX);
}

export function messageStatements(schema: string): Prepared[] {
  return [
    { name: "listen", text: `LISTEN ${channelOf(schema)}` },
    { name: "notify", text: `SELECT pg_notify('${channelOf(schema)}', $1::text)` },
  ];
}

/**
 * Messages between members through LISTEN and NOTIFY of the database. Messages sent while a connection is
 * broken are lost, as the interface allows: listeners also poll. Senders do not wait.
 */
export class DatabaseMessages extends LocalMessages {
  readonly #pool: Pool;
  readonly #owner: string;
  readonly #log: Log;
  /** `owner topic base64`. */
  #waiting: string[] = [];
  #isSending = false;
  #isClosed = false;
  #listening: Session | undefined;
  readonly #running: Promise<void>;

  constructor({ pool, owner, log, opened }: { pool: Pool; owner: string; log: Log; opened: Promise<void> }) {
    super();
    this.#pool = pool;
    this.#owner = owner;
    this.#log = log;
    this.#running = opened.then(
      () => this.#listen(),
      // Reads and writes report why there is no database.
      () => {},
    );
  }

  override announce(topic: string, bytes: Buffer = Buffer.alloc(0)): void {
    super.announce(topic, bytes);
    if (this.#isClosed || this.#waiting.length >= LIMITS.announcementsWaitingMax) return;
    this.#waiting.push(`${this.#owner} ${topic} ${bytes.toString("base64")}`);
    if (!this.#isSending) void this.#send();
  }

  async #send(): Promise<void> {
    this.#isSending = true;
    while (this.#waiting.length > 0) {
      // All messages of one tick of the event loop share a round trip.
      await new Promise<void>((resolve) => setImmediate(resolve));
      const batch = this.#waiting.splice(0);
      try {
        const session = await this.#pool.acquire();
        try {
          await session.run(batch.map((message) => ({ name: "notify", values: [text(message)] })));
        } finally {
          this.#pool.release(session);
        }
      } catch (err) {
        this.#log.debug({ err }, "messages to other members were lost");
      }
    }
    this.#isSending = false;
  }

  /** Keeps one connection listening, and replaces it when it breaks. */
  async #listen(): Promise<void> {
    while (!this.#isClosed) {
      try {
        const session = await this.#pool.acquire();
        this.#listening = session;
        const lost = new Promise<void>((resolve) => {
          const forget = session.onLost;
          session.onLost = () => {
            forget();
            resolve();
          };
        });
        session.onNotification = (notification) => this.#receive(notification);
        await session.run([{ name: "listen", values: [] }]);
        if (this.#isClosed) break;
        await lost;
        this.#pool.release(session);
      } catch (err) {
        this.#log.debug({ err }, "cannot receive messages of other members for now");
      }
      if (!this.#isClosed) await pause(LIMITS.databaseRetryMillis);
    }
  }

  #receive({ text: message }: Notification): void {
    const [owner, topic, bytes = ""] = message.split(" ");
    // Own messages were delivered locally.
    if (owner === this.#owner || topic === undefined) return;
    this.deliver(topic, Buffer.from(bytes, "base64"));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#listening?.destroy(new Error("the store is closing"));
    await this.#running;
    await this.#pool.close();
  }
}
