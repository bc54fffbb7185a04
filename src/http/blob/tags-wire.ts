import { badHeader, Refusal } from "../../base/refusals.ts";
import { BLOB_LIMITS } from "../../services/blob/limits.ts";
import { parseXml } from "../wire/xml.ts";
import { element, printXml, textElement } from "../wire/xml-print.ts";
import { onlyChildren, requiredChild } from "../wire/xml-values.ts";

/** Tags on the wire: URL-encoded pairs in x-ms-tags, `<Tags><TagSet><Tag>` in bodies and listings. */
export type Tags = Readonly<Record<string, string>>;

const ALLOWED = /^[A-Za-z0-9 +\-./:=_]*$/;

/** The header and the body have the same refusals. */
function checkedTags(pairs: readonly (readonly [string, string])[]): Tags {
  const { tagsMax, tagKeyCharsMax, tagValueCharsMax } = BLOB_LIMITS;
  const found = new Map<string, string>();
  for (const [key, value] of pairs) {
    if (key === "") throw new Refusal("EmptyTagName");
    if (key.length > tagKeyCharsMax || value.length > tagValueCharsMax) throw new Refusal("TagsTooLarge");
    // The codec of records would decode this key under another name.
    const isReserved = key === "__proto__";
    if (isReserved || !ALLOWED.test(key) || !ALLOWED.test(value)) throw new Refusal("InvalidTags");
    if (found.has(key)) throw new Refusal("DuplicateTagNames");
    found.set(key, value);
  }
  if (found.size > tagsMax) throw new Refusal("TagsTooLarge");
  return Object.fromEntries(found);
}

/** Whether a blob can have this tag: a query for any other finds nothing. */
export function isPossibleTag(key: string, value: string): boolean {
  const { tagKeyCharsMax, tagValueCharsMax } = BLOB_LIMITS;
  const isShort = key.length <= tagKeyCharsMax && value.length <= tagValueCharsMax;
  return isShort && ALLOWED.test(key) && ALLOWED.test(value);
}

export function parseTagsHeader(text: string): Tags {
  if (text.length > BLOB_LIMITS.tagsHeaderCharsMax) throw badHeader("x-ms-tags", text.slice(0, 256));
  const pairs = text === "" ? [] : text.split("&").map((pair) => pairOf(pair, text));
  return checkedTags(pairs);
}

function pairOf(pair: string, text: string): readonly [string, string] {
  const equals = pair.indexOf("=");
  if (equals < 0) throw badHeader("x-ms-tags", text);
  return [decode(pair.slice(0, equals), text), decode(pair.slice(equals + 1), text)];
}

function decode(part: string, text: string): string {
  try {
    // A form encodes a blank as a plus sign, and a plus sign as %2B.
    return decodeURIComponent(part.replaceAll("+", " "));
  } catch (error) {
    if (error instanceof URIError) throw badHeader("x-ms-tags", text);
    throw error;
  }
}

export function parseTagsBody(body: Uint8Array): Tags {
  const root = parseXml(body);
  if (root.name !== "Tags") throw new Refusal("InvalidXmlDocument");
  onlyChildren(root, ["TagSet"]);
  const set = requiredChild(root, "TagSet");
  const pairs = set.children.map((tag): readonly [string, string] => {
    if (tag.name !== "Tag") throw new Refusal("UnsupportedXmlNode", { elements: { XmlNodeName: tag.name } });
    onlyChildren(tag, ["Key", "Value"]);
    return [requiredChild(tag, "Key").text, requiredChild(tag, "Value").text];
  });
  return checkedTags(pairs);
}

/** Sorted, so that the same tags always print the same. */
export function printTags(tags: Tags): string {
  let content = "";
  for (const key of Object.keys(tags).sort()) {
    content += element("Tag", textElement("Key", key) + textElement("Value", tags[key]!));
  }
  return element("Tags", element("TagSet", content));
}

export function printTagsBody(tags: Tags): string {
  return printXml(printTags(tags));
}
