/** What only the File service answers. */
export const FILE_REFUSALS = {} as const;
