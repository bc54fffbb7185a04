import type { EntityContents, EntityKeys, Property } from "../../../base/edm.ts";
import type { Revision } from "../../../base/revision.ts";
import { bodyOf, PrintedPage } from "../printed-page.ts";
import { printEntityAddress } from "./address.ts";
import type { MetadataLevel } from "./formats.ts";
import { printEntityEtag, printTicks } from "./times.ts";

/** What all entities of a reply have in common. */
export interface PrintContext {
  readonly level: MetadataLevel;
  /** `http://host/account`, without a slash at the end. */
  readonly base: string;
  readonly account: string;
  readonly table: string;
  /** The selected properties, or all. */
  readonly select: ReadonlySet<string> | undefined;
}

export interface PrintedEntity extends EntityKeys, EntityContents {
  readonly revision: Revision;
}

/** The reply of Get Entity and Insert Entity. `timestamp` is the printed revision. */
export function printEntity(context: PrintContext, entity: PrintedEntity, timestamp: string): string {
  if (context.level === "none") return `{${members(context, entity, timestamp)}}`;
  const about = metadata(context, entity, timestamp);
  return `{"odata.metadata":${quoted(contextUrl(context, "/@Element"))},${about}${members(context, entity, timestamp)}}`;
}

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

/** At least one: a selected property that is missing prints as null. */
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

/** A selected property that is missing prints as null, as in the service: projections rely on it. */
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

/** Characters that need an escape in JSON, and all beyond ASCII, which JSON.stringify handles. */
const SPECIAL = /["\\\x00-\x1f\x7f-\uffff]/;

/** A text as JSON. Most need no escapes, and this test costs less than half of JSON.stringify. */
function quoted(text: string): string {
  return SPECIAL.test(text) ? JSON.stringify(text) : `"${text}"`;
}

/** With a comma in front. Names are identifiers and need no escapes. */
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

/** A whole Double keeps its point: without it a client would read an Int32. */
function printDouble(value: number): string {
  const text = String(value);
  return Number.isInteger(value) && !text.includes("e") ? `${text}.0` : text;
}
