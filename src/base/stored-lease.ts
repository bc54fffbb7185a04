import type { Instant, Millis } from "./clock.ts";

/** A lease as it is stored: the states of src/concurrency/lease.ts, absent while available. */
export type StoredLease =
  | {
      readonly state: "leased";
      readonly id: string;
      readonly length: Millis | "infinite";
      readonly endsAt: Instant | "never";
    }
  | { readonly state: "expired"; readonly id: string; readonly length: Millis }
  | { readonly state: "breaking"; readonly id: string; readonly brokenAt: Instant }
  | { readonly state: "broken"; readonly id: string };
