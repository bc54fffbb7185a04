import type { Clock, Instant } from "./clock.ts";

/**
 * A revision is a timestamp of a hybrid logical clock, in ticks of 100 ns since the year 1: the wall clock
 * when it moves forward, otherwise the last revision plus one. ETags, Last-Modified, Table timestamps and
 * snapshot IDs are printed from revisions, so none of them ever repeats or goes back.
 *
 * `RevisionSource` never repeats within a process. The store records the highest committed revision and
 * starts above it, so revisions do not repeat across restarts and processes either.
 */
export type Revision = bigint;

const TICKS_PER_MILLI = 10_000n;
const UNIX_EPOCH_TICKS = 621_355_968_000_000_000n;

/** The last conversions: many calls are for the same millisecond, and BigInt arithmetic is slow. */
const cache = { instant: Number.NaN, revision: 0n, second: Number.NaN, secondText: "" };

export function revisionAt(instant: Instant): Revision {
  if (instant !== cache.instant) {
    cache.revision = BigInt(Math.trunc(instant)) * TICKS_PER_MILLI + UNIX_EPOCH_TICKS;
    cache.instant = instant;
  }
  return cache.revision;
}

/** The wall-clock time of a revision, to the millisecond. */
export function instantOf(revision: Revision): Instant {
  return Number((revision - UNIX_EPOCH_TICKS) / TICKS_PER_MILLI);
}

/** The text inside the quotes of an ETag header, as Azure prints it: `0x8DD1A2B3C4D5E6F`. */
export function etagOf(revision: Revision): string {
  return `0x${revision.toString(16).toUpperCase()}`;
}

const TICKS_PER_SECOND = 10_000_000n;
const UNIX_EPOCH_SECONDS = UNIX_EPOCH_TICKS / TICKS_PER_SECOND;

/** The format of snapshot IDs and Table timestamps: `2026-01-01T00:00:00.0000000Z`. */
export function timestampOf(revision: Revision): string {
  const second = Number(revision / TICKS_PER_SECOND - UNIX_EPOCH_SECONDS);
  if (cache.second !== second) {
    cache.secondText = new Date(second * 1_000).toISOString().slice(0, 19);
    cache.second = second;
  }
  const fraction = String(Number(revision % TICKS_PER_SECOND)).padStart(7, "0");
  return `${cache.secondText}.${fraction}Z`;
}

/** The inverse of `timestampOf`; undefined when the text is not such a timestamp. */
export function revisionOfTimestamp(text: string): Revision | undefined {
  const parts = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.(\d{7})Z$/.exec(text);
  if (parts === null) return undefined;
  const whole = Date.parse(`${parts[1]}Z`);
  return Number.isNaN(whole) ? undefined : revisionAt(whole) + BigInt(parts[2]!);
}

export class RevisionSource {
  readonly #clock: Clock;
  #last: Revision;

  constructor(clock: Clock, last: Revision = 0n) {
    this.#clock = clock;
    this.#last = last;
  }

  get last(): Revision {
    return this.#last;
  }

  /** Later revisions are above this one, which another process may have made. */
  observe(seen: Revision): void {
    if (seen > this.#last) this.#last = seen;
  }

  /** The next revision, above every earlier or observed one, and above `above`. */
  next(above: Revision = 0n): Revision {
    const wall = revisionAt(this.#clock.now());
    const floor = (above > this.#last ? above : this.#last) + 1n;
    this.#last = this.align(wall > floor ? wall : floor);
    return this.#last;
  }

  /** The first revision at or above `revision` that this source may give out. */
  protected align(revision: Revision): Revision {
    return revision;
  }
}
