/** What only the Blob service answers. */
export const BLOB_REFUSALS = {} as const;
