import { LIMITS } from "../../base/limits.ts";
import { Refusal } from "../../base/refusals.ts";
import {
  type DeleteRetention,
  type Logging,
  type Metrics,
  PROPERTIES_OF,
  type PropertiesOwner,
  type ProtocolSettings,
  type Retention,
  type ServiceProperties,
  type ServicePropertyName,
  type StaticWebsite,
} from "../../services/account/service-properties.ts";
import { parseCors, printCors } from "./cors-xml.ts";
import { parseXml, type XmlElement } from "./xml.ts";
import { element, optionalElement, printXml, textElement } from "./xml-print.ts";
import { booleanOf, countOf, invalidValue, onlyChildren, requiredChild, requiredText } from "./xml-values.ts";

/**
 * StorageServiceProperties of the four services. Each property is one pair of functions in `FORMS`; which of
 * them a service has, and in which order it prints them, is said by `PROPERTIES_OF`.
 */
interface Form<T> {
  readonly tag: string;
  readonly parse: (node: XmlElement) => T;
  print(tag: string, value: T): string;
}

type Forms = { readonly [Name in ServicePropertyName]-?: Form<NonNullable<ServiceProperties[Name]>> };

const FORMS: Forms = {
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
export function parseServiceProperties(owner: PropertiesOwner, body: Uint8Array): ServiceProperties {
  const root = parseXml(body);
  if (root.name !== "StorageServiceProperties")
    throw new Refusal("InvalidXmlDocument", { elements: { XmlNodeName: root.name } });
  const names = PROPERTIES_OF[owner];
  onlyChildren(
    root,
    names.map((name) => FORMS[name].tag),
  );
  const out: Record<string, unknown> = {};
  for (const name of names) {
    const node = root.child(FORMS[name].tag);
    if (node !== undefined) out[name] = FORMS[name].parse(node);
  }
  return out;
}

export function printServiceProperties(owner: PropertiesOwner, properties: ServiceProperties): string {
  let content = "";
  for (const name of PROPERTIES_OF[owner]) content += printProperty(name, properties);
  return printXml(element("StorageServiceProperties", content));
}

function printProperty(name: ServicePropertyName, properties: ServiceProperties): string {
  const value = properties[name];
  // The key ties the form to the value; the type checker sees only the union of all forms.
  const form = FORMS[name] as Form<unknown>;
  return value === undefined ? "" : form.print(form.tag, value);
}

function parseLogging(node: XmlElement): Logging {
  onlyChildren(node, ["Version", "Delete", "Read", "Write", "RetentionPolicy"]);
  return {
    version: parseAnalyticsVersion(requiredChild(node, "Version")),
    logsDelete: booleanOf(requiredChild(node, "Delete")),
    logsRead: booleanOf(requiredChild(node, "Read")),
    logsWrite: booleanOf(requiredChild(node, "Write")),
    retention: parseRetention(requiredChild(node, "RetentionPolicy")),
  };
}

function printLogging(tag: string, logging: Logging): string {
  return element(
    tag,
    textElement("Version", logging.version) +
      textElement("Read", logging.logsRead) +
      textElement("Write", logging.logsWrite) +
      textElement("Delete", logging.logsDelete) +
      printRetention("RetentionPolicy", logging.retention),
  );
}

function parseMetrics(node: XmlElement): Metrics {
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

function printMetrics(tag: string, metrics: Metrics): string {
  return element(
    tag,
    textElement("Version", metrics.version) +
      textElement("Enabled", metrics.isEnabled) +
      optionalElement("IncludeAPIs", metrics.includesApis) +
      printRetention("RetentionPolicy", metrics.retention),
  );
}

function parseRetention(node: XmlElement): Retention {
  onlyChildren(node, ["Enabled", "Days"]);
  return readRetention(node);
}

function readRetention(node: XmlElement): Retention {
  const isEnabled = booleanOf(requiredChild(node, "Enabled"));
  // Some clients send a meaningless Days along with Enabled=false; it is not kept.
  if (!isEnabled) return { isEnabled, days: undefined };
  const days = node.child("Days");
  const count = days === undefined ? 0 : countOf(days);
  // The service's schema holds the bounds, so it is the document that is refused, not the value.
  if (count < 1 || count > LIMITS.retentionDaysMax)
    throw new Refusal("InvalidXmlDocument", {
      elements: { XmlNodeName: "Days", XmlNodeValue: days?.text ?? "" },
    });
  return { isEnabled, days: count };
}

function printRetention(tag: string, { isEnabled, days }: Retention): string {
  return element(tag, textElement("Enabled", isEnabled) + optionalElement("Days", days));
}

function parseDeleteRetention(node: XmlElement): DeleteRetention {
  onlyChildren(node, ["Enabled", "Days", "AllowPermanentDelete"]);
  const allows = node.child("AllowPermanentDelete");
  return {
    ...readRetention(node),
    allowsPermanentDelete: allows === undefined ? undefined : booleanOf(allows),
  };
}

function printDeleteRetention(tag: string, policy: DeleteRetention): string {
  return element(
    tag,
    textElement("Enabled", policy.isEnabled) +
      optionalElement("Days", policy.days) +
      optionalElement("AllowPermanentDelete", policy.allowsPermanentDelete),
  );
}

function parseStaticWebsite(node: XmlElement): StaticWebsite {
  onlyChildren(node, ["Enabled", "IndexDocument", "ErrorDocument404Path", "DefaultIndexDocumentPath"]);
  const document = (name: string): string | undefined => {
    const found = node.child(name);
    if (found === undefined || found.text === "") return undefined;
    if (found.text.length > LIMITS.staticDocumentCharsMax) throw invalidValue(found);
    return found.text;
  };
  return {
    isEnabled: booleanOf(requiredChild(node, "Enabled")),
    indexDocument: document("IndexDocument"),
    errorDocument404Path: document("ErrorDocument404Path"),
    defaultIndexDocumentPath: document("DefaultIndexDocumentPath"),
  };
}

function printStaticWebsite(tag: string, website: StaticWebsite): string {
  return element(
    tag,
    textElement("Enabled", website.isEnabled) +
      optionalElement("IndexDocument", website.indexDocument) +
      optionalElement("ErrorDocument404Path", website.errorDocument404Path) +
      optionalElement("DefaultIndexDocumentPath", website.defaultIndexDocumentPath),
  );
}

function parseProtocols(node: XmlElement): ProtocolSettings {
  onlyChildren(node, ["SMB", "NFS"]);
  const smb = node.child("SMB");
  const nfs = node.child("NFS");
  if (smb !== undefined) onlyChildren(smb, ["Multichannel", "EncryptionInTransit"]);
  if (nfs !== undefined) onlyChildren(nfs, ["EncryptionInTransit"]);
  return {
    smbMultichannel: parseSwitch(smb?.child("Multichannel"), "Enabled"),
    smbEncryptionRequired: parseSwitch(smb?.child("EncryptionInTransit"), "Required"),
    nfsEncryptionRequired: parseSwitch(nfs?.child("EncryptionInTransit"), "Required"),
  };
}

function parseSwitch(node: XmlElement | undefined, name: string): boolean | undefined {
  if (node === undefined) return undefined;
  onlyChildren(node, [name]);
  const value = node.child(name);
  return value === undefined ? undefined : booleanOf(value);
}

function printProtocols(tag: string, settings: ProtocolSettings): string {
  const smb =
    printSwitch("Multichannel", "Enabled", settings.smbMultichannel) +
    printSwitch("EncryptionInTransit", "Required", settings.smbEncryptionRequired);
  const nfs = printSwitch("EncryptionInTransit", "Required", settings.nfsEncryptionRequired);
  return element(tag, (smb === "" ? "" : element("SMB", smb)) + (nfs === "" ? "" : element("NFS", nfs)));
}

function printSwitch(tag: string, name: string, value: boolean | undefined): string {
  return value === undefined ? "" : element(tag, textElement(name, value));
}

function parseAnalyticsVersion(node: XmlElement): string {
  if (!/^\d{1,3}\.\d{1,3}$/.test(node.text)) throw invalidValue(node);
  return node.text;
}

/** Any version in the form of one: which ones exist is not ours to say. */
function parseVersion(node: XmlElement): string {
  const text = requiredText(node);
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) throw invalidValue(node);
  return text;
}
