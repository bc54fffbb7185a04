import { isExpired } from "../../concurrency/visibility.ts";
import { keyAfter } from "../../store/keys/pack.ts";
import {
  contentsOfDiscardedKey,
  counterKey,
  DISCARDED,
  discardedKey,
  dueSweeps,
  messagesOf,
  readSweepKey,
} from "../../store/keys/queue.ts";
import type { Entry, Key, KeySpace, Range, Reader, Writer } from "../../store/kv.ts";
import type { ServiceParts } from "../context.ts";
import type { BackgroundJob } from "../reclaim/background-jobs.ts";
import { messageOf, putCounter, readCounter } from "./contents.ts";
import { QUEUE_LIMITS } from "./limits.ts";

/** What the Queue service does in the background, one short transaction at a time. */
export function queueJobs({ store }: ServiceParts): readonly BackgroundJob[] {
  const interval = QUEUE_LIMITS.sweepIntervalMillis;
  const sweeper = new Sweeper(store);
  return [
    { name: "expired messages", interval, run: () => sweeper.step() },
    { name: "messages of deleted queues", interval, run: () => removeDiscarded(store) },
  ];
}

/** The first entries of a range, up to the limits of one step. */
async function readStep(read: Reader, range: Range): Promise<{ found: Entry[]; isAll: boolean }> {
  const found: Entry[] = [];
  let bytes = 0;
  for await (const entry of read.range({ ...range, limit: QUEUE_LIMITS.sweptPerStep })) {
    found.push(entry);
    bytes += entry.value.length;
    if (bytes >= QUEUE_LIMITS.sweptBytesPerStep) return { found, isAll: false };
  }
  return { found, isAll: found.length < QUEUE_LIMITS.sweptPerStep };
}

/** Due sweeps, and how far their queues have been scanned. */
interface SweepRound {
  readonly sweeps: readonly Key[];
  readonly queues: bigint[];
  /** Where to continue in the last of `queues`. */
  from: Key | undefined;
}

/**
 * Removes expired messages, so that they no longer count and take no space. It scans a queue with a due sweep
 * from end to end. The messages of the sweep have expired and no longer move, so one scan meets all of them.
 * The position of a scan is not stored: after a restart it begins again.
 */
class Sweeper {
  readonly #store: KeySpace;
  #round: SweepRound | undefined;

  constructor(store: KeySpace) {
    this.#store = store;
  }

  async step(): Promise<"more" | "done"> {
    this.#round ??= await this.#nextRound();
    const round = this.#round;
    if (round === undefined) return "done";
    const contents = round.queues.at(-1);
    if (contents === undefined) {
      await this.#store.write((write) => endSweeps(write, round.sweeps));
      this.#round = undefined;
    } else {
      await this.#continueScan(round, contents);
    }
    return "more";
  }

  #nextRound(): Promise<SweepRound | undefined> {
    return this.#store.read(async (read) => {
      const { found } = await readStep(read, dueSweeps(read.now()));
      if (found.length === 0) return undefined;
      const sweeps = found.map(({ key }) => key);
      const queues = [...new Set(sweeps.map((key) => readSweepKey(key).contents))];
      return { sweeps, queues, from: undefined };
    });
  }

  async #continueScan(round: SweepRound, contents: bigint): Promise<void> {
    const all = messagesOf(contents);
    const { expired, last } = await this.#store.read(async (read) => {
      const { found, isAll } = await readStep(read, { ...all, from: round.from ?? all.from });
      const now = read.now();
      const expired = found.filter((entry) => isExpired(messageOf(entry).state, now)).map(({ key }) => key);
      return { expired, last: isAll ? undefined : found.at(-1)!.key };
    });
    if (expired.length > 0) await this.#store.write((write) => removeMessages(write, contents, expired));
    round.from = last === undefined ? undefined : keyAfter(last);
    if (last === undefined) round.queues.pop();
  }
}

/** A Get may have removed some of them already, and the queue itself may be deleted with its counter. */
async function removeMessages(write: Writer, contents: bigint, keys: readonly Key[]): Promise<void> {
  const now = write.now();
  const values = await write.getMany(keys);
  let removed = 0;
  for (const [i, key] of keys.entries()) {
    const value = values[i];
    // After the clock was set back, a message that the scan found expired may live again.
    if (value === undefined || !isExpired(messageOf({ key, value }).state, now)) continue;
    write.delete(key);
    removed++;
  }
  if (removed === 0) return;
  const counter = await write.view((read) => readCounter(read, contents));
  putCounter(write, contents, { ...counter, count: counter.count - removed });
}

/** Deletes completed sweeps. After the clock was set back, the same sweep may be scheduled again. */
async function endSweeps(write: Writer, sweeps: readonly Key[]): Promise<void> {
  for (const key of sweeps) {
    write.delete(key);
    const { at, contents } = readSweepKey(key);
    const counter = await write.view((read) => readCounter(read, contents));
    if (counter.sweepAt === at) putCounter(write, contents, { ...counter, sweepAt: 0 });
  }
}

/** Removes the messages of deleted and cleared queues. */
async function removeDiscarded(store: KeySpace): Promise<"more" | "done"> {
  const discarded = await store.read(async (read) => {
    for await (const { key } of read.range({ ...DISCARDED, limit: 1 })) return contentsOfDiscardedKey(key);
    return undefined;
  });
  if (discarded === undefined) return "done";
  await store.write(async (write) => {
    const { found, isAll } = await readStep(write, messagesOf(discarded));
    for (const { key } of found) write.delete(key);
    if (!isAll) {
      const counter = await write.view((read) => readCounter(read, discarded));
      putCounter(write, discarded, { ...counter, count: counter.count - found.length });
      return;
    }
    write.delete(counterKey(discarded));
    write.delete(discardedKey(discarded));
  });
  return "more";
}
