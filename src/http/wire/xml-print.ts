/**
 * The counterpart of xml.ts. Documents are strings, so a listing of thousands of entries costs one join and
 * no tree.
 *
 * XML 1.0 cannot represent some characters, not even as a reference (most control characters, U+FFFE, U+FFFF,
 * half surrogate pairs). As text or attribute they print as U+FFFD: an error body that quotes hostile input
 * must still be readable by a strict client. For names of blobs and files, where the exact characters matter,
 * the protocol has `<Name Encoded="true">a%01b</Name>`: see `encodedElement`.
 */
export const XML_DECLARATION = '<?xml version="1.0" encoding="utf-8"?>';
export const BOM = "\ufeff";

const SPECIAL_IN_TEXT = /[&<>\r\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]/;
const EACH_SPECIAL_IN_TEXT = /[&<>\r\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g;
const SPECIAL_IN_ATTRIBUTE = /[&<>"\t\n\r\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]/;
const EACH_SPECIAL_IN_ATTRIBUTE = /[&<>"\t\n\r\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g;
const UNPRINTABLE = /[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/;

function escapedCharacter(character: string): string {
  switch (character) {
    case "&":
      return "&amp;";
    case "<":
      return "&lt;";
    case ">":
      return "&gt;";
    case '"':
      return "&quot;";
    // A reader turns a bare carriage return into a line feed; only a reference survives.
    case "\r":
      return "&#xD;";
    case "\n":
      return "&#xA;";
    case "\t":
      return "&#x9;";
    default:
      return "\ufffd";
  }
}

export function escapeText(text: string): string {
  if (!SPECIAL_IN_TEXT.test(text)) return text;
  return text.toWellFormed().replace(EACH_SPECIAL_IN_TEXT, escapedCharacter);
}

function escapeAttribute(text: string): string {
  if (!SPECIAL_IN_ATTRIBUTE.test(text)) return text;
  return text.toWellFormed().replace(EACH_SPECIAL_IN_ATTRIBUTE, escapedCharacter);
}

/** ` name="value"` for each pair, to stand inside a start tag. */
export function printAttributes(attributes: Readonly<Record<string, string | undefined>>): string {
  let out = "";
  for (const name in attributes) {
    const value = attributes[name];
    if (value !== undefined) out += ` ${name}="${escapeAttribute(value)}"`;
  }
  return out;
}

/** An element that holds text. Empty text prints as the protocol prints it: `<Name />`. */
export function textElement(name: string, text: string | number | boolean): string {
  if (typeof text !== "string") return `<${name}>${text}</${name}>`;
  return text === "" ? `<${name} />` : `<${name}>${escapeText(text)}</${name}>`;
}

/** The same, or nothing at all when there is no value. */
export function optionalElement(name: string, text: string | number | boolean | undefined): string {
  return text === undefined ? "" : textElement(name, text);
}

/** An element around content that is already XML. */
export function element(
  name: string,
  content: string,
  attributes?: Readonly<Record<string, string | undefined>>,
): string {
  const start = attributes === undefined ? name : name + printAttributes(attributes);
  return content === "" ? `<${start} />` : `<${start}>${content}</${name}>`;
}

/** An element with a text child for each defined field, and after them content that is already XML. */
export function fieldsElement(
  name: string,
  fields: Readonly<Record<string, string | number | boolean | undefined>>,
  content = "",
): string {
  let out = "";
  for (const field in fields) out += optionalElement(field, fields[field]);
  return element(name, out + content);
}

/** Whether XML can represent a name unencoded. */
export function isPrintable(text: string): boolean {
  return text.isWellFormed() && !UNPRINTABLE.test(text);
}

/** A name in a listing: percent-encoded and marked if it is not printable (2021-02-12 and newer). */
export function encodedElement(name: string, text: string): string {
  if (isPrintable(text)) return textElement(name, text);
  return `<${name} Encoded="true">${escapeText(encodeURIComponent(text.toWellFormed()))}</${name}>`;
}

/** A whole document. Replies of the services start with a byte order mark. */
export function printXml(root: string, options: { readonly bom?: boolean } = {}): string {
  return options.bom === false ? XML_DECLARATION + root : BOM + XML_DECLARATION + root;
}
