const TICKS_PER_MILLISECOND = 10000n;
const UNIX_EPOCH = 116444736000000000n;
/** Revisions of the store count the same ticks from the year 1. */
const YEAR_ONE_TO_1601 = 504911232000000000n;
export function fileTimeAt(instant) {
    return BigInt(Math.floor(instant)) * TICKS_PER_MILLISECOND + UNIX_EPOCH;
}
export function instantAt(time) {
    return Number((time - UNIX_EPOCH) / TICKS_PER_MILLISECOND);
}
export function fileTimeOfTicks(ticks) {
    return ticks > YEAR_ONE_TO_1601 ? ticks - YEAR_ONE_TO_1601 : 0n;
}
export function ticksOfFileTime(time) {
    return time + YEAR_ONE_TO_1601;
}
const GMT = /^@GMT-(\d{4})\.(\d\d)\.(\d\d)-(\d\d)\.(\d\d)\.(\d\d)$/;
/** The name of a snapshot in a path, to the second: `@GMT-2026.01.31-23.59.59`. */
export function parseGmtToken(name) {
    const found = GMT.exec(name);
    if (found === null)
        return undefined;
    const [year, month, day, hour, minute, second] = found.slice(1).map(Number);
    const instant = Date.UTC(year, month - 1, day, hour, minute, second);
    return printGmtToken(fileTimeAt(instant)) === name ? fileTimeAt(instant) : undefined;
}
export function printGmtToken(time) {
    const iso = new Date(instantAt(time)).toISOString();
    return `@GMT-${iso.slice(0, 10).replaceAll("-", ".")}-${iso.slice(11, 19).replaceAll(":", ".")}`;
}
