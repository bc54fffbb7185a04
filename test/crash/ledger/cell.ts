import type { PlainRequest } from "../../../bench/sign.ts";
import { pause } from "../../../src/base/clock.ts";
import type { Random } from "../../../src/base/random.ts";
import type { WireClient, WireOutcome, WireReply, WireService } from "../../support/wire-client.ts";

/**
 * One thing that one client alone writes, and what its acknowledgements say it must be. A state is a text
 * that only the cell understands; "torn" is what no single write can have left.
 */
export interface Cell {
  readonly name: string;
  /** What is there when nothing has been acknowledged yet. */
  readonly initial: string;
  /**
   * One change of the present state: the requests of it, of which the last makes it visible, and the state
   * after.
   */
  change(state: string, random: Random): Change;
  /** The state as it is. */
  read(send: Send): Promise<string>;
}

export interface Change {
  readonly next: string;
  readonly service: WireService;
  readonly requests: readonly PlainRequest[];
  /** What the last reply says, where its own status does not: that of a batch is always a yes. */
  readonly statusOf?: (reply: WireReply) => number;
  /** Told of the last reply, when it was a yes. */
  readonly onDone?: (reply: WireReply) => void;
}

/** Sends until it is answered: for looking, which changes nothing. */
export type Send = (service: WireService, request: PlainRequest) => Promise<WireReply>;

export interface LedgerStats {
  acknowledged: number;
  /** Changes without a reply, and how many of them turned out to be there. */
  unacknowledged: number;
  keptUnacknowledged: number;
  refused: number;
  checked: number;
  lost: number;
  torn: number;
  resurrected: number;
  /** The first few, in words. */
  troubles: string[];
}

export const newStats = (): LedgerStats => ({
  acknowledged: 0,
  unacknowledged: 0,
  keptUnacknowledged: 0,
  refused: 0,
  checked: 0,
  lost: 0,
  torn: 0,
  resurrected: 0,
  troubles: [],
});

const COUNTS = [
  "acknowledged",
  "unacknowledged",
  "keptUnacknowledged",
  "refused",
  "checked",
  "lost",
  "torn",
  "resurrected",
] as const;

export const isClean = ({ lost, torn, resurrected, troubles }: LedgerStats): boolean =>
  lost + torn + resurrected + troubles.length === 0;

export function add(totals: LedgerStats, stats: LedgerStats): void {
  for (const key of COUNTS) totals[key] += stats[key];
  totals.troubles.push(...stats.troubles);
}

export function printStats(it: LedgerStats): string {
  const text =
    `${it.acknowledged} acknowledged, ${it.lost} lost, ${it.torn} torn, ${it.resurrected} resurrected ` +
    `(${it.unacknowledged} unacknowledged, ${it.keptUnacknowledged} of them kept)`;
  return [text, ...it.troubles].join("; ");
}

const TROUBLES_MAX = 5;
const RETRY_MILLIS = 10;
const TRIES_MAX = 300;
export const EMPTY = "";
export const TORN = "torn";

/** A cell with what is known of it. */
export class Entry {
  readonly #cell: Cell;
  readonly #stats: LedgerStats;
  #state: string;
  /** The states it may have besides the one acknowledged: of changes nobody answered. */
  #maybe: string[] = [];

  constructor(cell: Cell, stats: LedgerStats) {
    this.#cell = cell;
    this.#stats = stats;
    this.#state = cell.initial;
  }

  /** False when it has to be looked at before anything else may be done to it. */
  get isCertain(): boolean {
    return this.#maybe.length === 0;
  }

  /** `isTolerant`: the container may never have been made, which is then no loss. */
  async write(client: WireClient, random: Random, { isTolerant = false } = {}): Promise<void> {
    const { next, service, requests, statusOf, onDone } = this.#cell.change(this.#state, random);
    for (const [index, request] of requests.entries()) {
      const reply: WireOutcome = await client.send(service, request);
      if (reply === "not sent") {
        await pause(RETRY_MILLIS);
        return;
      }
      const isLast = index === requests.length - 1;
      const status = reply === "no reply" ? 500 : (isLast && statusOf?.(reply)) || reply.status;
      if (reply === "no reply" || status >= 500) {
        // Only the last request makes the change: without it there is none.
        if (!isLast) return;
        if (reply === "no reply") this.#stats.unacknowledged++;
        else this.#stats.refused++;
        this.#maybe.push(next);
        return;
      }
      if (status >= 300) {
        if (status === 404 && isTolerant) return;
        // What it belongs to was acknowledged, and is gone.
        if (status === 404) this.#stats.lost++;
        this.#trouble(`${request.method} was answered with ${status} ${reply.code}`);
        return;
      }
      if (isLast) onDone?.(reply);
    }
    this.#state = next;
    this.#stats.acknowledged++;
  }

  async check(client: WireClient): Promise<void> {
    const found = await this.#cell.read((service, request) => insist(client, service, request));
    this.#stats.checked++;
    const isKept = this.#maybe.includes(found);
    if (found !== this.#state && !isKept) this.#judge(found);
    if (isKept && found !== this.#state) this.#stats.keptUnacknowledged++;
    this.#state = found === TORN ? this.#cell.initial : found;
    this.#maybe = [];
  }

  /** Looks once, for what the disk makes of it: an error is no answer, and anything else must be true. */
  async glance(client: WireClient): Promise<void> {
    let found: string;
    try {
      found = await this.#cell.read(async (service, request) => {
        const reply = await client.send(service, request);
        if (typeof reply === "string" || reply.status >= 500) throw new Unanswered();
        return reply;
      });
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error;
      return;
    }
    if (found !== this.#state && !this.#maybe.includes(found)) this.#judge(found);
  }

  #judge(found: string): void {
    if (found.startsWith(TORN)) this.#stats.torn++;
    else if (this.#state === EMPTY) this.#stats.resurrected++;
    else this.#stats.lost++;
    this.#trouble(
      `was ${this.#state || "nothing"} (or ${this.#maybe.join(", ") || "-"}), is ${found || "nothing"}`,
    );
  }

  #trouble(text: string): void {
    if (this.#stats.troubles.length < TROUBLES_MAX) this.#stats.troubles.push(`${this.#cell.name} ${text}`);
  }
}

class Unanswered extends Error {}

async function insist(client: WireClient, service: WireService, request: PlainRequest): Promise<WireReply> {
  let last = "";
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const reply = await client.send(service, request);
    if (reply !== "not sent" && reply !== "no reply" && reply.status < 500) return reply;
    last = typeof reply === "string" ? reply : String(reply.status);
    await pause(RETRY_MILLIS);
  }
  throw new Error(`${request.method} ${request.path} is not answered (${last})`);
}
