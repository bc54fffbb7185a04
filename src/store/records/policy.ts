import type { Instant } from "../../base/clock.ts";

/** A stored access policy of a container, queue, table or share. Each field may be left to the SAS. */
export interface PolicyRecord {
  readonly id: string;
  readonly start: Instant | undefined;
  readonly expiry: Instant | undefined;
  readonly permissions: string | undefined;
  /** What a client said beyond the millisecond, in ticks of 100 ns: it is told back as it was sent. */
  readonly startTicks?: number;
  readonly expiryTicks?: number;
}
