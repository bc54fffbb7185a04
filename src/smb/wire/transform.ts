import { PROTOCOL } from "./header.ts";
import { protocolError } from "./status.ts";

/** The header of an encrypted message. */
export const TRANSFORM_BYTES = 52;
export const TRANSFORM_AAD_AT = 20;
const ENCRYPTED = 1;

export interface TransformHeader {
  readonly signature: Buffer;
  readonly nonce: Buffer;
  readonly originalMessageSize: number;
  readonly flags: number;
  readonly sessionId: bigint;
}

export function decodeTransform(payload: Buffer): TransformHeader {
  if (payload.length < TRANSFORM_BYTES || payload.readUInt32LE(0) !== PROTOCOL.TRANSFORM)
    throw protocolError("not a transform header");
  const header = {
    signature: payload.subarray(4, 20),
    nonce: payload.subarray(20, 36),
    originalMessageSize: payload.readUInt32LE(36),
    flags: payload.readUInt16LE(42),
    sessionId: payload.readBigUInt64LE(44),
  };
  // In dialect 3.0 the field names the cipher, and 1 is the only one.
  if (header.flags !== ENCRYPTED) throw protocolError("Flags of a transform header");
  if (header.originalMessageSize !== payload.length - TRANSFORM_BYTES)
    throw protocolError("OriginalMessageSize of a transform header");
  return header;
}

export function encodeTransform(header: Omit<TransformHeader, "flags">): Buffer {
  const to = Buffer.alloc(TRANSFORM_BYTES);
  to.writeUInt32LE(PROTOCOL.TRANSFORM, 0);
  to.set(header.signature, 4);
  to.set(header.nonce, 20);
  to.writeUInt32LE(header.originalMessageSize, 36);
  to.writeUInt16LE(ENCRYPTED, 42);
  to.writeBigUInt64LE(header.sessionId, 44);
  return to;
}
