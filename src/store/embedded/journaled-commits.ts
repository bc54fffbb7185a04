import { systemTimers, type Timer } from "../../base/clock.ts";
import { OutOfSpace } from "../../base/faults.ts";
import { LIMITS } from "../../base/limits.ts";
import type { Key } from "../kv.ts";
import type { PendingWrites } from "../overlay.ts";
import { Journal, recordsAfter } from "./journal.ts";
import { JournaledWrites } from "./journaled-writes.ts";
import type { WriteSet } from "./lmdb.ts";

/** Where the database keeps the number of the last commit it has. */
export const COMMIT_KEY: Key = "\0commit";

export interface JournaledOptions {
  readonly directory: string;
  /** The last commit the database has. */
  readonly applied: number;
  /** Brings writes into the database, durably. Throws `OutOfSpace` having written nothing; after worse it never ends. */
  readonly checkpoint: (writes: WriteSet) => Promise<void>;
  /** The journal cannot be written: what is on the disk can no longer be told. */
  readonly onFatal: (error: unknown) => Promise<never>;
}

/**
 * Commits that are durable when the journal has them. They are brought into the database behind that, several at
 * once; until then whoever reads looks through them.
 *
 *   commit -> journal -> recent (readers see it) -> settling -> database
 */
export class JournaledCommits {
  readonly #journal: Journal;
  readonly #checkpoint: JournaledOptions["checkpoint"];
  readonly #onFatal: JournaledOptions["onFatal"];
  #recent = new JournaledWrites();
  #settling: JournaledWrites | undefined;
  #lastCommit: number;
  /** What an earlier run left lies in both files: there is no place for another record until the database has it. */
  #isRecovering = false;
  /** The database has no room for what the journal has: nothing more is taken until it has. */
  #isStuck = false;
  #timer: Timer | undefined;
  /** A record is on its way into one of the files: they do not change places before it is counted. */
  #isAppending = false;
  #isDue = false;
  #onCheckpoint: (() => void)[] = [];
  #view: readonly PendingWrites[] | undefined;

  constructor({ directory, applied, checkpoint, onFatal }: JournaledOptions) {
    this.#checkpoint = checkpoint;
    this.#onFatal = onFatal;
    this.#lastCommit = applied;
    const left = recordsAfter(directory, applied);
    this.#journal = new Journal(directory);
    if (left.length === 0) return;
    this.#isRecovering = true;
    this.#settling = new JournaledWrites();
    for (const { commit, writes } of left) this.#settling.add(commit, writes);
    this.#lastCommit = this.#settling.lastCommit;
    void this.#bringIn(this.#settling);
  }

  async commit(writes: ReadonlyMap<Key, Buffer | null>): Promise<void> {
    while (this.#mustWait()) {
      if (this.#isStuck) throw new OutOfSpace("no space left for records");
      await this.#untilCheckpoint();
    }
    this.#isAppending = true;
    try {
      await this.#journal.append(this.#lastCommit + 1, writes);
      this.#lastCommit++;
      this.#recent.add(this.#lastCommit, writes);
      this.#view = undefined;
    } catch (error) {
      if (error instanceof OutOfSpace) throw error;
      await this.#onFatal(error);
    } finally {
      this.#isAppending = false;
      this.#scheduleCheckpoint();
    }
  }

  /** What was committed and is not in the database, newest first, as of now. */
  view(): readonly PendingWrites[] {
    this.#view ??= [this.#recent, this.#settling]
      .filter((layer) => layer !== undefined && layer.count > 0)
      .map((layer) => layer!.at(this.#lastCommit));
    return this.#view;
  }

  /** Bytes and writes that the database has yet to find room for. */
  get pending(): { readonly bytes: number; readonly count: number } {
    const { bytes = 0, count = 0 } = this.#settling ?? {};
    return { bytes: this.#recent.bytes + bytes, count: this.#recent.count + count };
  }

  /** Brings everything into the database; what has no room there waits in the journal for the next start. */
  async close(): Promise<void> {
    this.#timer?.cancel();
    while (!this.#isStuck && (this.#settling !== undefined || this.#recent.count > 0)) {
      if (this.#settling === undefined) this.#startSettling();
      await this.#untilCheckpoint();
    }
    this.#timer?.cancel();
    this.#journal.close();
  }

  #mustWait(): boolean {
    if (this.#isRecovering || this.#isStuck) return true;
    return this.#settling !== undefined && this.#recent.bytes >= LIMITS.journaledBytesMax;
  }

  /** Resolves when nothing is on its way into the database; never, once that has failed. */
  async checkpointed(): Promise<void> {
    while (this.#settling !== undefined) await this.#untilCheckpoint();
  }

  #untilCheckpoint(): Promise<void> {
    return new Promise((resolve) => this.#onCheckpoint.push(resolve));
  }

  #scheduleCheckpoint(): void {
    const { count, bytes } = this.#recent;
    if (this.#settling !== undefined || count === 0) return;
    const isDue = this.#isDue || count >= LIMITS.checkpointWritesMin || bytes >= LIMITS.checkpointBytesMin;
    if (isDue) this.#startSettling();
    else this.#timer ??= systemTimers.after(LIMITS.checkpointMillis, () => this.#startSettling());
  }

  #startSettling(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    if (this.#settling !== undefined || this.#recent.count === 0) return;
    this.#isDue = this.#isAppending;
    if (this.#isDue) return;
    this.#settling = this.#recent;
    this.#recent = new JournaledWrites();
    this.#view = undefined;
    this.#journal.rotate();
    void this.#bringIn(this.#settling);
  }

  async #bringIn(writes: JournaledWrites): Promise<void> {
    try {
      await this.#checkpoint(withCommit(writes));
    } catch (error) {
      if (!(error instanceof OutOfSpace)) return void (await this.#onFatal(error));
      this.#isStuck = true;
      this.#wake();
      this.#timer = systemTimers.after(LIMITS.stuckRetryMillis, () => void this.#bringIn(writes));
      return;
    }
    this.#isStuck = false;
    this.#isRecovering = false;
    this.#settling = undefined;
    this.#view = undefined;
    this.#wake();
    this.#scheduleCheckpoint();
  }

  #wake(): void {
    for (const wake of this.#onCheckpoint.splice(0)) wake();
  }
}

/** What the database is to write, the number of the last commit with it. */
function withCommit(writes: JournaledWrites): WriteSet {
  return {
    forEach(each) {
      writes.forEach(each);
      each(packCommit(writes.lastCommit), COMMIT_KEY);
    },
  };
}

export function packCommit(commit: number): Buffer {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeBigUInt64BE(BigInt(commit));
  return bytes;
}

/** What the database has under `COMMIT_KEY`; it has nothing before the first. */
export function unpackCommit(bytes: Buffer | undefined): number {
  return Number(bytes?.readBigUInt64BE() ?? 0n);
}
