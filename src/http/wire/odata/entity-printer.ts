import type { EntityContents, EntityKeys, Property } from "../../../base/edm.ts";
import type { Revision } from "../../../base/revision.ts";
import { bodyOf, PrintedPage } from "../printed-page.ts";
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

export interface PrintedEntity extends EntityKeys, EntityContents {
  readonly revision: Revision;
}

/** One entity on its own, as Get Entity and Insert Entity answer. `timestamp` is its revision, printed. */
export function printEntity(context: PrintContext, entity: PrintedEntity, timestamp: string): string {
  if (context.level === "none") return `{${members(context, entity, timestamp)}}`;
  const about = metadata(context, entity, timestamp);
  return `{"odata.metadata":${quoted(contextUrl(context, "/@Element"))},${about}${members(context, entity, timestamp)}}`;
}

/** A page of them. */
export class EntitiesPage extends PrintedPage<PrintedEntity> {
  readonly #context: PrintContext;

  constructor(context: PrintContext, countMax: number) {
    super((entity, index) => printListed(context, entity, index), { countMax });
    this.#context = context;
  }

  body(): string | readonly Buffer[] {
    const { level } = this.#context;
    const about = level === "none" ? "" : `"odata.metadata":${quoted(contextUrl(this.#context, ""))},`;
    return bodyOf(`{${about}"value":[`, this, "]}");
  }
}

function printListed(context: PrintContext, entity: PrintedEntity, index: number): string {
  const timestamp = printTicks(entity.revision);
  const about = context.level === "none" ? "" : metadata(context, entity, timestamp);
  return `${index === 0 ? "{" : ",{"}${about}${members(context, entity, timestamp)}}`;
}

function contextUrl({ base, table, select }: PrintContext, suffix: string): string {
  const selected = select === undefined ? "" : `&$select=${[...select].join(",")}`;
  return `${base}/$metadata#${table}${suffix}${selected}`;
}

/** With a comma at its end. */
function metadata(
  { level, base, account, table }: PrintContext,
  keys: EntityKeys,
  timestamp: string,
): string {
  const etag = `"odata.etag":"${printEntityEtag(timestamp, '\\"')}",`;
  if (level === "minimal") return etag;
  const link = JSON.stringify(printEntityAddress(table, keys)).slice(1, -1);
  return (
    `"odata.type":"${account}.${table}","odata.id":"${base}/${link}",${etag}` + `"odata.editLink":"${link}",`
  );
}

/** There is always one at least: what is selected and missing is told as null. */
function members(context: PrintContext, entity: PrintedEntity, timestamp: string): string {
  const { level, select } = context;
  const { partitionKey, rowKey, properties, isPlain = false } = entity;
  const types = level !== "none";
  const time = `${level === "full" ? TIMESTAMP_TYPE : ""}"Timestamp":"${timestamp}"`;
  if (select === undefined) {
    let out = `"PartitionKey":${quoted(partitionKey)},"RowKey":${quoted(rowKey)},${time}`;
    for (const property of properties) out += printProperty(property, types, isPlain);
    return out;
  }
  let out = "";
  if (select.has("PartitionKey")) out += `,"PartitionKey":${quoted(partitionKey)}`;
  if (select.has("RowKey")) out += `,"RowKey":${quoted(rowKey)}`;
  if (select.has("Timestamp")) out += `,${time}`;
  return (out + selected(select, entity, types)).slice(1);
}

const TIMESTAMP_TYPE = '"Timestamp@odata.type":"Edm.DateTime",';
const ALWAYS_PRESENT: ReadonlySet<string> = new Set(["PartitionKey", "RowKey", "Timestamp"]);

/**
 * What was asked for by name and is not there is told as null, as the service does: projections count on it.
 */
function selected(select: ReadonlySet<string>, contents: EntityContents, types: boolean): string {
  const { properties, isPlain = false } = contents;
  let out = "";
  const missing = new Set(select);
  for (const property of properties) {
    if (missing.delete(property.name)) out += printProperty(property, types, isPlain);
  }
  for (const name of missing) if (!ALWAYS_PRESENT.has(name)) out += `,${quoted(name)}:null`;
  return out;
}

/**
 * All but what stands in a string of JSON as it is, and what lies beyond ASCII, which is left to who knows
 * it.
 */
const SPECIAL = /["\\\x00-\x1f\x7f-\uffff]/;

/** A text as JSON. Most need no escapes, and to look costs less than half of letting JSON.stringify look. */
function quoted(text: string): string {
  return SPECIAL.test(text) ? JSON.stringify(text) : `"${text}"`;
}

/** With a comma in front. Names are identifiers: nothing in them needs escaping. */
function printProperty(property: Property, types: boolean, isPlain: boolean): string {
  const { name, type, value } = property;
  switch (type) {
    case "String":
      return `,"${name}":${isPlain ? `"${value}"` : quoted(value)}`;
    case "Int32":
    case "Boolean":
      return `,"${name}":${value}`;
    case "Double":
      if (Number.isFinite(value)) return `,"${name}":${printDouble(value)}`;
      return `${types ? `,"${name}@odata.type":"Edm.Double"` : ""},"${name}":"${value}"`;
    case "Int64":
    case "Guid":
      return `${types ? `,"${name}@odata.type":"Edm.${type}"` : ""},"${name}":"${value}"`;
    case "DateTime":
      return `${types ? `,"${name}@odata.type":"Edm.DateTime"` : ""},"${name}":"${printTicks(value)}"`;
    case "Binary":
      return `${types ? `,"${name}@odata.type":"Edm.Binary"` : ""},"${name}":"${value.toString("base64")}"`;
  }
}

/** A whole Double keeps its point: without it the number would come back as an Int32. */
function printDouble(value: number): string {
  const text = String(value);
  return Number.isInteger(value) && !text.includes("e") ? `${text}.0` : text;
}
