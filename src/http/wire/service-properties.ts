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
import { element, fieldsElement, printXml, textElement } from "./xml-print.ts";
import {
  countOf,
  invalidValue,
  onlyChildren,
  optionalBoolean,
  requiredBoolean,
  requiredChild,
  requiredText,
} from "./xml-values.ts";

/**
 * StorageServiceProperties of the four services. `FORMS` has a pair of functions for each property;
 * `PROPERTIES_OF` says which of them a service has, and in which order it prints them.
 */
interface Form<T> {
  readonly tag: string;
  readonly parse: (source: XmlElement) => T;
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

/** The properties that a Set names; `mergeServiceProperties` lays them over the stored ones. */
export function parseServiceProperties(owner: PropertiesOwner, body: Uint8Array): ServiceProperties {
  const root = parseXml(body);
  if (root.name !== "StorageServiceProperties")
    throw new Refusal("InvalidXmlDocument", { elements: { XmlNodeName: root.name } });
  if (root.endAt === undefined) throw root.refusal("Error parsing Xml content: the root element is empty.");
  const names = PROPERTIES_OF[owner];
  onlyChildren(
    root,
    names.map((name) => FORMS[name].tag),
  );
  const out: Record<string, unknown> = {};
  for (const name of names) {
    const child = root.child(FORMS[name].tag);
    if (child !== undefined) out[name] = FORMS[name].parse(child);
  }
  return out;
}

export function printServiceProperties(owner: PropertiesOwner, properties: ServiceProperties): string {
  let content = "";
  for (const name of PROPERTIES_OF[owner]) {
    // The key ties the form to the value; the type checker sees only the union of all forms.
    const form = FORMS[name] as Form<unknown>;
    if (properties[name] !== undefined) content += form.print(form.tag, properties[name]);
  }
  return printXml(element("StorageServiceProperties", content));
}

function parseLogging(source: XmlElement): Logging {
  onlyChildren(source, ["Version", "Delete", "Read", "Write", "RetentionPolicy"]);
  return {
    version: parseAnalyticsVersion(requiredChild(source, "Version")),
    logsDelete: requiredBoolean(source, "Delete"),
    logsRead: requiredBoolean(source, "Read"),
    logsWrite: requiredBoolean(source, "Write"),
    retention: parseRetention(requiredChild(source, "RetentionPolicy")),
  };
}

function printLogging(tag: string, { version, logsRead, logsWrite, logsDelete, retention }: Logging): string {
  const fields = { Version: version, Read: logsRead, Write: logsWrite, Delete: logsDelete };
  return fieldsElement(tag, fields, printRetention("RetentionPolicy", retention));
}

function parseMetrics(source: XmlElement): Metrics {
  onlyChildren(source, ["Version", "Enabled", "IncludeAPIs", "RetentionPolicy"]);
  const isEnabled = requiredBoolean(source, "Enabled");
  const version = source.child("Version");
  const retention = source.child("RetentionPolicy");
  return {
    version: version === undefined ? "1.0" : parseAnalyticsVersion(version),
    isEnabled,
    // Documented as required only of metrics that are on.
    includesApis: (isEnabled ? requiredBoolean : optionalBoolean)(source, "IncludeAPIs"),
    retention: retention === undefined ? { isEnabled: false, days: undefined } : parseRetention(retention),
  };
}

function printMetrics(tag: string, { version, isEnabled, includesApis, retention }: Metrics): string {
  const fields = { Version: version, Enabled: isEnabled, IncludeAPIs: includesApis };
  return fieldsElement(tag, fields, printRetention("RetentionPolicy", retention));
}

function parseRetention(source: XmlElement): Retention {
  onlyChildren(source, ["Enabled", "Days"]);
  return readRetention(source);
}

function readRetention(source: XmlElement): Retention {
  const isEnabled = requiredBoolean(source, "Enabled");
  // Some clients send a meaningless Days along with Enabled=false.
  if (!isEnabled) return { isEnabled, days: undefined };
  const days = source.child("Days");
  const count = days === undefined ? 0 : countOf(days);
  // The bounds are in the service's schema, so the refusal is that of an invalid document.
  if (count < 1 || count > LIMITS.retentionDaysMax)
    throw source.refusal("Retention days must be greater than 0 and less than or equal to 365 days.");
  return { isEnabled, days: count };
}

function printRetention(tag: string, { isEnabled, days }: Retention): string {
  return fieldsElement(tag, { Enabled: isEnabled, Days: days });
}

function parseDeleteRetention(source: XmlElement): DeleteRetention {
  onlyChildren(source, ["Enabled", "Days", "AllowPermanentDelete"]);
  const allowsPermanentDelete = optionalBoolean(source, "AllowPermanentDelete") ?? false;
  return { ...readRetention(source), allowsPermanentDelete };
}

function printDeleteRetention(tag: string, policy: DeleteRetention): string {
  const { isEnabled, days, allowsPermanentDelete } = policy;
  return fieldsElement(tag, { Enabled: isEnabled, Days: days, AllowPermanentDelete: allowsPermanentDelete });
}

function parseStaticWebsite(source: XmlElement): StaticWebsite {
  onlyChildren(source, ["Enabled", "IndexDocument", "ErrorDocument404Path", "DefaultIndexDocumentPath"]);
  const document = (name: string): string | undefined => {
    const found = source.child(name);
    if (found === undefined || found.text === "") return undefined;
    if (found.text.length > LIMITS.staticDocumentCharsMax) throw invalidValue(found);
    return found.text;
  };
  const isEnabled = requiredBoolean(source, "Enabled");
  const hasDocument = source.children.some(({ name, text }) => name !== "Enabled" && text !== "");
  // The schema of a website that is off has no documents.
  if (!isEnabled && hasDocument) throw new Refusal("InvalidXmlDocument");
  return {
    isEnabled,
    indexDocument: document("IndexDocument"),
    errorDocument404Path: document("ErrorDocument404Path"),
    defaultIndexDocumentPath: document("DefaultIndexDocumentPath"),
  };
}

function printStaticWebsite(tag: string, website: StaticWebsite): string {
  return fieldsElement(tag, {
    Enabled: website.isEnabled,
    IndexDocument: website.indexDocument,
    ErrorDocument404Path: website.errorDocument404Path,
    DefaultIndexDocumentPath: website.defaultIndexDocumentPath,
  });
}

function parseProtocols(source: XmlElement): ProtocolSettings {
  onlyChildren(source, ["SMB", "NFS"]);
  const [smb, nfs] = [source.child("SMB"), source.child("NFS")];
  if (smb !== undefined) onlyChildren(smb, ["Multichannel", "EncryptionInTransit"]);
  if (nfs !== undefined) onlyChildren(nfs, ["EncryptionInTransit"]);
  return {
    smbMultichannel: parseSwitch(smb?.child("Multichannel"), "Enabled"),
    smbEncryptionRequired: parseSwitch(smb?.child("EncryptionInTransit"), "Required"),
    nfsEncryptionRequired: parseSwitch(nfs?.child("EncryptionInTransit"), "Required"),
  };
}

function parseSwitch(source: XmlElement | undefined, name: string): boolean | undefined {
  if (source === undefined) return undefined;
  onlyChildren(source, [name]);
  return optionalBoolean(source, name);
}

function printProtocols(tag: string, settings: ProtocolSettings): string {
  const smb =
    printSwitch("Multichannel", "Enabled", settings.smbMultichannel) +
    printSwitch("EncryptionInTransit", "Required", settings.smbEncryptionRequired);
  const nfs = printSwitch("EncryptionInTransit", "Required", settings.nfsEncryptionRequired);
  return element(tag, (smb === "" ? "" : element("SMB", smb)) + (nfs === "" ? "" : element("NFS", nfs)));
}

function printSwitch(tag: string, name: string, value: boolean | undefined): string {
  return value === undefined ? "" : fieldsElement(tag, { [name]: value });
}

function parseAnalyticsVersion(source: XmlElement): string {
  if (!/^\d{1,3}\.\d{1,3}$/.test(source.text)) throw invalidValue(source);
  return source.text;
}

/** Any version of the right form: the server does not know which ones exist. */
function parseVersion(source: XmlElement): string {
  const text = requiredText(source);
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) throw invalidValue(source);
  return text;
}
