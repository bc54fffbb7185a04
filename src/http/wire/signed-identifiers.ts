import type { Instant } from "../../base/clock.ts";
import { LIMITS } from "../../base/limits.ts";
import { Refusal } from "../../base/refusals.ts";
import type { StoredPolicy } from "../../services/account/stored-policy.ts";
import { parseIsoDate, parseIsoTicks, printIsoDate } from "./dates.ts";
import { parseXml, tooMuch, type XmlElement } from "./xml.ts";
import { element, fieldsElement, printXml } from "./xml-print.ts";
import { invalidValue, onlyChildren, requiredChild } from "./xml-values.ts";

/**
 * Stored access policies, as in Set and Get ACL. A Set replaces the whole list, and an empty body is an empty
 * list. Each field of a policy is optional; a policy without any prints as its id alone.
 *
 * `letters` matches the permissions of the service's schema in their order: others make the document invalid.
 */
export function parseSignedIdentifiers(body: Uint8Array, letters: RegExp): StoredPolicy[] {
  if (body.length === 0) return [];
  const root = parseXml(body);
  if (root.name !== "SignedIdentifiers") throw malformed("The root element is not SignedIdentifiers.");
  if (root.children.length > LIMITS.storedPoliciesMax) throw tooMuch();
  const policies: StoredPolicy[] = [];
  for (const child of root.children) {
    if (child.name !== "SignedIdentifier")
      throw new Refusal("UnsupportedXmlNode", { elements: { XmlNodeName: child.name } });
    const policy = parsePolicy(child, letters);
    if (policies.some(({ id }) => id === policy.id)) throw malformed("An identifier is given twice.");
    policies.push(policy);
  }
  return policies;
}

function parsePolicy(source: XmlElement, letters: RegExp): StoredPolicy {
  onlyChildren(source, ["Id", "AccessPolicy"]);
  const id = requiredChild(source, "Id");
  if (id.text === "") throw invalidValue(id);
  if (id.text.length > LIMITS.storedPolicyIdCharsMax)
    throw source.refusalBehind("Signed identifier ID cannot be empty or over 64 characters in length");
  const policy = source.child("AccessPolicy");
  if (policy !== undefined) onlyChildren(policy, ["Start", "Expiry", "Permission"]);
  const start = timeOf(policy?.child("Start"));
  const expiry = timeOf(policy?.child("Expiry"));
  return {
    id: id.text,
    start: start?.instant,
    expiry: expiry?.instant,
    permissions: permissionsOf(policy?.child("Permission"), letters),
    ...(start === undefined || start.ticks === 0 ? {} : { startTicks: start.ticks }),
    ...(expiry === undefined || expiry.ticks === 0 ? {} : { expiryTicks: expiry.ticks }),
  };
}

/** An empty element means the same as an absent one: SDKs write either. */
function timeOf(source: XmlElement | undefined): { instant: Instant; ticks: number } | undefined {
  const text = source?.text.trim() ?? "";
  if (source === undefined || text === "") return undefined;
  const instant = parseIsoDate(text);
  const ticks = parseIsoTicks(text);
  if (instant === undefined || ticks === undefined) throw invalidValue(source);
  return { instant, ticks: Number(ticks % TICKS_PER_MILLI) };
}

const TICKS_PER_MILLI = 10_000n;

function permissionsOf(source: XmlElement | undefined, letters: RegExp): string | undefined {
  const text = source?.text.trim() ?? "";
  if (source === undefined || text === "") return undefined;
  if (!letters.test(text)) throw malformed("The permissions are not those of this service, or not in order.");
  return text;
}

function malformed(reason: string): Refusal {
  return new Refusal("InvalidXmlDocument", { elements: { Reason: reason } });
}

export function printSignedIdentifiers(policies: readonly StoredPolicy[]): string {
  let content = "";
  for (const { id, start, expiry, permissions, startTicks, expiryTicks } of policies) {
    const fields = {
      Start: start === undefined ? undefined : printIsoDate(start, startTicks),
      Expiry: expiry === undefined ? undefined : printIsoDate(expiry, expiryTicks),
      Permission: permissions,
    };
    const isEmpty = Object.values(fields).every((value) => value === undefined);
    const policy = isEmpty ? "" : fieldsElement("AccessPolicy", fields);
    content += fieldsElement("SignedIdentifier", { Id: id }, policy);
  }
  return printXml(element("SignedIdentifiers", content));
}
