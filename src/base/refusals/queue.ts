/** What only the Queue service answers. */
export const QUEUE_REFUSALS = {} as const;
