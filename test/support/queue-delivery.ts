import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { monotonic, pause, seconds } from "../../src/base/clock.ts";
import { seededRandom } from "../../src/base/random.ts";
import { startProgram } from "../kit/program.ts";
import { QueueTestClient, type Reply, type TakenByClient } from "./queue-client.ts";

/**
 * Producers and consumers on one queue of the whole program, and a ledger that knows what may happen to a
 * message:
 *
 *   - acknowledged means there: each number that was put is taken and deleted
 *   - one message, one deletion: no receipt deletes what was deleted before
 *   - its taker's alone: nobody is given a message within the time it is hidden, nor after it was deleted
 *
 * When a worker is killed, requests under way get no reply. A put is then made again, and may be there twice
 * under two ids; a get may have hidden messages nobody knows of, which come back when their time is over; a
 * deletion is made again, and a "not found" then says that the first one was done, as long as nobody else can
 * have taken the message since.
 */
export interface DeliveryOptions {
  readonly directory: string;
  readonly messages: number;
  readonly producers: number;
  readonly consumers: number;
  readonly workers: number;
  readonly hideForSeconds: number;
  /** A worker is killed this often, until all messages have been put and taken. */
  readonly killEveryMillis?: number;
  /** A supervisor gives up when its workers die too often: a fast pace needs an end. */
  readonly killsMax?: number;
  readonly seed: number;
  readonly progress: (text: string) => void;
}

export interface Delivery {
  readonly ok: boolean;
  readonly summary: string;
  readonly faults: readonly string[];
}

interface Entry {
  readonly number: number;
  hiddenUntil: number;
  deletedAt: number;
  /** 404 when a deletion got no reply and was made again. */
  answer: number;
}

const FAULTS_MAX = 10;

class Ledger {
  readonly #entries = new Map<string, Entry>();
  readonly #done: Uint8Array;
  /** Whose deletion got no reply, and was not repeated in time. */
  readonly #perhaps = new Set<number>();
  /** Put more than once, because a put got no reply. */
  readonly #uncertain = new Set<number>();
  readonly faults: string[] = [];
  deliveries = 0;
  deleted = 0;
  numbersDone = 0;
  unanswered = 0;

  constructor(messages: number) {
    this.#done = new Uint8Array(messages);
  }

  fault(text: string): void {
    if (this.faults.length < FAULTS_MAX) this.faults.push(text);
  }

  putAgain(number: number): void {
    this.#uncertain.add(number);
  }

  delivered({ id, text }: TakenByClient, asked: { sentAt: number; hideFor: number }): void {
    const now = monotonic();
    const number = Number.parseInt(text, 10);
    this.deliveries++;
    const known = this.#entries.get(id);
    if (known === undefined) {
      if (this.#done[number] === 1 && !this.#uncertain.has(number)) {
        this.fault(`message ${number} was put once and is there under two ids`);
      }
      this.#entries.set(id, { number, hiddenUntil: asked.sentAt + asked.hideFor, deletedAt: 0, answer: 0 });
      return;
    }
    if (known.number !== number) this.fault(`${id} was ${known.number} and now is ${number}`);
    if (known.deletedAt > 0 && asked.sentAt > known.deletedAt)
      this.fault(`${id} came back after its deletion`);
    if (now < known.hiddenUntil) this.fault(`${id} was delivered ${known.hiddenUntil - now} ms too early`);
    known.hiddenUntil = asked.sentAt + asked.hideFor;
  }

  deletedNow({ id }: TakenByClient, answer: number): void {
    const entry = this.#entries.get(id)!;
    if (entry.deletedAt > 0) this.fault(`${id} was deleted twice`);
    entry.deletedAt = monotonic();
    entry.answer = answer;
    this.deleted++;
    if (this.#done[entry.number] === 1) return;
    this.#done[entry.number] = 1;
    this.#perhaps.delete(entry.number);
    this.numbersDone++;
  }

  perhapsDeleted({ id }: TakenByClient): void {
    const { number } = this.#entries.get(id)!;
    if (this.#done[number] !== 1) this.#perhaps.add(number);
  }

  /** Every number is deleted, or would be if what an empty queue says is true. */
  get isAllAccounted(): boolean {
    return this.numbersDone + this.#perhaps.size === this.#done.length;
  }
}

const RETRY_MILLIS = 20;
const TEXT_PAD = " ".repeat(100);
const TAKEN_MAX = 32;
/** Of the messages taken, this share is left to come back. */
const ABANDONED = 0.002;

export async function deliverAll(options: DeliveryOptions): Promise<Delivery> {
  const { directory, messages, producers, consumers, workers, hideForSeconds, killEveryMillis } = options;
  const flags = ["--location", join(directory, "data"), "--workers", String(workers), "--silent"];
  const program = await startProgram(flags);
  const client = new QueueTestClient(program.ports.queue, "delivery", producers + consumers);
  const ledger = new Ledger(messages);
  const random = seededRandom(options.seed);
  const startedAt = monotonic();
  let next = 0;
  let isOver = false;
  let kills = 0;

  async function produce(): Promise<void> {
    for (let number = next++; number < messages; number = next++) {
      let reply = await client.put(`${number}${TEXT_PAD}`);
      while (reply === "no reply" && !isOver) {
        ledger.unanswered++;
        ledger.putAgain(number);
        await pause(RETRY_MILLIS);
        reply = await client.put(`${number}${TEXT_PAD}`);
      }
      if (reply !== "no reply" && reply.status !== 201)
        ledger.fault(`a put was answered with ${reply.status}`);
    }
  }

  async function consume(): Promise<void> {
    while (!isOver && ledger.faults.length < FAULTS_MAX) {
      const count = 1 + Math.floor(random.fraction() * TAKEN_MAX);
      const sentAt = monotonic();
      const reply = await client.get(count, hideForSeconds);
      if (reply === "no reply") {
        ledger.unanswered++;
        await pause(RETRY_MILLIS);
        continue;
      }
      if (reply.status !== 200) ledger.fault(`a get was answered with ${reply.status}`);
      for (const taken of reply.value) ledger.delivered(taken, { sentAt, hideFor: seconds(hideForSeconds) });
      for (const taken of reply.value) if (random.fraction() >= ABANDONED) await remove(taken, sentAt);
      if (reply.value.length === 0) await pause(20);
    }
  }

  /**
   * Until it is certain, or the message may be somebody else's by right and nothing can be concluded any
   * more.
   */
  async function remove(taken: TakenByClient, sentAt: number): Promise<void> {
    const isOurs = (): boolean => monotonic() < sentAt + seconds(hideForSeconds);
    let isRepeated = false;
    while (isOurs() && !isOver) {
      const reply: Reply<undefined> = await client.delete(taken);
      if (reply === "no reply") {
        ledger.unanswered++;
        isRepeated = true;
        await pause(RETRY_MILLIS);
        continue;
      }
      if (reply.status === 204 || (reply.status === 404 && isRepeated && isOurs())) {
        ledger.deletedNow(taken, reply.status);
        return;
      }
      if (reply.status !== 404) ledger.fault(`a deletion was answered with ${reply.status}`);
      else if (isOurs()) ledger.fault(`${taken.id} was not found by the one who held it`);
      break;
    }
    if (isRepeated) ledger.perhapsDeleted(taken);
  }

  async function killNowAndThen(): Promise<void> {
    if (killEveryMillis === undefined) return;
    for (;;) {
      await pause(killEveryMillis);
      if (isOver || ledger.isAllAccounted || kills === options.killsMax) return;
      const pids = workersOf(program.pid);
      if (pids.length < workers) continue;
      process.kill(pids[kills++ % pids.length]!, "SIGKILL");
    }
  }

  /** All numbers are deleted and the queue says it is empty; or nothing has moved for too long. */
  async function watch(): Promise<void> {
    let last = { done: 0, at: monotonic() };
    for (;;) {
      await pause(500);
      options.progress(`${next} put, ${ledger.deliveries} taken, ${ledger.numbersDone} done, ${kills} kills`);
      if (program.child.exitCode !== null || program.child.signalCode !== null) {
        ledger.fault(`the program ended by itself: ${program.stderr().slice(-2_000)}`);
      }
      if (ledger.faults.length > 0) break;
      if (ledger.numbersDone > last.done) last = { done: ledger.numbersDone, at: monotonic() };
      if (ledger.isAllAccounted) {
        const left = await client.count();
        if (left !== "no reply" && left.value === 0) break;
      }
      if (monotonic() > last.at + seconds(hideForSeconds) * 3 + 30_000) {
        ledger.fault(`nothing has moved for long: ${messages - ledger.numbersDone} messages are lost`);
        break;
      }
    }
    isOver = true;
    next = messages;
  }

  try {
    await client.create();
    const loops = [
      ...Array.from({ length: producers }, produce),
      ...Array.from({ length: consumers }, consume),
    ];
    await Promise.all([...loops, killNowAndThen(), watch()]);
  } finally {
    client.close();
    await program.stop();
  }
  const took = (monotonic() - startedAt) / 1_000;
  const { faults, deliveries, deleted, numbersDone, unanswered } = ledger;
  const rate = Math.round(numbersDone / took);
  const deaths = killEveryMillis === undefined ? "" : `, ${kills} workers killed, ${unanswered} unanswered`;
  const summary = `${numbersDone} of ${messages} messages, ${deliveries} deliveries, ${deleted} deletions, ${rate}/s${deaths}`;
  return {
    ok: faults.length === 0,
    summary: faults.length === 0 ? summary : `${faults[0]}; ${summary}`,
    faults,
  };
}

/** The worker processes of a supervisor. */
function workersOf(pid: number): number[] {
  if (!existsSync(`/proc/${pid}`)) return [];
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
  return children === "" ? [] : children.split(" ").map(Number);
}
