import "../../base/bytes.ts";

/**
 * The part of the PostgreSQL protocol that this engine uses on an open connection: prepared statements with
 * binary values, any number of them before one Sync. All numbers are big-endian.
 *
 * The `pg` package makes the connection (names, TLS, passwords). It cannot return binary columns unchanged,
 * and its statements cannot share a Sync: see decision 0054.
 */
export interface Statement {
  /** The name of the prepared statement. */
  readonly name: string;
  readonly values: readonly (Buffer | null)[];
}

export interface Prepared {
  readonly name: string;
  readonly text: string;
}

export function packParse({ name, text }: Prepared): Buffer {
  const [nameBytes, textBytes] = [Buffer.byteLength(name), Buffer.byteLength(text)];
  const message = Buffer.allocUnsafe(1 + 4 + nameBytes + 1 + textBytes + 1 + 2);
  let at = startMessage(message, "P");
  at += message.utf8Write(name, at);
  message[at++] = 0;
  at += message.utf8Write(text, at);
  message[at++] = 0;
  message.writeUInt16BE(0, at);
  return message;
}

/** Bind to the unnamed portal, all values and results binary, and Execute it to the end. */
export function packStatement({ name, values }: Statement): Buffer {
  const nameBytes = Buffer.byteLength(name);
  const valueBytes = values.reduce((total, value) => total + 4 + (value?.length ?? 0), 0);
  const bindBytes = 1 + 4 + 1 + nameBytes + 1 + 4 + 2 + valueBytes + 4;
  const message = Buffer.allocUnsafe(bindBytes + EXECUTE.length);
  let at = startMessage(message, "B", bindBytes);
  message[at++] = 0;
  at += message.utf8Write(name, at);
  message[at++] = 0;
  at = message.writeUInt16BE(1, at);
  at = message.writeUInt16BE(1, at);
  at = message.writeUInt16BE(values.length, at);
  for (const value of values) {
    at = message.writeInt32BE(value === null ? -1 : value.length, at);
    if (value !== null) at += value.copy(message, at);
  }
  at = message.writeUInt16BE(1, at);
  at = message.writeUInt16BE(1, at);
  EXECUTE.copy(message, at);
  return message;
}

function startMessage(message: Buffer, type: string, bytes = message.length): number {
  message[0] = type.charCodeAt(0);
  return message.writeUInt32BE(bytes - 1, 1);
}

const EXECUTE = Buffer.from([0x45, 0, 0, 0, 9, 0, 0, 0, 0, 0]);
export const SYNC = Buffer.from([0x53, 0, 0, 0, 4]);

export interface Message {
  /** The type byte of the protocol, as a character. */
  readonly type: string;
  readonly body: Buffer;
}

/** Splits the received bytes into messages; joins a large one once, when it is complete. */
export class MessageReader {
  #pending: Buffer[] = [];
  #pendingBytes = 0;

  *read(chunk: Buffer): Generator<Message> {
    this.#pending.push(chunk);
    this.#pendingBytes += chunk.length;
    for (;;) {
      if (this.#pendingBytes < 5) return;
      if (this.#pending[0]!.length < 5) this.#join();
      const head = this.#pending[0]!;
      const bytes = 1 + head.readUInt32BE(1);
      if (this.#pendingBytes < bytes) return;
      if (head.length < bytes) this.#join();
      const whole = this.#pending[0]!;
      yield { type: String.fromCharCode(whole[0]!), body: whole.subarray(5, bytes) };
      this.#pendingBytes -= bytes;
      if (whole.length === bytes) this.#pending.shift();
      else this.#pending[0] = whole.subarray(bytes);
    }
  }

  #join(): void {
    this.#pending = [Buffer.concat(this.#pending)];
  }
}

export type Row = readonly (Buffer | null)[];

/** The values are views: the caller owns them, but each keeps the whole received buffer in memory. */
export function unpackRow(body: Buffer): Row {
  const count = body.readUInt16BE(0);
  const row: (Buffer | null)[] = new Array(count);
  let at = 2;
  for (let i = 0; i < count; i++) {
    const bytes = body.readInt32BE(at);
    at += 4;
    if (bytes < 0) row[i] = null;
    else {
      row[i] = body.subarray(at, at + bytes);
      at += bytes;
    }
  }
  return row;
}

/** An error of the database: severity, SQLSTATE code, text. */
export class DatabaseError extends Error {
  override readonly name = "DatabaseError";
  readonly code: string;
  readonly severity: string;

  constructor(fields: ReadonlyMap<string, string>) {
    super(fields.get("M") ?? "the database refused");
    this.code = fields.get("C") ?? "XX000";
    this.severity = fields.get("V") ?? fields.get("S") ?? "ERROR";
  }
}

export function unpackFields(body: Buffer): Map<string, string> {
  const fields = new Map<string, string>();
  let at = 0;
  while (at < body.length && body[at] !== 0) {
    const end = body.indexOf(0, at + 1);
    if (end < 0) break;
    fields.set(String.fromCharCode(body[at]!), body.utf8Slice(at + 1, end));
    at = end + 1;
  }
  return fields;
}

export interface Notification {
  readonly channel: string;
  readonly text: string;
}

export function unpackNotification(body: Buffer): Notification {
  const channelEnd = body.indexOf(0, 4);
  const textEnd = body.indexOf(0, channelEnd + 1);
  return { channel: body.utf8Slice(4, channelEnd), text: body.utf8Slice(channelEnd + 1, textEnd) };
}

/** The command tag, without its final zero: "COMMIT", "INSERT 0 12". */
export function unpackTag(body: Buffer): string {
  return body.utf8Slice(0, body.length - 1);
}

/* Values in their binary forms. */

export function int8(value: number | bigint): Buffer {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeBigInt64BE(BigInt(value));
  return bytes;
}

export const text = (value: string): Buffer => Buffer.from(value, "utf8");

const BYTEA_OID = 17;
const INT8_OID = 20;

function arrayHeader(target: Buffer, oid: number, count: number): number {
  let at = target.writeInt32BE(count === 0 ? 0 : 1, 0);
  at = target.writeInt32BE(0, at);
  at = target.writeInt32BE(oid, at);
  if (count === 0) return at;
  at = target.writeInt32BE(count, at);
  return target.writeInt32BE(1, at);
}

const headerBytes = (count: number): number => (count === 0 ? 12 : 20);

/** bytea[] of binary strings. */
export function keyArray(keys: readonly string[]): Buffer {
  const bytes = keys.reduce((total, key) => total + 4 + key.length, headerBytes(keys.length));
  const array = Buffer.allocUnsafe(bytes);
  let at = arrayHeader(array, BYTEA_OID, keys.length);
  for (const key of keys) {
    at = array.writeInt32BE(key.length, at);
    at += array.latin1Write(key, at);
  }
  return array;
}

/** bytea[]; each element is the concatenation of its parts. */
export function bytesArray(elements: readonly (readonly Uint8Array[])[]): Buffer {
  const lengths = elements.map((parts) => parts.reduce((total, part) => total + part.length, 0));
  const bytes = lengths.reduce((total, length) => total + 4 + length, headerBytes(elements.length));
  const array = Buffer.allocUnsafe(bytes);
  let at = arrayHeader(array, BYTEA_OID, elements.length);
  for (const [i, parts] of elements.entries()) {
    at = array.writeInt32BE(lengths[i]!, at);
    for (const part of parts) {
      array.set(part, at);
      at += part.length;
    }
  }
  return array;
}

export function int8Array(values: readonly (number | bigint)[]): Buffer {
  const array = Buffer.allocUnsafe(headerBytes(values.length) + values.length * 12);
  let at = arrayHeader(array, INT8_OID, values.length);
  for (const value of values) {
    at = array.writeInt32BE(8, at);
    at = array.writeBigInt64BE(BigInt(value), at);
  }
  return array;
}
