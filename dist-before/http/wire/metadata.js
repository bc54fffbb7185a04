import { LIMITS } from "../../base/limits.js";
import { Refusal } from "../../base/refusals.js";
import { element, textElement } from "./xml-print.js";
const PREFIX = "x-ms-meta-";
const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** What a header may hold and every client can read back: visible ASCII, blank and tab. */
const VALUE = /^[\t\x20-\x7e]*$/;
/** `rawHeaders`: names and values by turns, as they came. Without any of ours: an empty record. */
export function readMetadata(rawHeaders) {
    let found;
    let bytes = 0;
    for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
        const header = rawHeaders[i];
        if (!isMetadataHeader(header))
            continue;
        const name = header.slice(PREFIX.length);
        const value = rawHeaders[i + 1].trim();
        if (name === "")
            throw new Refusal("EmptyMetadataKey");
        if (!IDENTIFIER.test(name) || !VALUE.test(value))
            throw invalid(name);
        bytes += name.length + value.length;
        if (bytes > LIMITS.metadataBytesMax)
            throw new Refusal("MetadataTooLarge");
        found ??= new Map();
        const key = name.toLowerCase();
        if (found.has(key))
            throw invalid(name);
        found.set(key, [name, value]);
    }
    // fromEntries, not assignment: __proto__ is a C# identifier too.
    return found === undefined ? {} : Object.fromEntries(found.values());
}
/** Most headers are not metadata: look at the length and one letter before anything is copied. */
function isMetadataHeader(header) {
    if (header.length < PREFIX.length || (header.charCodeAt(0) | 0x20) !== 0x78)
        return false;
    return header.slice(0, PREFIX.length).toLowerCase() === PREFIX;
}
function invalid(name) {
    return new Refusal("InvalidMetadata", { elements: { HeaderName: PREFIX + name } });
}
/** As headers of an answer. */
export function printMetadata(metadata) {
    const out = {};
    for (const name of Object.keys(metadata))
        out[PREFIX + name] = metadata[name];
    return out;
}
/** As an entry of a listing has them; every C# identifier of ASCII is an XML name too. */
export function printMetadataXml(metadata) {
    let content = "";
    for (const name of Object.keys(metadata))
        content += textElement(name, metadata[name]);
    return element("Metadata", content);
}
