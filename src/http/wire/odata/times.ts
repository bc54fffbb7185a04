import { LastValueMemo } from "../../../base/memo.ts";
import type { Revision } from "../../../base/revision.ts";
import { parseIsoTicks } from "../dates.ts";

/**
 * Times of the Table service, in ticks of 100 ns: at most seven digits of a fraction, without the zeros at
 * its end (`2022-05-06T00:30:41.820498Z`), in bodies and, with `:` as %3A, in ETags.
 */
const TICKS_PER_SECOND = 10_000_000;
const UNIX_EPOCH_SECONDS = 62_135_596_800;

/** Keeps the second it printed last, as ticks and as text: dividing bigints costs more than all the rest. */
class TicksPrinter {
  #second = 0n;
  #text = "0001-01-01T00:00:00";

  print(ticks: bigint): string {
    let fraction = Number(ticks - this.#second);
    if (!(fraction >= 0 && fraction < TICKS_PER_SECOND)) {
      const second = ticks / BigInt(TICKS_PER_SECOND);
      this.#text = new Date((Number(second) - UNIX_EPOCH_SECONDS) * 1_000).toISOString().slice(0, 19);
      this.#second = second * BigInt(TICKS_PER_SECOND);
      fraction = Number(ticks - this.#second);
    }
    if (fraction === 0) return `${this.#text}Z`;
    // 1.0000000 has eight digits in front of what is cut away.
    let digits = String(10_000_000 + fraction).slice(1);
    let end = 7;
    while (digits.charCodeAt(end - 1) === 0x30) end--;
    if (end < 7) digits = digits.slice(0, end);
    return `${this.#text}.${digits}Z`;
  }
}

const printer = new TicksPrinter();

export function printTicks(ticks: bigint): string {
  return printer.print(ticks);
}

/** 1601-01-01, the first moment of Edm.DateTime, and the last one, 9999-12-31T23:59:59.9999999. */
const EARLIEST = 504_911_232_000_000_000n;
const LATEST = 3_155_378_975_999_999_999n;

/** Up to the seventh digit of a fraction, the digits that follow, and a zone. */
const LONG_FRACTION = /^([^.]{1,30}\.\d{7})(\d+)(\D.*)?$/;

/**
 * From the year 1 on. Without a zone it is UTC, as the service reads it. Clocks of Go and Java have
 * nanoseconds, and their clients print them all: digits finer than a tick are rounded, halves to the even
 * tick, as .NET does.
 */
export function parseTicks(text: string): bigint | undefined {
  const long = LONG_FRACTION.exec(text);
  if (long === null) return parseIsoTicks(text) ?? parseIsoTicks(`${text}Z`);
  const [, whole, finer, zone = "Z"] = long as unknown as [string, string, string, string | undefined];
  const ticks = parseIsoTicks(whole + zone);
  if (ticks === undefined) return undefined;
  const isHalf = /^50*$/.test(finer);
  return (isHalf ? ticks % 2n === 1n : finer >= "5") ? ticks + 1n : ticks;
}

/** Whether a property can hold it. */
export function isStorable(ticks: bigint): boolean {
  return ticks >= EARLIEST && ticks <= LATEST;
}

const OPENING = `W/"datetime'`;
const CLOSING = `'"`;

/** `W/"datetime'2022-05-06T00%3A30%3A33.7135293Z'"`; within JSON its quotes are escaped. */
export function printEntityEtag(timestamp: string, quote: '"' | '\\"' = '"'): string {
  // The colons of a printed time stand at fixed places.
  const time = `${timestamp.slice(0, 13)}%3A${timestamp.slice(14, 16)}%3A${timestamp.slice(17)}`;
  return `W/${quote}datetime'${time}'${quote}`;
}

const FINER_THAN_A_TICK = /\.\d{8}/;
/** Entities have weak ETags only: the service refuses a strong one, and a list of several. */
const ETAG = /^W\/"([^"\x00-\x1f]{1,200})"$/;

/**
 * The revision an If-Match names; "unknown" for an ETag that is well formed but none of ours, undefined when
 * it is not an ETag.
 */
export function parseEntityEtag(text: string): Revision | "*" | "unknown" | undefined {
  if (text === "*") return "*";
  if (text.startsWith(OPENING) && text.endsWith(CLOSING)) {
    const inner = text.slice(OPENING.length, -CLOSING.length);
    const revision = parseAsPrinted(inner) ?? parseIsoTicks(inner.replaceAll(/%3A/gi, ":"));
    // With more digits than a tick has, it is not one of ours.
    if (revision !== undefined && !FINER_THAN_A_TICK.test(inner)) return revision;
  }
  return ETAG.test(text) ? "unknown" : undefined;
}

const SECOND_CHARS = "2022-05-06T00%3A30%3A33".length;

/**
 * Ticks of a second as `printEntityEtag` prints it: the calendar would be the costliest part of a conditional
 * update.
 */
const etagSeconds = new LastValueMemo((text: string): Revision | undefined =>
  parseIsoTicks(`${text.slice(0, 13)}:${text.slice(16, 18)}:${text.slice(21)}Z`),
);

/**
 * A time as `printEntityEtag` prints it. Clients send back the ETags they have just received, so the second
 * is mostly the same as last time.
 */
function parseAsPrinted(text: string): Revision | undefined {
  const last = text.length - 1;
  if (!text.startsWith("%3A", 13) || !text.startsWith("%3A", 18) || text[last] !== "Z") return undefined;
  const digits = Math.max(0, last - SECOND_CHARS - 1);
  if (last < SECOND_CHARS || digits > 7) return undefined;
  if (last > SECOND_CHARS && (text[SECOND_CHARS] !== "." || digits === 0)) return undefined;
  let fraction = 0;
  for (let at = last - digits; at < last; at++) {
    const digit = text.charCodeAt(at) - 0x30;
    if (!(digit >= 0 && digit <= 9)) return undefined;
    fraction = 10 * fraction + digit;
  }
  const ticks = etagSeconds.get(text.slice(0, SECOND_CHARS));
  return ticks === undefined ? undefined : ticks + BigInt(fraction * 10 ** (7 - digits));
}
