import {
  type Clock,
  type Instant,
  type Millis,
  systemClock,
  systemTimers,
  type Timers,
} from "../base/clock.ts";
import { LIMITS } from "../base/limits.ts";
import { BufferedLines, type LineWriter } from "./buffered-lines.ts";
import type { Log } from "./log.ts";
import { safeText, safeUrl } from "./redact.ts";

/** One answered request, as the front end saw it. */
export interface Access {
  readonly service: string;
  /** Its name in the operation table; "" when no row matched. */
  readonly operation: string;
  readonly method: string;
  /** As received; the log redacts it. */
  readonly url: string;
  readonly status: number;
  /** x-ms-error-code of a refusal. */
  readonly errorCode?: string | undefined;
  readonly requestId: string;
  readonly clientRequestId?: string | undefined;
  readonly bytesIn: number;
  readonly bytesOut: number;
  readonly duration: Millis;
  readonly remoteAddress: string;
}

/** undefined when it is off, so that `accessLog?.record({ ... })` builds no object. */
export interface AccessLog {
  record(access: Access): void;
  reopen(): void;
  /** Resolves when the last line is written. */
  close(): Promise<void>;
}

export interface OpenAccessLog {
  /** A path, "-" for stdout, or "off". */
  readonly target: string;
  readonly log: Log;
  readonly clock?: Clock;
  readonly timers?: Timers;
  /** Instead of a file; for tests. */
  readonly lines?: LineWriter;
}

export function openAccessLog({ target, log, lines, ...from }: OpenAccessLog): AccessLog | undefined {
  if (target === "off") return undefined;
  const clock = from.clock ?? systemClock;
  const out =
    lines ?? new BufferedLines(target, (err) => log.error({ err, target }, "cannot write the access log"));
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

/** One line of JSON with a fixed order of fields. Escaping keeps a client from forging lines. */
export function printAccess(access: Access, now: Instant): string {
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
