/** What only the Table service answers. */
export const TABLE_REFUSALS = {} as const;
