import { LIMITS } from "../base/limits.js";
/**
 * One sync in flight at a time. Whoever asks meanwhile shares the next one, so the cost of a sync is divided by
 * the number of writers that wait for it.
 *
 * After a failed sync the kernel may have dropped the pages it could not write and marked them clean: a second
 * sync would succeed and prove nothing. So nobody who waits is ever told anything; `onFailure` stops the process.
 */
export class GroupSync {
    #onFailure;
    #dirty = new Set();
    #dirtyBytes = 0;
    #running;
    #next;
    #hasFailed = false;
    constructor(onFailure) {
        this.#onFailure = onFailure;
    }
    get hasFailed() {
        return this.#hasFailed;
    }
    /** A write has finished. Enough of them start a sync early, so that the last one has little left to do. */
    wrote(file, bytes) {
        this.#dirty.add(file);
        this.#dirtyBytes += bytes;
        if (this.#dirtyBytes >= LIMITS.unsyncedBytesMax && this.#running === undefined)
            void this.sync();
    }
    /** Resolves when everything that `wrote` announced before this call is durable; never, once a sync has failed. */
    sync() {
        this.#next ??= (this.#running ?? Promise.resolve()).then(() => this.#run());
        return this.#next;
    }
    /** The same for the directory, which is synced on its own because new names are rare. */
    async syncWith(sync) {
        try {
            await sync();
        }
        catch (error) {
            await this.#fail(error);
        }
    }
    async #run() {
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
    #fail(error) {
        if (!this.#hasFailed) {
            this.#hasFailed = true;
            this.#onFailure(error);
        }
        return new Promise(() => { });
    }
}
