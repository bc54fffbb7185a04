import { LIMITS } from "../../base/limits.js";
import { Refusal } from "../../base/refusals.js";
import { element, textElement } from "./xml-print.js";
import { countOf, invalidValue, onlyChildren, requiredChild } from "./xml-values.js";
const METHODS = ["DELETE", "GET", "HEAD", "MERGE", "PATCH", "POST", "OPTIONS", "PUT"];
const FIELDS = ["AllowedOrigins", "AllowedMethods", "AllowedHeaders", "ExposedHeaders", "MaxAgeInSeconds"];
/** The rules in the order given: the first that matches a request decides. */
export function parseCors(node) {
    let chars = 0;
    if (node.children.length > LIMITS.corsRulesMax)
        throw tooMuch(`${node.children.length} rules`);
    const rules = node.children.map((child) => {
        if (child.name !== "CorsRule")
            throw new Refusal("UnsupportedXmlNode", { elements: { XmlNodeName: child.name } });
        for (const field of child.children)
            chars += field.text.length;
        return parseRule(child);
    });
    if (chars > LIMITS.corsRulesBytesMax)
        throw tooMuch(`${chars} characters`);
    return rules;
}
function parseRule(node) {
    onlyChildren(node, FIELDS);
    const origins = requiredChild(node, "AllowedOrigins");
    const methods = requiredChild(node, "AllowedMethods");
    const maxAge = requiredChild(node, "MaxAgeInSeconds");
    const allowedOrigins = listOf(origins, LIMITS.corsOriginsMax);
    const allowedMethods = listOf(methods, METHODS.length).map((method) => method.toUpperCase());
    if (allowedOrigins.length === 0)
        throw invalidValue(origins);
    if (allowedMethods.length === 0 || !allowedMethods.every((method) => METHODS.includes(method)))
        throw invalidValue(methods);
    const maxAgeSeconds = countOf(maxAge);
    if (maxAgeSeconds > LIMITS.corsMaxAgeSecondsMax)
        throw invalidValue(maxAge);
    return {
        allowedOrigins,
        allowedMethods,
        allowedHeaders: headersOf(requiredChild(node, "AllowedHeaders")),
        exposedHeaders: headersOf(requiredChild(node, "ExposedHeaders")),
        maxAgeSeconds,
    };
}
function headersOf(node) {
    const names = listOf(node, LIMITS.corsHeadersMax + LIMITS.corsHeaderPrefixesMax);
    const prefixes = names.filter((name) => name.endsWith("*")).length;
    if (prefixes > LIMITS.corsHeaderPrefixesMax)
        throw invalidValue(node);
    if (names.length - prefixes > LIMITS.corsHeadersMax)
        throw invalidValue(node);
    return names;
}
/** A comma-separated list; blanks around its items and empty items are not kept. */
function listOf(node, countMax) {
    const items = node.text
        .split(",", LIMITS.corsRulesBytesMax)
        .map((item) => item.trim())
        .filter((item) => item !== "");
    if (items.length > countMax)
        throw invalidValue(node);
    for (const item of items)
        if (item.length > LIMITS.corsItemCharsMax)
            throw invalidValue(node);
    return items;
}
/** The bounds of a whole set of rules are in the service's schema: it is the document that is refused. */
function tooMuch(found) {
    return new Refusal("InvalidXmlDocument", {
        elements: { XmlNodeName: "Cors", Reason: `Too much: ${found}.` },
    });
}
export function printCors(tag, rules) {
    let content = "";
    for (const rule of rules)
        content += element("CorsRule", textElement("AllowedMethods", rule.allowedMethods.join(",")) +
            textElement("AllowedOrigins", rule.allowedOrigins.join(",")) +
            textElement("AllowedHeaders", rule.allowedHeaders.join(",")) +
            textElement("ExposedHeaders", rule.exposedHeaders.join(",")) +
            textElement("MaxAgeInSeconds", rule.maxAgeSeconds));
    return element(tag, content);
}
