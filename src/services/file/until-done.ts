import { pause } from "../../base/clock.ts";
import { OutcomeUnknown, StorageFault } from "../../base/faults.ts";
import type { Log } from "../../observability/log.ts";
import { FILE_LIMITS } from "./limits.ts";

/**
 * Deletes ephemeral records of a request or a client, such as a handle: one that stays excludes other clients
 * until this process ends. When the store fails, the caller continues, because its own work is done, and a
 * background loop retries until the work succeeds or the store closes. `work` must be idempotent.
 */
export async function untilDone(log: Log, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isTransient(error)) throw error;
    log.warn({ err: error }, "could not release a handle, a lock or an access; retrying");
    void retry(log, work);
  }
}

async function retry(log: Log, work: () => Promise<unknown>): Promise<void> {
  for (;;) {
    await pause(FILE_LIMITS.releaseRetryMillis);
    try {
      await work();
      return;
    } catch (error) {
      if (isTransient(error)) continue;
      log.error({ err: error }, "could not release a handle, a lock or an access");
      return;
    }
  }
}

function isTransient(error: unknown): boolean {
  return error instanceof OutcomeUnknown || (error instanceof StorageFault && error.isTransient);
}
