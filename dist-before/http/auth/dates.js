const MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec";
const HTTP_DATE = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d (?:GMT|UTC)$/;
const SAS_TIME = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,7}))?)?Z)?$/;
// Clients sign thousands of requests within one second, all with the same text.
let lastText = "";
let lastInstant;
/** The one form the protocol knows for Date and x-ms-date: `Thu, 01 Jan 2026 00:00:00 GMT`. */
export function parseHttpDate(text) {
    if (text === lastText)
        return lastInstant;
    lastInstant = readHttpDate(text);
    lastText = text;
    return lastInstant;
}
function readHttpDate(text) {
    if (!HTTP_DATE.test(text))
        return undefined;
    const month = MONTHS.indexOf(text.slice(8, 11));
    if (month % 3 !== 0)
        return undefined;
    return instantAt({
        year: Number(text.slice(12, 16)),
        month: month / 3 + 1,
        day: Number(text.slice(5, 7)),
        hour: Number(text.slice(17, 19)),
        minute: Number(text.slice(20, 22)),
        second: Number(text.slice(23, 25)),
    });
}
/**
 * Times in a SAS, in every form the SDKs send: `2026-01-01`, `2026-01-01T00:00Z`, `2026-01-01T00:00:00Z`, and the
 * last with up to seven digits of a second, of which three are kept.
 */
export function parseSasTime(text) {
    const parts = SAS_TIME.exec(text);
    if (parts === null)
        return undefined;
    const whole = instantAt({
        year: Number(parts[1]),
        month: Number(parts[2]),
        day: Number(parts[3]),
        hour: Number(parts[4] ?? 0),
        minute: Number(parts[5] ?? 0),
        second: Number(parts[6] ?? 0),
    });
    if (whole === undefined || parts[7] === undefined)
        return whole;
    return whole + Number(parts[7].padEnd(3, "0").slice(0, 3));
}
/** undefined for a moment that no calendar has: Date.UTC alone would move 31 February into March. */
function instantAt({ year, month, day, hour, minute, second }) {
    if (hour > 23 || minute > 59 || second > 59)
        return undefined;
    const date = new Date(0);
    // Unlike Date.UTC, this leaves the years 0 to 99 where they are.
    date.setUTCFullYear(year, month - 1, day);
    if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day)
        return undefined;
    return date.setUTCHours(hour, minute, second);
}
