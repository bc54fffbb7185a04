import { Refusal } from "../../base/refusals.js";
/** Reading typed values out of a tree, with the refusals the protocol has for each way to be wrong. */
/** Refuses what the client cannot have meant for us: an element we do not know, or the same one twice. */
export function onlyChildren(node, names) {
    const { children } = node;
    for (let i = 0; i < children.length; i++) {
        const child = children[i];
        if (!names.includes(child.name))
            throw new Refusal("UnsupportedXmlNode", { elements: { XmlNodeName: child.name } });
        // At most names.length children get past this, so the search for a twin is short.
        if (node.child(child.name) !== child)
            throw new Refusal("InvalidXmlDocument", { elements: { XmlNodeName: child.name } });
    }
}
export function requiredChild(node, name) {
    const child = node.child(name);
    if (child === undefined)
        throw new Refusal("MissingRequiredXmlNode", { elements: { XmlNodeName: name } });
    return child;
}
export function requiredText(node) {
    if (node.text === "")
        throw invalidValue(node);
    return node.text;
}
export function booleanOf(node) {
    // XML Schema's boolean, blanks around it allowed; SDKs of some languages write it with a capital.
    switch (node.text.trim().toLowerCase()) {
        case "true":
        case "1":
            return true;
        case "false":
        case "0":
            return false;
    }
    throw invalidValue(node);
}
/** A whole number from 0 on. */
export function countOf(node) {
    const text = node.text.trim();
    if (!/^\d{1,15}$/.test(text))
        throw invalidValue(node);
    return Number(text);
}
export function invalidValue(node) {
    return new Refusal("InvalidXmlNodeValue", {
        elements: { XmlNodeName: node.name, XmlNodeValue: node.text.slice(0, 256) },
    });
}
