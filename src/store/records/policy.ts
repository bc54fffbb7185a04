import type { Instant } from "../../base/clock.ts";

/** A stored access policy of a container, queue, table or share. Each field may be left to the SAS. */
export interface PolicyRecord {
  readonly id: string;
  readonly start: Instant | undefined;
  readonly expiry: Instant | undefined;
  readonly permissions: string | undefined;
  /** The declared time beyond the millisecond, in ticks of 100 ns, to return it as it was sent. */
  readonly startTicks?: number;
  readonly expiryTicks?: number;
}
