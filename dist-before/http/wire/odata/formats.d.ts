/** How much an answer says about itself: nothing, what types need, or everything. */
export type MetadataLevel = "none" | "minimal" | "full";
/** `$format` outranks Accept. Plain JSON means minimal metadata. */
export declare function metadataLevelOf(accept: string | undefined, format: string | undefined, version: string): MetadataLevel;
/** Bodies are JSON; a client that does not say is believed to send it. */
export declare function checkContentType(contentType: string | undefined): void;
export declare const JSON_TYPES: Readonly<Record<MetadataLevel, string>>;
