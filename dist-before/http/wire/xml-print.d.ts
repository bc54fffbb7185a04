/**
 * The other half of xml.ts: documents are built as strings, so that a listing of thousands of entries costs one
 * join and no tree.
 *
 * Some characters cannot stand in XML 1.0 at all, not even as a reference (most control characters, U+FFFE,
 * U+FFFF, half surrogate pairs). Printed as text or attribute they become U+FFFD: an error body that quotes
 * hostile input must still be readable by a strict client. Where the exact characters matter, in names of blobs
 * and files, the protocol has its own way, and `encodedElement` prints it: `<Name Encoded="true">a%01b</Name>`.
 */
export declare const XML_DECLARATION = "<?xml version=\"1.0\" encoding=\"utf-8\"?>";
export declare const BOM = "\uFEFF";
export declare function escapeText(text: string): string;
export declare function escapeAttribute(text: string): string;
/** ` name="value"` for each pair, to stand inside a start tag. */
export declare function printAttributes(attributes: Readonly<Record<string, string | undefined>>): string;
/** An element that holds text. Empty text prints as the protocol prints it: `<Name />`. */
export declare function textElement(name: string, text: string | number | boolean): string;
/** The same, or nothing at all when there is no value. */
export declare function optionalElement(name: string, text: string | number | boolean | undefined): string;
/** An element around content that is already XML. */
export declare function element(name: string, content: string, attributes?: Readonly<Record<string, string | undefined>>): string;
/** A name in a listing: percent-encoded and marked when XML cannot hold it as it is (2021-02-12 and newer). */
export declare function encodedElement(name: string, text: string): string;
/** A whole document. Answers of the services start with a byte order mark. */
export declare function printXml(root: string, options?: {
    readonly bom?: boolean;
}): string;
