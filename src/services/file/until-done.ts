import { pause } from "../../base/clock.ts";
import { OutcomeUnknown, StorageFault } from "../../base/faults.ts";
import type { Log } from "../../observability/log.ts";
import { FILE_LIMITS } from "./limits.ts";

/**
 * Clears away what a call, or a client that is gone, has in the ephemeral space: a note or a handle that stays keeps
 * others away until this process ends. When the store fails, the caller goes on, because what it has done is done, and the
 * work is tried again in the background until it succeeds or the store is closed. It must bear being done twice.
 */
export async function untilDone(log: Log, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!mayWorkLater(error)) throw error;
    log.warn({ err: error }, "what a call held could not be released yet; trying again");
    void tryAgain(log, work);
  }
}

async function tryAgain(log: Log, work: () => Promise<unknown>): Promise<void> {
  for (;;) {
    await pause(FILE_LIMITS.releaseRetryMillis);
    try {
      await work();
      return;
    } catch (error) {
      if (mayWorkLater(error)) continue;
      log.error({ err: error }, "what a call held could not be released");
      return;
    }
  }
}

function mayWorkLater(error: unknown): boolean {
  return error instanceof OutcomeUnknown || (error instanceof StorageFault && error.isTransient);
}
