import type { Instant, Millis } from "../../base/clock.ts";

/** A lease as it is stored: the states of src/concurrency/lease.ts, absent while available. */
export type LeaseRecord =
  | {
      readonly state: "leased";
      readonly id: string;
      readonly length: Millis | "infinite";
      readonly endsAt: Instant | "never";
    }
  | { readonly state: "expired"; readonly id: string; readonly length: Millis }
  | { readonly state: "breaking"; readonly id: string; readonly brokenAt: Instant }
  | { readonly state: "broken"; readonly id: string };

/** A stored access policy of a container or a share. */
export interface PolicyRecord {
  readonly id: string;
  readonly start: Instant | undefined;
  readonly expiry: Instant | undefined;
  readonly permissions: string | undefined;
  /** Beyond the millisecond, in ticks of 100 ns. */
  readonly startTicks?: number;
  readonly expiryTicks?: number;
}
