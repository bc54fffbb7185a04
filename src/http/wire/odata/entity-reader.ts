import type { EdmType, EdmValue, EntityContents, Property } from "../../../base/edm.ts";
import { Refusal } from "../../../base/refusals.ts";
import { TABLE_LIMITS } from "../../../services/table/limits.ts";
import { parseGuid } from "../guid.ts";
import { type JsonMember, type JsonValue, malformedJson, readFlatObject } from "./json-reader.ts";
import { isStorable, parseTicks } from "./times.ts";

/** An entity as a client sends it, without nulls and without the Timestamp, which the server sets. */
export interface SentEntity extends EntityContents {
  readonly partitionKey: string | undefined;
  readonly rowKey: string | undefined;
}

const TYPE_SUFFIX = "@odata.type";
const NO_TYPES: ReadonlyMap<string, EdmType> = new Map();

export function readEntity(body: Buffer): SentEntity {
  const { members, isPlain } = readFlatObject(body);
  const types = readTypes(members);
  const properties: Property[] = [];
  let partitionKey: string | undefined;
  let rowKey: string | undefined;
  for (const { name, value } of members) {
    if (isAnnotation(name)) continue;
    if (name === "Timestamp" || value.kind === "null") continue;
    if (name === "PartitionKey") partitionKey = keyOf(value);
    else if (name === "RowKey") rowKey = keyOf(value);
    else {
      // Written out: spreading the two members costs more than all the rest of a property.
      const read = readValue(value, types.get(name));
      properties.push({ name, type: read.type, value: read.value } as Property);
    }
  }
  return { partitionKey, rowKey, properties, isPlain };
}

/** `odata.etag`, `Name@odata.type` and so on: metadata of the entity. */
function isAnnotation(name: string): boolean {
  const found = name.indexOf("odata.");
  return found === 0 || (found > 0 && name.includes("@odata."));
}

function readTypes(members: readonly JsonMember[]): ReadonlyMap<string, EdmType> {
  let types: Map<string, EdmType> | undefined;
  for (const { name, value } of members) {
    if (!name.endsWith(TYPE_SUFFIX)) continue;
    types ??= new Map();
    types.set(name.slice(0, -TYPE_SUFFIX.length), typeOf(value));
  }
  return types ?? NO_TYPES;
}

const TYPES: ReadonlyMap<string, EdmType> = new Map([
  ["Edm.String", "String"],
  ["Edm.Int32", "Int32"],
  ["Edm.Int64", "Int64"],
  ["Edm.Double", "Double"],
  ["Edm.Boolean", "Boolean"],
  ["Edm.DateTime", "DateTime"],
  ["Edm.Guid", "Guid"],
  ["Edm.Binary", "Binary"],
]);

function typeOf(value: JsonValue): EdmType {
  const type = value.kind === "string" ? TYPES.get(value.text) : undefined;
  if (type === undefined) throw new Refusal("InvalidValueType");
  return type;
}

function keyOf(value: JsonValue): string {
  if (value.kind !== "string") throw malformedJson();
  return value.text;
}

/** Without an annotation the JSON decides the type: a number with a point or an exponent is a Double. */
function readValue(value: JsonValue, type: EdmType | undefined): EdmValue {
  if (type !== undefined) return readTyped(value, type);
  switch (value.kind) {
    case "string":
      return { type: "String", value: value.text };
    case "boolean":
      return { type: "Boolean", value: value.value };
    case "number":
      return readNumber(value.text);
    case "null":
      throw malformedJson();
  }
}

const WHOLE = /^-?\d{1,20}$/;
const INT32_MIN = -(2 ** 31);
const INT32_MAX = 2 ** 31 - 1;
const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;

function readNumber(text: string): EdmValue {
  const value = Number(text);
  if (value >= INT32_MIN && value <= INT32_MAX && WHOLE.test(text)) {
    // -0 is a whole number too, and 0 as an Int32.
    return { type: "Int32", value: value === 0 ? 0 : value };
  }
  return readDouble(text);
}

function readTyped(value: JsonValue, type: EdmType): EdmValue {
  const text = textOf(value);
  switch (type) {
    case "String":
      if (value.kind !== "string") throw malformedJson();
      return { type, value: text };
    case "Int32": {
      const number = WHOLE.test(text) ? Number(text) : Number.NaN;
      if (!(number >= INT32_MIN && number <= INT32_MAX)) throw malformedJson();
      return { type, value: number === 0 ? 0 : number };
    }
    case "Int64": {
      if (!WHOLE.test(text)) throw malformedJson();
      const number = BigInt(text);
      if (number < INT64_MIN || number > INT64_MAX) throw malformedJson();
      return { type, value: number };
    }
    case "Double":
      if (value.kind === "boolean") throw malformedJson();
      return readDouble(text);
    case "Boolean": {
      const word = text.toLowerCase();
      if (word !== "true" && word !== "false") throw malformedJson();
      return { type, value: word === "true" };
    }
    case "DateTime": {
      const ticks = value.kind === "string" ? parseTicks(text) : undefined;
      if (ticks === undefined) throw malformedJson();
      // .NET programs send such a time for "not set": valid, but outside the range of the service.
      if (!isStorable(ticks)) throw new Refusal("OutOfRangeInput");
      return { type, value: ticks };
    }
    case "Guid": {
      const guid = parseGuid(text);
      if (guid === undefined) throw malformedJson();
      return { type, value: guid };
    }
    case "Binary":
      if (value.kind !== "string") throw malformedJson();
      return { type, value: readBase64(text) };
  }
}

function textOf(value: JsonValue): string {
  if (value.kind === "boolean") return String(value.value);
  return value.kind === "null" ? "" : value.text;
}

const DOUBLE = /^-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const DOUBLE_CHARS_MAX = 400;

function readDouble(text: string): EdmValue {
  const type = "Double";
  if (text === "NaN") return { type, value: Number.NaN };
  if (text === "Infinity" || text === "INF") return { type, value: Number.POSITIVE_INFINITY };
  if (text === "-Infinity" || text === "-INF") return { type, value: Number.NEGATIVE_INFINITY };
  const value = text.length <= DOUBLE_CHARS_MAX && DOUBLE.test(text) ? Number(text) : Number.NaN;
  // A number too large for a Double is refused: the client did not send Infinity.
  if (!Number.isFinite(value)) throw malformedJson();
  return { type, value: value === 0 ? 0 : value };
}

function readBase64(text: string): Buffer {
  // A far too long text is refused before it is decoded.
  if (text.length > 2 * TABLE_LIMITS.binaryBytesMax) throw new Refusal("PropertyValueTooLarge");
  const bytes = Buffer.from(text, "base64");
  // Node.js skips characters that are not Base64: a value with such encodes to another text.
  if (bytes.toString("base64") !== text) throw malformedJson();
  return bytes;
}
