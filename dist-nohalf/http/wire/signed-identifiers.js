import { LIMITS } from "../../base/limits.js";
import { Refusal } from "../../base/refusals.js";
import { parseIsoDate, printIsoDate } from "./dates.js";
import { parseXml } from "./xml.js";
import { element, optionalElement, printXml, textElement } from "./xml-print.js";
import { invalidValue, onlyChildren, requiredChild } from "./xml-values.js";
/**
 * Stored access policies, as Set and Get ACL carry them. A Set replaces the whole list, and an empty body is an
 * empty list. Each field of a policy may be left out, and a policy with none is printed as its id alone.
 */
export function parseSignedIdentifiers(body) {
    if (body.length === 0)
        return [];
    const root = parseXml(body);
    if (root.name !== "SignedIdentifiers")
        throw malformed("The root element is not SignedIdentifiers.");
    if (root.children.length > LIMITS.storedPoliciesMax)
        throw malformed(`There are more than ${LIMITS.storedPoliciesMax} signed identifiers.`);
    const policies = [];
    for (const child of root.children) {
        if (child.name !== "SignedIdentifier")
            throw new Refusal("UnsupportedXmlNode", { elements: { XmlNodeName: child.name } });
        const policy = parsePolicy(child);
        if (policies.some(({ id }) => id === policy.id))
            throw malformed("An identifier is given twice.");
        policies.push(policy);
    }
    return policies;
}
function parsePolicy(node) {
    onlyChildren(node, ["Id", "AccessPolicy"]);
    const id = requiredChild(node, "Id");
    if (id.text === "" || id.text.length > LIMITS.storedPolicyIdCharsMax)
        throw invalidValue(id);
    const policy = node.child("AccessPolicy");
    if (policy !== undefined)
        onlyChildren(policy, ["Start", "Expiry", "Permission"]);
    return {
        id: id.text,
        start: timeOf(policy?.child("Start")),
        expiry: timeOf(policy?.child("Expiry")),
        permissions: permissionsOf(policy?.child("Permission")),
    };
}
/** An empty element says no more than an absent one: SDKs write either. */
function timeOf(node) {
    const text = node?.text.trim() ?? "";
    if (node === undefined || text === "")
        return undefined;
    const instant = parseIsoDate(text);
    if (instant === undefined)
        throw invalidValue(node);
    return instant;
}
function permissionsOf(node) {
    const text = node?.text.trim() ?? "";
    if (node === undefined || text === "")
        return undefined;
    // Which letters mean something depends on the service; unknown ones grant nothing.
    if (!/^[a-z]{1,26}$/.test(text))
        throw invalidValue(node);
    return text;
}
function malformed(reason) {
    return new Refusal("InvalidXmlDocument", { elements: { Reason: reason } });
}
export function printSignedIdentifiers(policies) {
    let content = "";
    for (const { id, start, expiry, permissions } of policies) {
        const fields = optionalElement("Start", start === undefined ? undefined : printIsoDate(start)) +
            optionalElement("Expiry", expiry === undefined ? undefined : printIsoDate(expiry)) +
            optionalElement("Permission", permissions);
        const policy = fields === "" ? "" : element("AccessPolicy", fields);
        content += element("SignedIdentifier", textElement("Id", id) + policy);
    }
    return printXml(element("SignedIdentifiers", content));
}
