import { PROTOCOL } from "./header.ts";
import { protocolError } from "./status.ts";

/**
 * The only SMB1 message that the server answers: the multi-protocol NEGOTIATE of older clients. Its header
 * has 32 bytes; WordCount 0, a ByteCount, and dialects as 0x02, ASCII, 0x00 follow.
 */
const SMB1_HEADER_BYTES = 32;
const SMB1_NEGOTIATE = 0x72;
const DIALECT_MARK = 2;
const DIALECTS_MAX = 64;

export function decodeSmb1Negotiate(payload: Buffer): string[] {
  if (payload.length < SMB1_HEADER_BYTES + 3 || payload.readUInt32LE(0) !== PROTOCOL.SMB1)
    throw protocolError("not an SMB1 header");
  if (payload[4] !== SMB1_NEGOTIATE || payload[SMB1_HEADER_BYTES] !== 0)
    throw protocolError("SMB1 is not offered");
  const count = payload.readUInt16LE(SMB1_HEADER_BYTES + 1);
  const start = SMB1_HEADER_BYTES + 3;
  if (start + count > payload.length) throw protocolError("ByteCount of an SMB1 NEGOTIATE");
  const bytes = payload.subarray(start, start + count);
  const dialects: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(0, at + 1);
    if (bytes[at] !== DIALECT_MARK || end < 0 || dialects.length === DIALECTS_MAX)
      throw protocolError("dialects of an SMB1 NEGOTIATE");
    dialects.push(bytes.latin1Slice(at + 1, end));
    at = end + 1;
  }
  return dialects;
}

export function encodeSmb1Negotiate(dialects: readonly string[]): Buffer {
  const list = Buffer.concat(
    dialects.map((name) => Buffer.from(`${String.fromCharCode(DIALECT_MARK)}${name}\0`, "latin1")),
  );
  const head = Buffer.alloc(SMB1_HEADER_BYTES + 3);
  head.writeUInt32LE(PROTOCOL.SMB1, 0);
  head[4] = SMB1_NEGOTIATE;
  head.writeUInt16LE(list.length, SMB1_HEADER_BYTES + 1);
  return Buffer.concat([head, list]);
}
