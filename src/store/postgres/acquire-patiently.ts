import { type Millis, monotonic, pause, systemTimers } from "../../base/clock.ts";
import { StorageFault } from "../../base/faults.ts";
import { LIMITS } from "../../base/limits.ts";
import { failureOf, reasonOf } from "./failures.ts";
import type { Pool } from "./pool.ts";
import type { Session } from "./session.ts";

/** A caller has waited as long as one does. `cause` is why the database was last not to be had. */
export function lateFault(cause: unknown): StorageFault {
  const why = cause === undefined ? "" : `: ${reasonOf(cause)}`;
  const message = `the database could not be used for ${LIMITS.databasePatienceMillis / 1_000} s${why}`;
  return new StorageFault(message, { cause, isTransient: true });
}

/** A connection, or by `deadline` the reason why there has been none. */
export async function acquirePatiently(pool: Pool, deadline: Millis): Promise<Session> {
  return pool.acquireIdle() ?? acquireBy(pool, deadline);
}

function acquireBy(pool: Pool, deadline: Millis): Promise<Session> {
  return new Promise((resolve, reject) => {
    let isLate = false;
    let reason: unknown;
    const timer = systemTimers.after(Math.max(0, deadline - monotonic()), () => {
      isLate = true;
      reject(lateFault(reason));
    });
    const tryOn = async (): Promise<void> => {
      while (!isLate) {
        try {
          const session = await pool.acquire();
          // The caller has given up meanwhile.
          if (isLate) pool.release(session);
          else resolve(session);
          break;
        } catch (error) {
          reason = error;
          if (failureOf(error) !== "gone") {
            reject(error);
            break;
          }
          await pause(LIMITS.databaseRetryMillis);
        }
      }
      timer.cancel();
    };
    void tryOn();
  });
}
