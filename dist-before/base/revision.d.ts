import type { Clock, Instant } from "./clock.ts";
/**
 * A revision is one moment of a hybrid logical clock, in ticks of 100 ns since the year 1: the wall clock when
 * it moves forward, the last revision plus one when it does not. ETags, Last-Modified, Table timestamps and
 * snapshot ids are all printed from revisions, so none of them ever repeats or goes back.
 *
 * Who keeps the promise: `RevisionSource` never repeats within a process; the store keeps the highest one it
 * committed and starts above it, which carries the promise across restarts and processes.
 */
export type Revision = bigint;
export declare function revisionAt(instant: Instant): Revision;
/** The wall-clock time of a revision, to the millisecond. */
export declare function instantOf(revision: Revision): Instant;
/** The text inside the quotes of an ETag header, as Azure prints it: `0x8DD1A2B3C4D5E6F`. */
export declare function etagOf(revision: Revision): string;
/** All seven digits, as snapshot ids and Table timestamps print them: `2026-01-01T00:00:00.0000000Z`. */
export declare function timestampOf(revision: Revision): string;
/** Reads what `timestampOf` printed; undefined when the text is not such a timestamp. */
export declare function revisionOfTimestamp(text: string): Revision | undefined;
export declare class RevisionSource {
    #private;
    constructor(clock: Clock, last?: Revision);
    get last(): Revision;
    /** Another process may have gone further: never fall behind what was seen. */
    observe(seen: Revision): void;
    /** The next revision, above everything handed out or observed before, and above `above`. */
    next(above?: Revision): Revision;
}
