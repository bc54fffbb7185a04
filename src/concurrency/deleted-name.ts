import type { Instant } from "../base/clock.ts";
import { LIMITS } from "../base/limits.ts";

/** With --strict: whether the name of what was deleted is still in use, as Azure needs time to delete. */
export function isBeingDeleted(deletedAt: Instant, now: Instant): boolean {
  return now < deletedAt + LIMITS.deletionMillis;
}
