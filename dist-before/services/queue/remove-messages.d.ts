import type { ServiceParts } from "../parts.ts";
import type { Chore } from "../reclaim/chores.ts";
/** What the Queue service does in the background. Each step is one short transaction. */
export declare function queueChores({ store }: ServiceParts): readonly Chore[];
