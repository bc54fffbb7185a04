/** Tags as they travel: url-encoded pairs in x-ms-tags, `<Tags><TagSet><Tag>` in bodies and listings. */
export type Tags = Readonly<Record<string, string>>;
export declare function parseTagsHeader(text: string): Tags;
export declare function parseTagsBody(body: Uint8Array): Tags;
/** Sorted, so that the same tags always print the same. */
export declare function printTags(tags: Tags): string;
export declare function printTagsBody(tags: Tags): string;
