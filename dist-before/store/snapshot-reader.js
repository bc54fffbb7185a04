/** A reader over one committed state. */
export class SnapshotReader {
    #snapshot;
    #clock;
    #now;
    constructor(snapshot, clock) {
        this.#snapshot = snapshot;
        this.#clock = clock;
    }
    get(key) {
        return this.#snapshot.get(key);
    }
    getMany(keys) {
        return keys.map((key) => this.#snapshot.get(key));
    }
    page(range, limit) {
        return this.#snapshot.page(range, limit);
    }
    now() {
        this.#now ??= this.#clock.now();
        return this.#now;
    }
}
