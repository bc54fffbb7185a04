/**
 * A store that knows which of its reads are still going on. A file may be removed only when nobody can hold a
 * snapshot that still points into it, and between the start of a read and its call of `open` nobody but the
 * store knows about that reader. Reads are counted by generation; asking closes one and waits for it to drain.
 */
export class WatchedStore {
    #inner;
    #generation = { readers: 0, ended: undefined };
    #drained = Promise.resolve();
    constructor(inner) {
        this.#inner = inner;
    }
    get ephemeral() {
        return this.#inner.ephemeral;
    }
    async read(fn) {
        const generation = this.#generation;
        generation.readers++;
        try {
            return await this.#inner.read(fn);
        }
        finally {
            generation.readers--;
            if (generation.readers === 0)
                generation.ended?.();
        }
    }
    /** Resolves when every read that had begun before this call has ended. */
    readsEnded() {
        const closing = this.#generation;
        if (closing.readers === 0)
            return this.#drained;
        this.#generation = { readers: 0, ended: undefined };
        const ended = new Promise((resolve) => {
            closing.ended = resolve;
        });
        this.#drained = Promise.all([this.#drained, ended]).then(() => { });
        return this.#drained;
    }
    write(fn) {
        return this.#inner.write(fn);
    }
    figures() {
        return this.#inner.figures();
    }
    watchCommits(listener) {
        this.#inner.watchCommits(listener);
    }
    close() {
        return this.#inner.close();
    }
}
