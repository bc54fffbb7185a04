import { BufferedLines } from "./buffered-lines.js";
import { systemClock, systemTimers } from "./clock.js";
import { LIMITS } from "./limits.js";
import { safeText, safeUrl } from "./redact.js";
export function openAccessLog({ target, log, lines, ...from }) {
    if (target === "off")
        return undefined;
    const clock = from.clock ?? systemClock;
    const out = lines ??
        new BufferedLines(target, (err) => log.error({ err, target }, "the access log cannot be written"));
    const timer = (from.timers ?? systemTimers).every(LIMITS.accessLogFlushMillis, () => out.flush());
    return {
        record: (access) => out.write(printAccess(access, clock.now())),
        reopen: () => out.reopen(),
        close: () => {
            timer.cancel();
            return out.close();
        },
    };
}
/** One line of JSON, in a fixed order of fields. What the client chose is escaped, so it cannot forge a line. */
export function printAccess(access, now) {
    const { clientRequestId, errorCode } = access;
    return `${JSON.stringify({
        time: new Date(now).toISOString(),
        service: access.service,
        operation: access.operation,
        method: access.method,
        url: safeUrl(access.url),
        status: access.status,
        errorCode,
        requestId: access.requestId,
        clientRequestId: clientRequestId === undefined ? undefined : safeText(clientRequestId),
        bytesIn: access.bytesIn,
        bytesOut: access.bytesOut,
        millis: Math.round(access.duration * 1_000) / 1_000,
        remoteAddress: access.remoteAddress,
    })}\n`;
}
