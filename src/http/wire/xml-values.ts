import { Refusal } from "../../base/refusals.ts";
import type { XmlElement } from "./xml.ts";

/** Typed values of a tree, with the protocol's refusal for each kind of mistake. */

/** Refuses unknown and repeated elements. */
export function onlyChildren(source: XmlElement, names: readonly string[]): void {
  const { children } = source;
  for (let i = 0; i < children.length; i++) {
    const child = children[i]!;
    if (!names.includes(child.name))
      throw new Refusal("UnsupportedXmlNode", { elements: { XmlNodeName: child.name } });
    // At most names.length children pass, so the search for a repeated one is short.
    if (source.child(child.name) !== child)
      throw new Refusal("InvalidXmlDocument", { elements: { XmlNodeName: child.name } });
  }
}

export function requiredChild(source: XmlElement, name: string): XmlElement {
  const child = source.child(name);
  if (child === undefined) throw new Refusal("MissingRequiredXmlNode", { elements: { XmlNodeName: name } });
  return child;
}

export function requiredText(source: XmlElement): string {
  if (source.text === "") throw invalidValue(source);
  return source.text;
}

function booleanOf(source: XmlElement): boolean {
  // XML Schema's boolean, blanks around it allowed; SDKs of some languages write it with a capital.
  switch (source.text.trim().toLowerCase()) {
    case "true":
    case "1":
      return true;
    case "false":
    case "0":
      return false;
  }
  throw invalidValue(source);
}

export function requiredBoolean(source: XmlElement, name: string): boolean {
  return booleanOf(requiredChild(source, name));
}

export function optionalBoolean(source: XmlElement, name: string): boolean | undefined {
  const child = source.child(name);
  return child === undefined ? undefined : booleanOf(child);
}

/** A whole number from 0 on. */
export function countOf(source: XmlElement): number {
  const text = source.text.trim();
  if (!/^\d{1,15}$/.test(text)) throw invalidValue(source);
  return Number(text);
}

export function invalidValue(source: XmlElement): Refusal {
  return new Refusal("InvalidXmlNodeValue", {
    elements: { XmlNodeName: source.name, XmlNodeValue: source.text.slice(0, 256) },
  });
}
