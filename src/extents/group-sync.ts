import { LIMITS } from "../base/limits.ts";
import type { DeviceFile } from "./device.ts";

/**
 * One sync in flight at a time. Whoever asks meanwhile shares the next one, so the cost of a sync is divided by
 * the number of writers that wait for it.
 *
 * After a failed sync the kernel may have dropped the pages it could not write and marked them clean: a second
 * sync would succeed and prove nothing. So nobody who waits is ever told anything; `onFailure` stops the process.
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

  /** A write has finished. Enough of them start a sync early, so that the last one has little left to do. */
  wrote(file: DeviceFile, bytes: number): void {
    this.#dirty.add(file);
    this.#dirtyBytes += bytes;
    if (this.#dirtyBytes >= LIMITS.unsyncedBytesMax && this.#running === undefined) void this.sync();
  }

  /** Resolves when everything that `wrote` announced before this call is durable; never, once a sync has failed. */
  sync(): Promise<void> {
    this.#next ??= (this.#running ?? Promise.resolve()).then(() => this.#run());
    return this.#next;
  }

  /** The same for the directory, which is synced on its own because new names are rare. */
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
