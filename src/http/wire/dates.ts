import type { Instant } from "../../base/clock.ts";
import { LastValueMemo } from "../../base/memo.ts";
import { type Revision, revisionAt } from "../../base/revision.ts";

/**
 * Dates as they cross the wire: RFC 1123 in headers (`Sun, 06 Nov 1994 08:49:37 GMT`) and ISO 8601 in bodies
 * and SAS fields (`2021-06-08T02:10:09.0000000Z`). Every request prints and reads some, mostly the same ones,
 * so both directions cache.
 */
const LATEST: Instant = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
const SECOND = 1_000;
const MINUTE = 60 * SECOND;

const CACHE_SLOTS = 256;
const cachedSeconds = new Float64Array(CACHE_SLOTS).fill(Number.NaN);
const cachedDates: string[] = new Array(CACHE_SLOTS).fill("");

/**
 * RFC 1123, to the second. Instants after the year 9999 print as its last second, which stands for "never".
 */
export function printHttpDate(instant: Instant): string {
  const second = Math.floor((instant < LATEST ? instant : LATEST) / SECOND);
  const slot = second & (CACHE_SLOTS - 1);
  if (cachedSeconds[slot] === second) return cachedDates[slot]!;
  const text = new Date(second * SECOND).toUTCString();
  cachedSeconds[slot] = second;
  cachedDates[slot] = text;
  return text;
}

const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const LONG_DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

const TIME = "(?<hour>\\d\\d):(?<minute>\\d\\d):(?<second>\\d\\d)";
/** RFC 1123 (Java's formatter prints days below 10 with one digit), asctime, and RFC 850. */
const HTTP_DATES = [
  `(?<weekday>[A-Z][a-z]{2}), (?<day>\\d\\d?) (?<month>[A-Z][a-z]{2}) (?<year>\\d{4}) ${TIME} GMT`,
  `(?<weekday>[A-Z][a-z]{2}) (?<month>[A-Z][a-z]{2}) (?<day>[ \\d]\\d) ${TIME} (?<year>\\d{4})`,
  `(?<weekday>[A-Z][a-z]{5,8}), (?<day>\\d\\d)-(?<month>[A-Z][a-z]{2})-(?<year>\\d\\d) ${TIME} GMT`,
].map((form) => new RegExp(`^${form}$`));

/**
 * Reads the three forms HTTP allows; undefined for anything else, including a date that does not exist or a
 * weekday that does not belong to it.
 */
export function parseHttpDate(text: string): Instant | undefined {
  return text.length > 40 ? undefined : httpDates.get(text);
}

const httpDates = new LastValueMemo((text: string): Instant | undefined => {
  for (const form of HTTP_DATES) {
    const groups = form.exec(text)?.groups;
    if (groups !== undefined) return readHttpDate(groups as unknown as HttpDate);
  }
  return undefined;
});

type HttpDate = Record<"weekday" | "day" | "month" | "year" | "hour" | "minute" | "second", string>;

function readHttpDate({ weekday, day, month, year, hour, minute, second }: HttpDate): Instant | undefined {
  const days = weekday.length === 3 ? DAYS : LONG_DAYS;
  const time = timeOf(hour, minute, second);
  // Two digits leave the century open; the weekday decides it, since a hundred years are not whole weeks.
  for (const century of year.length === 4 ? [0] : [2000, 1900]) {
    const midnight = midnightOf(century + Number(year), MONTHS.indexOf(month), Number(day));
    if (midnight === undefined || Number.isNaN(time)) continue;
    if (new Date(midnight).getUTCDay() === days.indexOf(weekday)) return midnight + time;
  }
  return undefined;
}

function timeOf(hour: string, minute: string, second: string): number {
  const [h, m, s] = [Number(hour), Number(minute), Number(second)];
  // 60 is a leap second, which HTTP's grammar allows; it reads as the first second of the next minute.
  return h > 23 || m > 59 || s > 60 ? Number.NaN : (h * 60 + m) * MINUTE + s * SECOND;
}

/** Undefined when the calendar has no such day. Months count from 0. */
function midnightOf(year: number, month: number, day: number): Instant | undefined {
  if (month < 0 || year < 1) return undefined;
  const date = new Date(0);
  // Not Date.UTC: it takes the years 0 to 99 for 1900 to 1999.
  date.setUTCFullYear(year, month, day);
  return date.getUTCMonth() === month && date.getUTCDate() === day ? date.getTime() : undefined;
}

const ISO_8601 = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(Z|[+-]\d\d:\d\d))?$/;

const TICK_DIGITS = 7;

/**
 * A point in time in ticks of 100 ns, as file times and Table properties need it. Takes `YYYY-MM-DD`, then
 * optionally `Thh:mm`, `:ss`, a fraction, and a zone (`Z` or an offset). Clocks of Java and Go have nine
 * digits of a fraction, and the service reads them; what is finer than a tick is cut off.
 */
export function parseIsoTicks(text: string): Revision | undefined {
  if (text.length > 40) return undefined;
  const parts = ISO_8601.exec(text);
  if (parts === null) return undefined;
  const midnight = midnightOf(Number(parts[1]), Number(parts[2]) - 1, Number(parts[3]));
  if (midnight === undefined) return undefined;
  if (parts[4] === undefined) return revisionAt(midnight);
  const time = parts[6] === "60" ? Number.NaN : timeOf(parts[4], parts[5]!, parts[6] ?? "00");
  const offset = offsetOf(parts[8]!);
  if (Number.isNaN(time) || Number.isNaN(offset)) return undefined;
  const fraction =
    parts[7] === undefined ? 0n : BigInt(parts[7].slice(0, TICK_DIGITS).padEnd(TICK_DIGITS, "0"));
  const ticks = revisionAt(midnight + time - offset) + fraction;
  return ticks < 0n ? undefined : ticks;
}

function offsetOf(zone: string): number {
  if (zone === "Z") return 0;
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(4, 6))];
  if (hours > 14 || minutes > 59) return Number.NaN;
  return (zone[0] === "-" ? -1 : 1) * (hours * 60 + minutes) * MINUTE;
}

/** The same to the millisecond; what is finer is cut off. */
export function parseIsoDate(text: string): Instant | undefined {
  const ticks = parseIsoTicks(text);
  return ticks === undefined ? undefined : Number((ticks - revisionAt(0)) / 10_000n);
}

/**
 * Seven digits, as stored policies and error messages have them; `ticks` are those beyond the millisecond.
 * `timestampOf` of base does it for revisions.
 */
export function printIsoDate(instant: Instant, ticks = 0): string {
  const finer = ticks === 0 ? "0000" : String(ticks).padStart(4, "0");
  return `${new Date(Math.min(instant, LATEST)).toISOString().slice(0, 23)}${finer}Z`;
}
