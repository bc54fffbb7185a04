import {
  ownerOfAnswerKey,
  REMOVAL_ANSWERS,
  REMOVAL_REQUEST_KEY,
  removalAnswerKey,
} from "../../store/keys/payload.ts";
import type { KeySpace, Reader, Writer } from "../../store/kv.ts";
import {
  type RemovalAnswer,
  type RemovalRequest,
  removalAnswer,
  removalRequest,
} from "../../store/records/payload.ts";
import type { PayloadService } from "../payload/payload-service.ts";

/**
 * How the processes that share a directory agree that a file may be removed. A sealed and empty extent stays
 * empty, and no new snapshot points into it; only readers that began earlier may need it.
 *
 *   reclaimer      puts a request { round, extents }
 *   each process   waits until the reads that had begun have ended (each is short, and what it opened is
 *                  pinned by then), closes idle descriptors, and answers { round, pinned } with the extents
 *                  that its readers still pin
 *   reclaimer      when all have answered this round: removes what no process pins, asks again about the rest
 *
 * No clock is involved, so a clock set back cannot remove a file under a reader. Answers are ephemeral
 * records, which disappear with their process. A process that is alone needs no answers.
 */
export class RemovalConsent {
  readonly #payload: PayloadService;

  constructor(payload: PayloadService) {
    this.#payload = payload;
  }

  /**
   * Called before the first read of this process, so that its snapshots begin after every earlier request.
   */
  async join(): Promise<void> {
    await this.#payload.store.ephemeral.write(async (write) => {
      const { round } = await readRequest(write);
      this.#putAnswer(write, { round, pinned: [] });
    });
  }

  /** Called at an orderly shutdown, after the last reader: the others no longer wait for its answer. */
  async leave(): Promise<void> {
    await this.#payload.store.ephemeral.write(async (write) => {
      write.delete(removalAnswerKey(this.#payload.owner));
    });
  }

  /** Answers the current request, once. Without one to answer it costs one read. */
  async answer(): Promise<void> {
    const { ephemeral } = this.#payload.store;
    const key = removalAnswerKey(this.#payload.owner);
    const { request, answered } = await ephemeral.read(async (read) => {
      const stored = await read.get(key);
      return { request: await readRequest(read), answered: stored && removalAnswer.unpack(stored).round };
    });
    if (answered === request.round) return;
    const { pinned } = await this.#splitByPins(request.extents);
    await ephemeral.write(async (write) => this.#putAnswer(write, { round: request.round, pinned }));
  }

  /**
   * The sealed and empty extents of these that may be removed now. It asks other processes, if there are any.
   */
  async ask(extents: readonly bigint[]): Promise<bigint[]> {
    const { free } = await this.#splitByPins(extents);
    const { ephemeral } = this.#payload.store;
    const isAlone = await ephemeral.read(async (read) => (await this.#answersOfOthers(read)).length === 0);
    if (isAlone) return free;
    return ephemeral.write(async (write) => {
      const request = await readRequest(write);
      const answers = await this.#answersOfOthers(write);
      if (!answers.every(({ round }) => round === request.round)) return [];
      const unpinned = new Set(request.extents);
      for (const { pinned } of answers) for (const extent of pinned) unpinned.delete(extent);
      const removable = new Set(free.filter((extent) => unpinned.has(extent)));
      const rest = extents.filter((extent) => !removable.has(extent));
      if (rest.length > 0) {
        const next = { round: request.round + 1, extents: rest };
        write.put(REMOVAL_REQUEST_KEY, removalRequest.pack(next));
      }
      return [...removable];
    });
  }

  /** Splits extents into those that readers of this process pin and those that are free. */
  async #splitByPins(extents: readonly bigint[]): Promise<{ pinned: bigint[]; free: bigint[] }> {
    const { store, pins, files } = this.#payload;
    await store.readsEnded();
    const pinned = extents.filter((extent) => pins.has(extent));
    const free = extents.filter((extent) => !pins.has(extent));
    for (const extent of free) files.forget(extent);
    return { pinned, free };
  }

  async #answersOfOthers(read: Reader): Promise<RemovalAnswer[]> {
    const answers: RemovalAnswer[] = [];
    for await (const { key, value } of read.range(REMOVAL_ANSWERS)) {
      if (ownerOfAnswerKey(key) !== this.#payload.owner) answers.push(removalAnswer.unpack(value));
    }
    return answers;
  }

  #putAnswer(write: Writer, answer: RemovalAnswer): void {
    write.put(removalAnswerKey(this.#payload.owner), removalAnswer.pack(answer));
  }
}

/** The running processes: each has an answer from before its first request until its end. */
export function livingProcesses(ephemeral: KeySpace): Promise<ReadonlySet<string>> {
  return ephemeral.read(async (read) => {
    const owners = new Set<string>();
    for await (const { key } of read.range(REMOVAL_ANSWERS)) owners.add(ownerOfAnswerKey(key));
    return owners;
  });
}

async function readRequest(read: Reader): Promise<RemovalRequest> {
  const stored = await read.get(REMOVAL_REQUEST_KEY);
  return stored === undefined ? { round: 0, extents: [] } : removalRequest.unpack(stored);
}
