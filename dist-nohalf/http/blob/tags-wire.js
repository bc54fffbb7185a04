import { BLOB_LIMITS } from "../../base/limits-blob.js";
import { badHeader, Refusal } from "../../base/refusals.js";
import { parseXml } from "../wire/xml.js";
import { element, printXml, textElement } from "../wire/xml-print.js";
import { onlyChildren, requiredChild } from "../wire/xml-values.js";
const ALLOWED = /^[A-Za-z0-9 +\-./:=_]*$/;
function checkedTags(pairs) {
    const { tagsMax, tagKeyCharsMax, tagValueCharsMax } = BLOB_LIMITS;
    if (pairs.length > tagsMax)
        return undefined;
    const found = new Map();
    for (const [key, value] of pairs) {
        if (key.length < 1 || key.length > tagKeyCharsMax || value.length > tagValueCharsMax)
            return undefined;
        if (!ALLOWED.test(key) || !ALLOWED.test(value) || found.has(key))
            return undefined;
        found.set(key, value);
    }
    return Object.fromEntries(found);
}
export function parseTagsHeader(text) {
    if (text.length > BLOB_LIMITS.tagsHeaderCharsMax)
        throw badHeader("x-ms-tags", text.slice(0, 256));
    const pairs = text === "" ? [] : text.split("&").map((pair) => pairOf(pair, text));
    const tags = checkedTags(pairs);
    if (tags === undefined)
        throw badHeader("x-ms-tags", text);
    return tags;
}
function pairOf(pair, text) {
    const equals = pair.indexOf("=");
    if (equals < 0)
        throw badHeader("x-ms-tags", text);
    return [decode(pair.slice(0, equals), text), decode(pair.slice(equals + 1), text)];
}
function decode(part, text) {
    try {
        // A form encodes a blank as a plus sign; a plus sign that is meant comes as %2B.
        return decodeURIComponent(part.replaceAll("+", " "));
    }
    catch (error) {
        if (error instanceof URIError)
            throw badHeader("x-ms-tags", text);
        throw error;
    }
}
export function parseTagsBody(body) {
    const root = parseXml(body);
    if (root.name !== "Tags")
        throw new Refusal("InvalidXmlDocument");
    onlyChildren(root, ["TagSet"]);
    const set = requiredChild(root, "TagSet");
    const pairs = set.children.map((tag) => {
        if (tag.name !== "Tag")
            throw new Refusal("UnsupportedXmlNode", { elements: { XmlNodeName: tag.name } });
        onlyChildren(tag, ["Key", "Value"]);
        return [requiredChild(tag, "Key").text, requiredChild(tag, "Value").text];
    });
    const tags = checkedTags(pairs);
    if (tags === undefined)
        throw new Refusal("InvalidTags");
    return tags;
}
/** Sorted, so that the same tags always print the same. */
export function printTags(tags) {
    let content = "";
    for (const key of Object.keys(tags).sort()) {
        content += element("Tag", textElement("Key", key) + textElement("Value", tags[key]));
    }
    return element("Tags", element("TagSet", content));
}
export function printTagsBody(tags) {
    return printXml(printTags(tags));
}
