const TICKS_PER_MILLI = 10000n;
const UNIX_EPOCH_TICKS = 621355968000000000n;
export function revisionAt(instant) {
    return BigInt(Math.trunc(instant)) * TICKS_PER_MILLI + UNIX_EPOCH_TICKS;
}
/** The wall-clock time of a revision, to the millisecond. */
export function instantOf(revision) {
    return Number((revision - UNIX_EPOCH_TICKS) / TICKS_PER_MILLI);
}
/** The text inside the quotes of an ETag header, as Azure prints it: `0x8DD1A2B3C4D5E6F`. */
export function etagOf(revision) {
    return `0x${revision.toString(16).toUpperCase()}`;
}
/** All seven digits, as snapshot ids and Table timestamps print them: `2026-01-01T00:00:00.0000000Z`. */
export function timestampOf(revision) {
    const fraction = (revision % (TICKS_PER_MILLI * 1000n)).toString().padStart(7, "0");
    return `${new Date(instantOf(revision)).toISOString().slice(0, 19)}.${fraction}Z`;
}
/** Reads what `timestampOf` printed; undefined when the text is not such a timestamp. */
export function revisionOfTimestamp(text) {
    const parts = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.(\d{7})Z$/.exec(text);
    if (parts === null)
        return undefined;
    const whole = Date.parse(`${parts[1]}Z`);
    return Number.isNaN(whole) ? undefined : revisionAt(whole) + BigInt(parts[2]);
}
export class RevisionSource {
    #clock;
    #last;
    constructor(clock, last = 0n) {
        this.#clock = clock;
        this.#last = last;
    }
    get last() {
        return this.#last;
    }
    /** Another process may have gone further: never fall behind what was seen. */
    observe(seen) {
        if (seen > this.#last)
            this.#last = seen;
    }
    /** The next revision, above everything handed out or observed before, and above `above`. */
    next(above = 0n) {
        const wall = revisionAt(this.#clock.now());
        const floor = (above > this.#last ? above : this.#last) + 1n;
        this.#last = wall > floor ? wall : floor;
        return this.#last;
    }
}
