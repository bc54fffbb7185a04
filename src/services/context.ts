import type { Clock } from "../base/clock.ts";
import type { Messages } from "../base/messages.ts";
import type { Random } from "../base/random.ts";
import type { Log } from "../observability/log.ts";
import type { Store } from "../store/kv.ts";
import type { Payloads } from "./payload/payloads.ts";

/** What every service is made of. */
export interface ServiceParts {
  readonly store: Store;
  readonly payloads: Payloads;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Wakes the other processes that share the store. */
  readonly messages: Messages;
  /** As Azure where this server is otherwise more lenient on purpose: deleted names stay in use. */
  readonly isStrict?: boolean;
}
