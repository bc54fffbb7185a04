import { LIMITS } from "../base/limits.ts";
import type { DeviceFile } from "./device.ts";

/**
 * Runs one sync at a time. Writers that ask meanwhile share the next one.
 *
 * After a failed sync the kernel may have dropped the pages it could not write and marked them clean: a
 * second sync would succeed and prove nothing. So waiting writers never get an answer, and `onFailure` stops
 * the process.
 */
export class GroupSync {
  readonly #onFailure: (error: unknown) => void;
  #dirty = new Set<DeviceFile>();
  #dirtyBytes = 0;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #hasFailed = false;

  constructor(onFailure: (error: unknown) => void) {
    this.#onFailure = onFailure;
  }

  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** Records a finished write. Many unsynced bytes start a sync early, so that the last sync is short. */
  wrote(file: DeviceFile, bytes: number): void {
    this.#dirty.add(file);
    this.#dirtyBytes += bytes;
    if (this.#dirtyBytes >= LIMITS.unsyncedBytesMax && this.#running === undefined) void this.sync();
  }

  /** Resolves when every write recorded before this call is durable; never, once a sync has failed. */
  sync(): Promise<void> {
    this.#next ??= (this.#running ?? Promise.resolve()).then(() => this.#run());
    return this.#next;
  }

  /** The same for the directory, which has a sync of its own because new names are rare. */
  async syncWith(sync: () => Promise<void>): Promise<void> {
    try {
      await sync();
    } catch (error) {
      await this.#fail(error);
    }
  }

  async #run(): Promise<void> {
    this.#running = this.#next;
    this.#next = undefined;
    const files = this.#dirty;
    this.#dirty = new Set();
    this.#dirtyBytes = 0;
    await this.syncWith(async () => {
      await Promise.all(Array.from(files, (file) => file.sync()));
    });
    this.#running = undefined;
  }

  #fail(error: unknown): Promise<never> {
    if (!this.#hasFailed) {
      this.#hasFailed = true;
      this.#onFailure(error);
    }
    return new Promise<never>(() => {});
  }
}
