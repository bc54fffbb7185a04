/**
 * x-ms-meta-name headers. Names are C# identifiers; their case is kept as it was sent and does not tell two of
 * them apart. They come from the raw header list, because a parsed one has lost the case.
 */
export type Metadata = Readonly<Record<string, string>>;
/** `rawHeaders`: names and values by turns, as they came. Without any of ours: an empty record. */
export declare function readMetadata(rawHeaders: readonly string[]): Metadata;
/** As headers of an answer. */
export declare function printMetadata(metadata: Metadata): Record<string, string>;
/** As an entry of a listing has them; every C# identifier of ASCII is an XML name too. */
export declare function printMetadataXml(metadata: Metadata): string;
