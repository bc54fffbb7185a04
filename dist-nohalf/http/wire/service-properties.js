import { LIMITS } from "../../base/limits.js";
import { Refusal } from "../../base/refusals.js";
import { PROPERTIES_OF, } from "../../services/account/service-properties.js";
import { parseCors, printCors } from "./cors-xml.js";
import { parseXml } from "./xml.js";
import { element, optionalElement, printXml, textElement } from "./xml-print.js";
import { booleanOf, countOf, invalidValue, onlyChildren, requiredChild, requiredText } from "./xml-values.js";
const FORMS = {
    logging: { tag: "Logging", parse: parseLogging, print: printLogging },
    hourMetrics: { tag: "HourMetrics", parse: parseMetrics, print: printMetrics },
    minuteMetrics: { tag: "MinuteMetrics", parse: parseMetrics, print: printMetrics },
    cors: { tag: "Cors", parse: parseCors, print: printCors },
    defaultServiceVersion: { tag: "DefaultServiceVersion", parse: parseVersion, print: textElement },
    deleteRetention: { tag: "DeleteRetentionPolicy", parse: parseDeleteRetention, print: printDeleteRetention },
    staticWebsite: { tag: "StaticWebsite", parse: parseStaticWebsite, print: printStaticWebsite },
    protocolSettings: { tag: "ProtocolSettings", parse: parseProtocols, print: printProtocols },
};
/** What a Set names, and nothing else: `mergeServiceProperties` lays it over what is stored. */
export function parseServiceProperties(owner, body) {
    const root = parseXml(body);
    if (root.name !== "StorageServiceProperties")
        throw new Refusal("InvalidXmlDocument", { elements: { XmlNodeName: root.name } });
    const names = PROPERTIES_OF[owner];
    onlyChildren(root, names.map((name) => FORMS[name].tag));
    const out = {};
    for (const name of names) {
        const node = root.child(FORMS[name].tag);
        if (node !== undefined)
            out[name] = FORMS[name].parse(node);
    }
    return out;
}
export function printServiceProperties(owner, properties) {
    let content = "";
    for (const name of PROPERTIES_OF[owner])
        content += printProperty(name, properties);
    return printXml(element("StorageServiceProperties", content));
}
function printProperty(name, properties) {
    const value = properties[name];
    // The key ties the form to the value; the type checker sees only the union of all forms.
    const form = FORMS[name];
    return value === undefined ? "" : form.print(form.tag, value);
}
function parseLogging(node) {
    onlyChildren(node, ["Version", "Delete", "Read", "Write", "RetentionPolicy"]);
    return {
        version: parseAnalyticsVersion(requiredChild(node, "Version")),
        logsDelete: booleanOf(requiredChild(node, "Delete")),
        logsRead: booleanOf(requiredChild(node, "Read")),
        logsWrite: booleanOf(requiredChild(node, "Write")),
        retention: parseRetention(requiredChild(node, "RetentionPolicy")),
    };
}
function printLogging(tag, logging) {
    return element(tag, textElement("Version", logging.version) +
        textElement("Read", logging.logsRead) +
        textElement("Write", logging.logsWrite) +
        textElement("Delete", logging.logsDelete) +
        printRetention("RetentionPolicy", logging.retention));
}
function parseMetrics(node) {
    onlyChildren(node, ["Version", "Enabled", "IncludeAPIs", "RetentionPolicy"]);
    const isEnabled = booleanOf(requiredChild(node, "Enabled"));
    const version = node.child("Version");
    // Documented as required only of metrics that are on.
    const includeApis = isEnabled ? requiredChild(node, "IncludeAPIs") : node.child("IncludeAPIs");
    const retention = node.child("RetentionPolicy");
    return {
        version: version === undefined ? "1.0" : parseAnalyticsVersion(version),
        isEnabled,
        includesApis: includeApis === undefined ? undefined : booleanOf(includeApis),
        retention: retention === undefined ? { isEnabled: false, days: undefined } : parseRetention(retention),
    };
}
function printMetrics(tag, metrics) {
    return element(tag, textElement("Version", metrics.version) +
        textElement("Enabled", metrics.isEnabled) +
        optionalElement("IncludeAPIs", metrics.includesApis) +
        printRetention("RetentionPolicy", metrics.retention));
}
function parseRetention(node) {
    onlyChildren(node, ["Enabled", "Days"]);
    return readRetention(node);
}
function readRetention(node) {
    const isEnabled = booleanOf(requiredChild(node, "Enabled"));
    // Some clients send a meaningless Days along with Enabled=false; it is not kept.
    if (!isEnabled)
        return { isEnabled, days: undefined };
    const days = requiredChild(node, "Days");
    const count = countOf(days);
    // The service's schema holds the bounds, so it is the document that is refused, not the value.
    if (count < 1 || count > LIMITS.retentionDaysMax)
        throw new Refusal("InvalidXmlDocument", { elements: { XmlNodeName: "Days", XmlNodeValue: days.text } });
    return { isEnabled, days: count };
}
function printRetention(tag, { isEnabled, days }) {
    return element(tag, textElement("Enabled", isEnabled) + optionalElement("Days", days));
}
function parseDeleteRetention(node) {
    onlyChildren(node, ["Enabled", "Days", "AllowPermanentDelete"]);
    const allows = node.child("AllowPermanentDelete");
    return {
        ...readRetention(node),
        allowsPermanentDelete: allows === undefined ? undefined : booleanOf(allows),
    };
}
function printDeleteRetention(tag, policy) {
    return element(tag, textElement("Enabled", policy.isEnabled) +
        optionalElement("Days", policy.days) +
        optionalElement("AllowPermanentDelete", policy.allowsPermanentDelete));
}
function parseStaticWebsite(node) {
    onlyChildren(node, ["Enabled", "IndexDocument", "ErrorDocument404Path", "DefaultIndexDocumentPath"]);
    const document = (name) => {
        const found = node.child(name);
        if (found === undefined || found.text === "")
            return undefined;
        if (found.text.length > LIMITS.staticDocumentCharsMax)
            throw invalidValue(found);
        return found.text;
    };
    return {
        isEnabled: booleanOf(requiredChild(node, "Enabled")),
        indexDocument: document("IndexDocument"),
        errorDocument404Path: document("ErrorDocument404Path"),
        defaultIndexDocumentPath: document("DefaultIndexDocumentPath"),
    };
}
function printStaticWebsite(tag, website) {
    return element(tag, textElement("Enabled", website.isEnabled) +
        optionalElement("IndexDocument", website.indexDocument) +
        optionalElement("ErrorDocument404Path", website.errorDocument404Path) +
        optionalElement("DefaultIndexDocumentPath", website.defaultIndexDocumentPath));
}
function parseProtocols(node) {
    onlyChildren(node, ["SMB", "NFS"]);
    const smb = node.child("SMB");
    const nfs = node.child("NFS");
    if (smb !== undefined)
        onlyChildren(smb, ["Multichannel", "EncryptionInTransit"]);
    if (nfs !== undefined)
        onlyChildren(nfs, ["EncryptionInTransit"]);
    return {
        smbMultichannel: parseSwitch(smb?.child("Multichannel"), "Enabled"),
        smbEncryptionRequired: parseSwitch(smb?.child("EncryptionInTransit"), "Required"),
        nfsEncryptionRequired: parseSwitch(nfs?.child("EncryptionInTransit"), "Required"),
    };
}
function parseSwitch(node, name) {
    if (node === undefined)
        return undefined;
    onlyChildren(node, [name]);
    const value = node.child(name);
    return value === undefined ? undefined : booleanOf(value);
}
function printProtocols(tag, settings) {
    const smb = printSwitch("Multichannel", "Enabled", settings.smbMultichannel) +
        printSwitch("EncryptionInTransit", "Required", settings.smbEncryptionRequired);
    const nfs = printSwitch("EncryptionInTransit", "Required", settings.nfsEncryptionRequired);
    return element(tag, (smb === "" ? "" : element("SMB", smb)) + (nfs === "" ? "" : element("NFS", nfs)));
}
function printSwitch(tag, name, value) {
    return value === undefined ? "" : element(tag, textElement(name, value));
}
function parseAnalyticsVersion(node) {
    if (!/^\d{1,3}\.\d{1,3}$/.test(node.text))
        throw invalidValue(node);
    return node.text;
}
/** Any version in the form of one: which ones exist is not ours to say. */
function parseVersion(node) {
    const text = requiredText(node);
    if (!/^\d{4}-\d\d-\d\d$/.test(text))
        throw invalidValue(node);
    return text;
}
