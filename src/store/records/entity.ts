import { readUint64, writeUint64 } from "../../base/bytes.ts";
import type { EdmValue, EntityContents, Property } from "../../base/edm.ts";
import { DamagedData } from "../../base/faults.ts";
import { KIB } from "../../base/limits.ts";
import type { Revision } from "../../base/revision.ts";
import { ScratchBuffer } from "./record.ts";

/**
 * An entity: its revision and its typed properties, in the order they were given. Written and read on the
 * hottest path of the Table service, and looked into by filters without being unpacked, so it has a layout of
 * its own:
 *
 *   01 or 02      format version; 02 says that all names and texts in it are plain (see EntityContents)
 *   8 bytes       revision, big-endian: ETag and Timestamp
 *   2 bytes       number of properties, then for each:
 *     1 byte        type (below)
 *     2 bytes       length of the name, and the name in UTF-8
 *     value         String, Binary: 4 bytes of length and the bytes; Int32: 4 bytes; Int64, Double,
 *                   DateTime: 8 bytes; Guid: 16 bytes; none for false and true, which are types
 *
 * PartitionKey and RowKey stand in the key.
 */
const VERSION = 1;
const VERSION_PLAIN = 2;
const HEAD_BYTES = 11;

const STRING = 1;
const INT32 = 2;
const INT64 = 3;
const DOUBLE = 4;
const FALSE = 5;
const TRUE = 6;
const DATE_TIME = 7;
const GUID = 8;
const BINARY = 9;

/** Overwritten by each `packEntity`: the store copies values at once. */
const scratch = new ScratchBuffer(64 * KIB);

export interface UnpackedEntity extends EntityContents {
  readonly revision: Revision;
  readonly isPlain: boolean;
}

/** The bytes are valid until the next call. */
export function packEntity(revision: Revision, { properties, isPlain = false }: EntityContents): Buffer {
  const bytesMax = packedBytesMax(properties);
  const out = scratch.atLeast(bytesMax);
  out[0] = isPlain ? VERSION_PLAIN : VERSION;
  writeUint64(out, revision, 1);
  out.writeUInt16BE(properties.length, 9);
  let at = HEAD_BYTES;
  for (const property of properties) {
    const nameBytes = writeText(out, property.name, at + 3, isPlain);
    out.writeUInt16BE(nameBytes, at + 1);
    out[at] = tagOf(property);
    at = packValue(out, property, at + 3 + nameBytes, isPlain);
  }
  return out.subarray(0, at);
}

function packedBytesMax(properties: readonly Property[]): number {
  let bytes = HEAD_BYTES;
  for (const { name, type, value } of properties) {
    bytes += 23 + 3 * name.length;
    if (type === "String") bytes += 3 * value.length;
    else if (type === "Binary") bytes += value.length;
  }
  return bytes;
}

function tagOf(value: EdmValue): number {
  switch (value.type) {
    case "String":
      return STRING;
    case "Int32":
      return INT32;
    case "Int64":
      return INT64;
    case "Double":
      return DOUBLE;
    case "Boolean":
      return value.value ? TRUE : FALSE;
    case "DateTime":
      return DATE_TIME;
    case "Guid":
      return GUID;
    case "Binary":
      return BINARY;
  }
}

/** Writing a short plain text byte by byte is faster than a call into the Buffer. */
function writeText(out: Buffer, text: string, at: number, isPlain: boolean): number {
  if (!isPlain || text.length > SHORT_CHARS_MAX) return out.utf8Write(text, at);
  for (let i = 0; i < text.length; i++) out[at + i] = text.charCodeAt(i);
  return text.length;
}

const SHORT_CHARS_MAX = 32;

function packValue(out: Buffer, { type, value }: EdmValue, at: number, isPlain: boolean): number {
  switch (type) {
    case "String": {
      const bytes = writeText(out, value, at + 4, isPlain);
      out.writeUInt32BE(bytes, at);
      return at + 4 + bytes;
    }
    case "Int32":
      return out.writeInt32BE(value, at);
    case "Int64":
    case "DateTime":
      writeUint64(out, BigInt.asUintN(64, value), at);
      return at + 8;
    case "Double":
      return out.writeDoubleBE(value, at);
    case "Boolean":
      return at;
    case "Guid":
      return at + out.write(value.replaceAll("-", ""), at, "hex");
    case "Binary":
      out.writeUInt32BE(value.length, at);
      out.set(value, at + 4);
      return at + 4 + value.length;
  }
}

function checkVersion(bytes: Buffer): void {
  const version = bytes[0];
  if (version !== VERSION && version !== VERSION_PLAIN) {
    throw new DamagedData(
      `record of family entity has version ${version}, this build knows ${VERSION} and ${VERSION_PLAIN}`,
    );
  }
}

export function revisionOfEntity(bytes: Buffer): Revision {
  checkVersion(bytes);
  return readUint64(bytes, 1);
}

export function unpackEntity(bytes: Buffer): UnpackedEntity {
  checkVersion(bytes);
  const isPlain = bytes[0] === VERSION_PLAIN;
  // Plain names and texts are substrings of one string: decoding each one would cost more.
  const plain = isPlain ? bytes.latin1Slice() : undefined;
  const count = bytes.readUInt16BE(9);
  const properties: Property[] = new Array(count);
  let at = HEAD_BYTES;
  for (let i = 0; i < count; i++) {
    const nameEnd = at + 3 + bytes.readUInt16BE(at + 1);
    const name = textAt(bytes, plain, at + 3, nameEnd);
    properties[i] = propertyAt(bytes, plain, name, bytes[at]!, nameEnd);
    at = nameEnd + valueBytes(bytes, bytes[at]!, nameEnd);
  }
  return { revision: readUint64(bytes, 1), properties, isPlain };
}

function valueBytes(bytes: Buffer, tag: number, at: number): number {
  switch (tag) {
    case STRING:
    case BINARY:
      return 4 + bytes.readUInt32BE(at);
    case INT32:
      return 4;
    case INT64:
    case DOUBLE:
    case DATE_TIME:
      return 8;
    case GUID:
      return 16;
    case FALSE:
    case TRUE:
      return 0;
    default:
      throw new DamagedData(`record of family entity has a property of type ${tag}`);
  }
}

/** `plain` is the whole record as a string, if its texts are plain. */
function textAt(bytes: Buffer, plain: string | undefined, from: number, to: number): string {
  return plain === undefined ? bytes.utf8Slice(from, to) : plain.slice(from, to);
}

function propertyAt(
  bytes: Buffer,
  plain: string | undefined,
  name: string,
  tag: number,
  at: number,
): Property {
  switch (tag) {
    case STRING: {
      const end = at + 4 + bytes.readUInt32BE(at);
      return { name, type: "String", value: textAt(bytes, plain, at + 4, end) };
    }
    case INT32:
      return { name, type: "Int32", value: bytes.readInt32BE(at) };
    case INT64:
      return { name, type: "Int64", value: bytes.readBigInt64BE(at) };
    case DOUBLE:
      return { name, type: "Double", value: bytes.readDoubleBE(at) };
    case FALSE:
      return { name, type: "Boolean", value: false };
    case TRUE:
      return { name, type: "Boolean", value: true };
    case DATE_TIME:
      return { name, type: "DateTime", value: bytes.readBigInt64BE(at) };
    case GUID:
      return { name, type: "Guid", value: guidText(bytes.hexSlice(at, at + 16)) };
    case BINARY:
      return { name, type: "Binary", value: bytes.subarray(at + 4, at + 4 + bytes.readUInt32BE(at)) };
    default:
      throw new DamagedData(`record of family entity has a property of type ${tag}`);
  }
}

function guidText(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Finds one property without unpacking the others. `nameBytes` is the name in UTF-8. */
export function findProperty(bytes: Buffer, nameBytes: Buffer): Property | undefined {
  checkVersion(bytes);
  const count = bytes.readUInt16BE(9);
  let at = HEAD_BYTES;
  for (let i = 0; i < count; i++) {
    const tag = bytes[at]!;
    const length = (bytes[at + 1]! << 8) | bytes[at + 2]!;
    const nameEnd = at + 3 + length;
    if (length === nameBytes.length && isSame(bytes, at + 3, nameBytes)) {
      return propertyAt(bytes, undefined, "", tag, nameEnd);
    }
    at = nameEnd + valueBytes(bytes, tag, nameEnd);
  }
  return undefined;
}

function isSame(bytes: Buffer, at: number, expected: Buffer): boolean {
  for (let i = 0; i < expected.length; i++) if (bytes[at + i] !== expected[i]) return false;
  return true;
}
