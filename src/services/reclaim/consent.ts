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
 * How the processes that share a directory agree that a file may go. An extent that is sealed and empty stays
 * so, and no snapshot taken from now on points into it; only readers that began earlier may need it.
 *
 *   reclaimer   puts a request { round, extents }
 *   everyone    waits until the reads that had begun have ended (each is short, and what it opened is pinned by
 *               then), lets go of idle descriptors, and answers { round, pinned: what its readers still pin }
 *   reclaimer   when all have answered this round: removes what nobody holds, asks again about the rest
 *
 * No clock is involved, so a clock set back cannot remove a file under a reader. Answers are ephemeral
 * records: that of a dead process vanishes with it. A process that is alone asks nobody.
 */
export class RemovalConsent {
  readonly #payload: PayloadService;

  constructor(payload: PayloadService) {
    this.#payload = payload;
  }

  /** Before the first read of this process: its snapshots begin after every request there has been. */
  async join(): Promise<void> {
    await this.#payload.store.ephemeral.write(async (write) => {
      const { round } = await readRequest(write);
      this.#putAnswer(write, { round, pinned: [] });
    });
  }

  /** At an orderly end, when the last reader is gone: nobody waits for our answer any more. */
  async leave(): Promise<void> {
    await this.#payload.store.ephemeral.write(async (write) => {
      write.delete(removalAnswerKey(this.#payload.owner));
    });
  }

  /** Answers the present request, once. Costs one read when there is nothing to answer. */
  async answer(): Promise<void> {
    const { ephemeral } = this.#payload.store;
    const key = removalAnswerKey(this.#payload.owner);
    const { request, answered } = await ephemeral.read(async (read) => {
      const stored = await read.get(key);
      return { request: await readRequest(read), answered: stored && removalAnswer.unpack(stored).round };
    });
    if (answered === request.round) return;
    const { pinned } = await this.#lookHere(request.extents);
    await ephemeral.write(async (write) => this.#putAnswer(write, { round: request.round, pinned }));
  }

  /**
   * Which of these sealed and empty extents may go now. Asks the other processes about them, if there are
   * any.
   */
  async ask(extents: readonly bigint[]): Promise<bigint[]> {
    const { free } = await this.#lookHere(extents);
    const { ephemeral } = this.#payload.store;
    const isAlone = await ephemeral.read(async (read) => (await this.#othersAnswers(read)).length === 0);
    if (isAlone) return free;
    return ephemeral.write(async (write) => {
      const request = await readRequest(write);
      const answers = await this.#othersAnswers(write);
      if (!answers.every(({ round }) => round === request.round)) return [];
      const asked = new Set(request.extents);
      for (const { pinned } of answers) for (const extent of pinned) asked.delete(extent);
      const agreed = free.filter((extent) => asked.has(extent));
      const going = new Set(agreed);
      const open = extents.filter((extent) => !going.has(extent));
      if (open.length > 0) {
        const next = { round: request.round + 1, extents: open };
        write.put(REMOVAL_REQUEST_KEY, removalRequest.pack(next));
      }
      return agreed;
    });
  }

  /** Splits extents into those that readers of this process need and those it has let go of. */
  async #lookHere(extents: readonly bigint[]): Promise<{ pinned: bigint[]; free: bigint[] }> {
    const { store, pins, files } = this.#payload;
    await store.readsEnded();
    const pinned = extents.filter((extent) => pins.has(extent));
    const free = extents.filter((extent) => !pins.has(extent));
    for (const extent of free) files.forget(extent);
    return { pinned, free };
  }

  async #othersAnswers(read: Reader): Promise<RemovalAnswer[]> {
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

/** The processes that serve: each has an answer here from before its first request to its end. */
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
