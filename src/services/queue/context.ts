import type { ServiceParts } from "../context.ts";
import { Stamps } from "./stamps.ts";

/** What the operations of the Queue service work on. */
export interface QueueContext extends ServiceParts {
  readonly stamps: Stamps;
}

export function queueContext(parts: ServiceParts): QueueContext {
  return { ...parts, stamps: new Stamps(parts.random) };
}
