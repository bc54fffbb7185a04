import type { EntityKeys, Property } from "../../base/edm.ts";
import { Refusal } from "../../base/refusals.ts";
import { TABLE_LIMITS } from "./limits.ts";

/** What a table, a key, a property and a whole entity may be. Each check throws the protocol's refusal. */

const TABLE_NAME = /^[A-Za-z][A-Za-z0-9]*$/;

export function checkTableName(name: string): void {
  const { nameCharsMin, nameCharsMax } = TABLE_LIMITS;
  if (name.length < nameCharsMin || name.length > nameCharsMax)
    throw new Refusal("OutOfRangeInput", {
      text: "The specified resource name length is not within the permissible limits.",
    });
  // The name is also the key of an entity in Tables.
  if (FORBIDDEN_IN_KEYS.test(name)) throw new Refusal("OutOfRangeInput");
  // The protocol's own spelling: clients compare it.
  if (!TABLE_NAME.test(name) || name.toLowerCase() === "tables")
    throw new Refusal("InvalidResourceName", {
      text: "The specifed resource name contains invalid characters.",
    });
}

const FORBIDDEN_IN_KEYS = /[/\\#?\0-\x1f\x7f-\x9f]/;
const ASCII = /^[\x20-\x7e]*$/;

export function checkKeys({ partitionKey, rowKey }: EntityKeys): void {
  checkKey("PartitionKey", partitionKey);
  checkKey("RowKey", rowKey);
}

function checkKey(name: string, value: string): void {
  if (value.length > TABLE_LIMITS.keyCharsMax) throw new Refusal("KeyValueTooLarge");
  if (FORBIDDEN_IN_KEYS.test(value) || !(ASCII.test(value) || value.isWellFormed())) {
    const quoted = value.toWellFormed().slice(0, TABLE_LIMITS.errorQuoteCharsMax);
    throw new Refusal("OutOfRangeInput", {
      text: `The '${name}' parameter of value '${quoted}' is out of range.`,
    });
  }
}

const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** An identifier as C# has it. */
const NAME = /^[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}\p{Cf}]*$/u;

export function checkProperties(properties: readonly Property[]): void {
  if (properties.length > TABLE_LIMITS.propertiesMax) throw new Refusal("TooManyProperties");
  for (const property of properties) checkProperty(property);
}

function checkProperty({ name, type, value }: Property): void {
  if (name.length > TABLE_LIMITS.propertyNameCharsMax) throw new Refusal("PropertyNameTooLong");
  if (!PLAIN_NAME.test(name) && !NAME.test(name)) throw new Refusal("PropertyNameInvalid");
  const isTooLarge =
    (type === "String" && value.length > TABLE_LIMITS.stringCharsMax) ||
    (type === "Binary" && value.length > TABLE_LIMITS.binaryBytesMax);
  if (isTooLarge) throw new Refusal("PropertyValueTooLarge");
}

/** The size of an entity as the protocol counts it: texts in UTF-16, a few bytes for each property. */
function entityBytes({ partitionKey, rowKey }: EntityKeys, properties: readonly Property[]): number {
  let bytes = 4 + 2 * (partitionKey.length + rowKey.length);
  for (const property of properties) bytes += 8 + 2 * property.name.length + valueBytes(property);
  return bytes;
}

function valueBytes({ type, value }: Property): number {
  switch (type) {
    case "String":
      return 4 + 2 * value.length;
    case "Binary":
      return 4 + value.length;
    case "Guid":
      return 16;
    case "Boolean":
      return 1;
    case "Int32":
      return 4;
    default:
      return 8;
  }
}

/** The whole entity, as it would be stored: after a merge it may be larger than what either side sent. */
export function checkEntity(keys: EntityKeys, properties: readonly Property[]): void {
  if (properties.length > TABLE_LIMITS.propertiesMax) throw new Refusal("TooManyProperties");
  if (entityBytes(keys, properties) > TABLE_LIMITS.entityBytesMax) throw new Refusal("EntityTooLarge");
}
