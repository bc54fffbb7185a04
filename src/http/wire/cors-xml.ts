import { LIMITS } from "../../base/limits.ts";
import { Refusal } from "../../base/refusals.ts";
import type { CorsRule } from "../../services/account/service-properties.ts";
import type { XmlElement } from "./xml.ts";
import { element, fieldsElement } from "./xml-print.ts";
import { countOf, invalidValue, onlyChildren, requiredChild } from "./xml-values.ts";

const METHODS = ["DELETE", "GET", "HEAD", "MERGE", "PATCH", "POST", "OPTIONS", "PUT"];
const FIELDS = ["AllowedOrigins", "AllowedMethods", "AllowedHeaders", "ExposedHeaders", "MaxAgeInSeconds"];

/** The rules in the order given: the first that matches a request decides. */
export function parseCors(source: XmlElement): readonly CorsRule[] {
  let chars = 0;
  if (source.children.length > LIMITS.corsRulesMax) throw tooMuch(`${source.children.length} rules`);
  const rules = source.children.map((child) => {
    if (child.name !== "CorsRule")
      throw new Refusal("UnsupportedXmlNode", { elements: { XmlNodeName: child.name } });
    for (const field of child.children) chars += field.text.length;
    return parseRule(child);
  });
  if (chars > LIMITS.corsRulesBytesMax) throw tooMuch(`${chars} characters`);
  return rules;
}

function parseRule(source: XmlElement): CorsRule {
  onlyChildren(source, FIELDS);
  // An invalid value is refused before a missing one.
  for (const item of source.children.flatMap(itemsOf))
    if (item.length > LIMITS.corsItemCharsMax) throw tooMuch(`an item of ${item.length} characters`);
  const methods = source.child("AllowedMethods");
  if (methods !== undefined) methodsOf(methods);
  const origins = requiredChild(source, "AllowedOrigins");
  const allowedMethods = methodsOf(requiredChild(source, "AllowedMethods"));
  const maxAge = requiredChild(source, "MaxAgeInSeconds");
  const allowedOrigins = listOf(origins, LIMITS.corsOriginsMax);
  if (allowedOrigins.length === 0) throw invalidValue(origins);
  const maxAgeSeconds = countOf(maxAge);
  if (maxAgeSeconds > LIMITS.corsMaxAgeSecondsMax) throw invalidValue(maxAge);
  return {
    allowedOrigins,
    allowedMethods,
    allowedHeaders: headersOf(source.child("AllowedHeaders")),
    exposedHeaders: headersOf(source.child("ExposedHeaders")),
    maxAgeSeconds,
  };
}

function methodsOf(source: XmlElement): string[] {
  const methods = listOf(source, METHODS.length).map((method) => method.toUpperCase());
  if (methods.length === 0 || !methods.every((method) => METHODS.includes(method)))
    throw invalidValue(source);
  return methods;
}

/**
 * Documented as required; the service accepts a rule without them (Azure/Azurite#294), and .NET sends such.
 */
function headersOf(source: XmlElement | undefined): string[] {
  if (source === undefined) return [];
  const names = listOf(source, LIMITS.corsHeadersMax + LIMITS.corsHeaderPrefixesMax);
  const prefixes = names.filter((name) => name.endsWith("*"));
  const literals = names.filter((name) => !name.endsWith("*"));
  if (prefixes.length > LIMITS.corsHeaderPrefixesMax) throw invalidValue(source);
  if (literals.length > LIMITS.corsHeadersMax) throw invalidValue(source);
  // In the order in which the service shows them.
  return [...literals, ...prefixes];
}

function listOf(source: XmlElement, countMax: number): string[] {
  const items = itemsOf(source);
  if (items.length > countMax) throw invalidValue(source);
  return items;
}

/** A comma-separated list, without blanks around its items and without empty items. */
function itemsOf(source: XmlElement): string[] {
  return source.text
    .split(",", LIMITS.corsRulesBytesMax)
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

/** The bounds are in the service's schema, so the refusal is that of an invalid document. */
function tooMuch(found: string): Refusal {
  return new Refusal("InvalidXmlDocument", {
    elements: { LineNumber: "0", LinePosition: "0", Reason: `Too much: ${found}.` },
  });
}

export function printCors(tag: string, rules: readonly CorsRule[]): string {
  let content = "";
  for (const rule of rules)
    content += fieldsElement("CorsRule", {
      AllowedMethods: rule.allowedMethods.join(","),
      AllowedOrigins: rule.allowedOrigins.join(","),
      AllowedHeaders: rule.allowedHeaders.join(","),
      ExposedHeaders: rule.exposedHeaders.join(","),
      MaxAgeInSeconds: rule.maxAgeSeconds,
    });
  return element(tag, content);
}
