import type { EntityKeys, Property } from "../../../base/edm.ts";
import type { Revision } from "../../../base/revision.ts";
import { printEntityAddress } from "./address.ts";
import type { MetadataLevel } from "./formats.ts";
import { printEntityEtag, printTicks } from "./times.ts";

/** Where answers say they come from. */
export interface PrintContext {
  readonly level: MetadataLevel;
  /** `http://host/account`, without a slash at the end. */
  readonly base: string;
  readonly account: string;
  readonly table: string;
  /** The properties wanted, or all. */
  readonly select: ReadonlySet<string> | undefined;
}

export interface PrintedEntity extends EntityKeys {
  readonly revision: Revision;
  readonly properties: readonly Property[];
}

/** One entity on its own, as Get Entity and Insert Entity answer. */
export function printEntity(context: PrintContext, entity: PrintedEntity, etag: string): string {
  const timestamp = printTicks(entity.revision);
  if (context.level === "none") return closed(`{${members(context, entity, timestamp)}`);
  const head = `{"odata.metadata":${JSON.stringify(contextUrl(context, "/@Element"))},`;
  return closed(`${head}${metadata(context, entity, etag)}${members(context, entity, timestamp)}`);
}

export function printEntities(context: PrintContext, entities: readonly PrintedEntity[]): string {
  let body =
    context.level === "none"
      ? '{"value":['
      : `{"odata.metadata":${JSON.stringify(contextUrl(context, ""))},"value":[`;
  let separator = "{";
  for (const entity of entities) {
    const timestamp = printTicks(entity.revision);
    const about = context.level === "none" ? "" : metadata(context, entity, printEntityEtag(timestamp));
    body += closed(`${separator}${about}${members(context, entity, timestamp)}`);
    separator = ",{";
  }
  return `${body}]}`;
}

function contextUrl({ base, table, select }: PrintContext, suffix: string): string {
  const selected = select === undefined ? "" : `&$select=${[...select].join(",")}`;
  return `${base}/$metadata#${table}${suffix}${selected}`;
}

/** An ETag stands in quotes that JSON must escape; nothing else in it needs it. */
function metadata({ level, base, account, table }: PrintContext, keys: EntityKeys, etag: string): string {
  const quoted = `"odata.etag":"${etag.replaceAll('"', '\\"')}",`;
  if (level === "minimal") return quoted;
  const link = JSON.stringify(printEntityAddress(table, keys)).slice(1, -1);
  return (
    `"odata.type":"${account}.${table}","odata.id":"${base}/${link}",${quoted}` +
    `"odata.editLink":"${link}",`
  );
}

/** Each with a comma at its end. */
function members(context: PrintContext, entity: PrintedEntity, timestamp: string): string {
  const { level, select } = context;
  const types = level !== "none";
  let out = "";
  if (select === undefined || select.has("PartitionKey"))
    out += `"PartitionKey":${quoted(entity.partitionKey)},`;
  if (select === undefined || select.has("RowKey")) out += `"RowKey":${quoted(entity.rowKey)},`;
  if (select === undefined || select.has("Timestamp")) {
    if (level === "full") out += '"Timestamp@odata.type":"Edm.DateTime",';
    out += `"Timestamp":"${timestamp}",`;
  }
  if (select !== undefined) return out + selected(select, entity.properties, types);
  for (const property of entity.properties) out += printProperty(property, types);
  return out;
}

const ALWAYS_PRESENT: ReadonlySet<string> = new Set(["PartitionKey", "RowKey", "Timestamp"]);

/** What was asked for by name and is not there is told as null, as the service does: projections count on it. */
function selected(select: ReadonlySet<string>, properties: readonly Property[], types: boolean): string {
  let out = "";
  const missing = new Set(select);
  for (const property of properties) {
    if (missing.delete(property.name)) out += printProperty(property, types);
  }
  for (const name of missing) if (!ALWAYS_PRESENT.has(name)) out += `${quoted(name)}:null,`;
  return out;
}

/** All but what stands in a string of JSON as it is, and what lies beyond ASCII, which is left to who knows it. */
const SPECIAL = /["\\\x00-\x1f\x7f-\uffff]/;

/** A text as JSON. Most need no escapes, and to look costs less than half of letting JSON.stringify look. */
function quoted(text: string): string {
  return SPECIAL.test(text) ? JSON.stringify(text) : `"${text}"`;
}

/** Each member ends with a comma; the last one is one too many, if there is any. */
function closed(object: string): string {
  return object.endsWith(",") ? `${object.slice(0, -1)}}` : `${object}}`;
}

/** With a comma at the end. Names are identifiers: nothing in them needs escaping. */
function printProperty(property: Property, types: boolean): string {
  const { name, type, value } = property;
  switch (type) {
    case "String":
      return `"${name}":${quoted(value)},`;
    case "Int32":
    case "Boolean":
      return `"${name}":${value},`;
    case "Double":
      if (Number.isFinite(value)) return `"${name}":${printDouble(value)},`;
      return `${types ? `"${name}@odata.type":"Edm.Double",` : ""}"${name}":"${value}",`;
    case "Int64":
    case "Guid":
      return `${types ? `"${name}@odata.type":"Edm.${type}",` : ""}"${name}":"${value}",`;
    case "DateTime":
      return `${types ? `"${name}@odata.type":"Edm.DateTime",` : ""}"${name}":"${printTicks(value)}",`;
    case "Binary":
      return `${types ? `"${name}@odata.type":"Edm.Binary",` : ""}"${name}":"${value.toString("base64")}",`;
  }
}

/** A whole Double keeps its point: without it the number would come back as an Int32. */
function printDouble(value: number): string {
  const text = String(value);
  return Number.isInteger(value) && !text.includes("e") ? `${text}.0` : text;
}
