import { LIMITS } from "../../base/limits.ts";
import { Refusal } from "../../base/refusals.ts";
import type { CorsRule } from "../../services/account/service-properties.ts";
import type { XmlElement } from "./xml.ts";
import { element, textElement } from "./xml-print.ts";
import { countOf, invalidValue, onlyChildren, requiredChild } from "./xml-values.ts";

const METHODS = ["DELETE", "GET", "HEAD", "MERGE", "PATCH", "POST", "OPTIONS", "PUT"];
const FIELDS = ["AllowedOrigins", "AllowedMethods", "AllowedHeaders", "ExposedHeaders", "MaxAgeInSeconds"];

/** The rules in the order given: the first that matches a request decides. */
export function parseCors(node: XmlElement): readonly CorsRule[] {
  let chars = 0;
  if (node.children.length > LIMITS.corsRulesMax) throw tooMuch(`${node.children.length} rules`);
  const rules = node.children.map((child) => {
    if (child.name !== "CorsRule")
      throw new Refusal("UnsupportedXmlNode", { elements: { XmlNodeName: child.name } });
    for (const field of child.children) chars += field.text.length;
    return parseRule(child);
  });
  if (chars > LIMITS.corsRulesBytesMax) throw tooMuch(`${chars} characters`);
  return rules;
}

function parseRule(node: XmlElement): CorsRule {
  onlyChildren(node, FIELDS);
  // What is said wrongly is told before what is not said at all.
  for (const child of node.children) for (const item of itemsOf(child)) checkLength(item);
  const methods = node.child("AllowedMethods");
  if (methods !== undefined) methodsOf(methods);
  const origins = requiredChild(node, "AllowedOrigins");
  const allowedMethods = methodsOf(requiredChild(node, "AllowedMethods"));
  const maxAge = requiredChild(node, "MaxAgeInSeconds");
  const allowedOrigins = listOf(origins, LIMITS.corsOriginsMax);
  if (allowedOrigins.length === 0) throw invalidValue(origins);
  const maxAgeSeconds = countOf(maxAge);
  if (maxAgeSeconds > LIMITS.corsMaxAgeSecondsMax) throw invalidValue(maxAge);
  return {
    allowedOrigins,
    allowedMethods,
    allowedHeaders: headersOf(node.child("AllowedHeaders")),
    exposedHeaders: headersOf(node.child("ExposedHeaders")),
    maxAgeSeconds,
  };
}

function methodsOf(node: XmlElement): string[] {
  const methods = listOf(node, METHODS.length).map((method) => method.toUpperCase());
  if (methods.length === 0 || !methods.every((method) => METHODS.includes(method))) throw invalidValue(node);
  return methods;
}

/**
 * Documented as required; the service takes a rule without them (Azure/Azurite#294), as .NET's client sends
 * it.
 */
function headersOf(node: XmlElement | undefined): string[] {
  if (node === undefined) return [];
  const names = listOf(node, LIMITS.corsHeadersMax + LIMITS.corsHeaderPrefixesMax);
  const prefixes = names.filter((name) => name.endsWith("*")).length;
  if (prefixes > LIMITS.corsHeaderPrefixesMax) throw invalidValue(node);
  if (names.length - prefixes > LIMITS.corsHeadersMax) throw invalidValue(node);
  return names;
}

function listOf(node: XmlElement, countMax: number): string[] {
  const items = itemsOf(node);
  if (items.length > countMax) throw invalidValue(node);
  return items;
}

/** A comma-separated list; blanks around its items and empty items are not kept. */
function itemsOf(node: XmlElement): string[] {
  return node.text
    .split(",", LIMITS.corsRulesBytesMax)
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

function checkLength(item: string): void {
  if (item.length > LIMITS.corsItemCharsMax) throw tooMuch(`an item of ${item.length} characters`);
}

/** The bounds of a whole set of rules are in the service's schema: it is the document that is refused. */
function tooMuch(found: string): Refusal {
  return new Refusal("InvalidXmlDocument", {
    elements: { XmlNodeName: "Cors", Reason: `Too much: ${found}.` },
  });
}

export function printCors(tag: string, rules: readonly CorsRule[]): string {
  let content = "";
  for (const rule of rules)
    content += element(
      "CorsRule",
      textElement("AllowedMethods", rule.allowedMethods.join(",")) +
        textElement("AllowedOrigins", rule.allowedOrigins.join(",")) +
        textElement("AllowedHeaders", rule.allowedHeaders.join(",")) +
        textElement("ExposedHeaders", rule.exposedHeaders.join(",")) +
        textElement("MaxAgeInSeconds", rule.maxAgeSeconds),
    );
  return element(tag, content);
}
