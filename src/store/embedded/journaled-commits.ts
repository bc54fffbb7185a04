import { systemTimers, type Timer } from "../../base/clock.ts";
import { OutOfSpace } from "../../base/faults.ts";
import { LIMITS } from "../../base/limits.ts";
import type { Key } from "../kv.ts";
import type { PendingWrites } from "../overlay.ts";
import { Journal, type JournalState, recordsAfter } from "./journal.ts";
import { JOURNAL_KEY, type JournalMark, packMark } from "./journal-mark.ts";
import { JournaledWrites } from "./journaled-writes.ts";
import type { WriteSet } from "./lmdb.ts";

/** The record of the last commit that the database has. */
export const COMMIT_KEY: Key = "\0commit";

export interface JournaledOptions extends JournalState {
  /** Commits to the database. Rejects only with `OutOfSpace`, having written nothing. */
  readonly checkpoint: (writes: WriteSet) => Promise<void>;
  /** Writing the journal failed: the state on disk is unknown. */
  readonly onFatal: (error: unknown) => Promise<never>;
}

/**
 * Commits that are durable once the journal has them. Checkpoints bring several at once into the database;
 * until then readers merge them with its state.
 *
 *   commit -> journal -> recent (visible to readers) -> checkpoint -> database
 */
export class JournaledCommits {
  readonly #journal: Journal;
  readonly #checkpoint: JournaledOptions["checkpoint"];
  readonly #onFatal: JournaledOptions["onFatal"];
  #recent = new JournaledWrites();
  #checkpointing: JournaledWrites | undefined;
  #lastCommit: number;
  /** An earlier run left records in both files: new ones wait until the database has them. */
  #isRecovering = false;
  /** The database has no space for the journaled writes: commits fail until it has. */
  #isStuck = false;
  #timer: Timer | undefined;
  /** A record is being written: the journal cannot rotate until it is counted. */
  #isAppending = false;
  #isDue = false;
  #onCheckpoint: (() => void)[] = [];
  #view: readonly PendingWrites[] | undefined;

  constructor({ checkpoint, onFatal, ...state }: JournaledOptions) {
    this.#checkpoint = checkpoint;
    this.#onFatal = onFatal;
    this.#lastCommit = state.applied;
    const unapplied = recordsAfter(state);
    this.#journal = new Journal(state.directory, state.mark);
    if (unapplied.length === 0) return;
    this.#isRecovering = true;
    this.#checkpointing = new JournaledWrites();
    for (const { commit, writes } of unapplied) this.#checkpointing.add(commit, writes);
    this.#lastCommit = this.#checkpointing.lastCommit;
    void this.#runCheckpoint(this.#checkpointing);
  }

  async commit(writes: ReadonlyMap<Key, Buffer | null>): Promise<void> {
    while (this.#mustWait()) {
      if (this.#isStuck) throw new OutOfSpace("no space left for records");
      await this.#untilCheckpoint();
    }
    this.#isAppending = true;
    try {
      if (!this.#journal.isDirty) await this.#beginJournal();
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

  /** For the first commit of a run. The database has the mark before the journal has a record. */
  async #beginJournal(): Promise<void> {
    const mark = this.#journal.prepare();
    await this.#checkpoint(markWrite(mark));
    this.#journal.begin(mark);
  }

  /** The current commits that are not in the database, newest first. */
  view(): readonly PendingWrites[] {
    this.#view ??= [this.#recent, this.#checkpointing]
      .filter((layer) => layer !== undefined && layer.count > 0)
      .map((layer) => layer!.at(this.#lastCommit));
    return this.#view;
  }

  /** Size and number of the writes that the database does not have yet. */
  get pending(): { readonly bytes: number; readonly count: number } {
    const { bytes = 0, count = 0 } = this.#checkpointing ?? {};
    return { bytes: this.#recent.bytes + bytes, count: this.#recent.count + count };
  }

  /** Checkpoints everything; writes that do not fit stay in the journal for the next start. */
  async close(): Promise<void> {
    this.#timer?.cancel();
    while (!this.#isStuck && (this.#checkpointing !== undefined || this.#recent.count > 0)) {
      if (this.#checkpointing === undefined) this.#startCheckpoint();
      await this.#untilCheckpoint();
    }
    this.#timer?.cancel();
    const { cleanMark } = this.#journal;
    if (cleanMark !== undefined && !this.#isStuck) await this.#storeClean(cleanMark);
    this.#journal.close();
  }

  /** On a full disk the journal stays dirty, which the next start checks. */
  async #storeClean(mark: JournalMark): Promise<void> {
    try {
      await this.#checkpoint(markWrite(mark));
    } catch (error) {
      if (!(error instanceof OutOfSpace)) throw error;
    }
  }

  #mustWait(): boolean {
    if (this.#isRecovering || this.#isStuck) return true;
    return this.#checkpointing !== undefined && this.#recent.bytes >= LIMITS.journaledBytesMax;
  }

  /** Resolves when no checkpoint is running; never, once one has failed. */
  async checkpointed(): Promise<void> {
    while (this.#checkpointing !== undefined) await this.#untilCheckpoint();
  }

  #untilCheckpoint(): Promise<void> {
    return new Promise((resolve) => this.#onCheckpoint.push(resolve));
  }

  #scheduleCheckpoint(): void {
    const { count, bytes } = this.#recent;
    if (this.#checkpointing !== undefined || count === 0) return;
    const isDue = this.#isDue || count >= LIMITS.checkpointWritesMin || bytes >= LIMITS.checkpointBytesMin;
    if (isDue) this.#startCheckpoint();
    else this.#timer ??= systemTimers.after(LIMITS.checkpointMillis, () => this.#startCheckpoint());
  }

  #startCheckpoint(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    if (this.#checkpointing !== undefined || this.#recent.count === 0) return;
    this.#isDue = this.#isAppending;
    if (this.#isDue) return;
    this.#checkpointing = this.#recent;
    this.#recent = new JournaledWrites();
    this.#view = undefined;
    this.#journal.rotate();
    void this.#runCheckpoint(this.#checkpointing);
  }

  async #runCheckpoint(writes: JournaledWrites): Promise<void> {
    try {
      await this.#checkpoint(withCommit(writes));
    } catch (error) {
      if (!(error instanceof OutOfSpace)) return void (await this.#onFatal(error));
      this.#isStuck = true;
      this.#wake();
      this.#timer = systemTimers.after(LIMITS.stuckRetryMillis, () => void this.#runCheckpoint(writes));
      return;
    }
    this.#isStuck = false;
    this.#isRecovering = false;
    this.#checkpointing = undefined;
    this.#view = undefined;
    this.#wake();
    this.#scheduleCheckpoint();
  }

  #wake(): void {
    for (const wake of this.#onCheckpoint.splice(0)) wake();
  }
}

export function markWrite(mark: JournalMark): Map<Key, Buffer> {
  return new Map([[JOURNAL_KEY, packMark(mark)]]);
}

/** The writes, with the record of the last commit. */
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

/** The value of `COMMIT_KEY`, which is missing before the first commit. */
export function unpackCommit(bytes: Buffer | undefined): number {
  return Number(bytes?.readBigUInt64BE() ?? 0n);
}
