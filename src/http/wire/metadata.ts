import { LIMITS } from "../../base/limits.ts";
import { Refusal } from "../../base/refusals.ts";
import { element, textElement } from "./xml-print.ts";

/**
 * x-ms-meta-name headers. Names are C# identifiers, stored with their case and compared without it. They come
 * from the raw header list, because the parsed one has lost the case.
 */
export type Metadata = Readonly<Record<string, string>>;

const PREFIX = "x-ms-meta-";
const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** What every client can read back from a header: visible ASCII, blank and tab. */
const VALUE = /^[\t\x20-\x7e]*$/;

/** A C# identifier that records cannot store under this name. */
const UNSTORABLE = "__proto__";

/** `rawHeaders`: names and values alternately, as they were sent. */
export function readMetadata(rawHeaders: readonly string[]): Metadata {
  let found: Map<string, readonly [name: string, value: string]> | undefined;
  let bytes = 0;
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const header = rawHeaders[i]!;
    if (!isMetadataHeader(header)) continue;
    const name = header.slice(PREFIX.length);
    const value = rawHeaders[i + 1]!.trim();
    if (name === "") throw new Refusal("EmptyMetadataKey");
    if (!IDENTIFIER.test(name) || !VALUE.test(value) || name === UNSTORABLE)
      throw new Refusal("InvalidMetadata");
    bytes += name.length + value.length;
    if (bytes > LIMITS.metadataBytesMax) throw new Refusal("MetadataTooLarge");
    found ??= new Map();
    const key = name.toLowerCase();
    if (found.has(key)) throw new Refusal("InvalidMetadata");
    found.set(key, [name, value]);
  }
  return found === undefined ? {} : Object.fromEntries(found.values());
}

/** Most headers are not metadata: the length and the "m" of "meta" decide before anything is copied. */
function isMetadataHeader(header: string): boolean {
  if (header.length < PREFIX.length || (header.charCodeAt(5) | 0x20) !== 0x6d) return false;
  return header.slice(0, PREFIX.length).toLowerCase() === PREFIX;
}

/** As headers of a reply. */
export function printMetadata(metadata: Metadata): Record<string, string> {
  const out: Record<string, string> = {};
  for (const name of Object.keys(metadata)) out[PREFIX + name] = metadata[name]!;
  return out;
}

/** As an entry of a listing; every ASCII C# identifier is an XML name too. */
export function printMetadataXml(metadata: Metadata): string {
  let content = "";
  for (const name of Object.keys(metadata)) content += textElement(name, metadata[name]!);
  return element("Metadata", content);
}
