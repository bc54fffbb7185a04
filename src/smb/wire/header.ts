import { HEADER_BYTES } from "./layout.ts";
import { protocolError, refuse, STATUS } from "./status.ts";

/** The 64 bytes before every SMB2 body. */
export const COMMAND = {
  NEGOTIATE: 0,
  SESSION_SETUP: 1,
  LOGOFF: 2,
  TREE_CONNECT: 3,
  TREE_DISCONNECT: 4,
  CREATE: 5,
  CLOSE: 6,
  FLUSH: 7,
  READ: 8,
  WRITE: 9,
  LOCK: 10,
  IOCTL: 11,
  CANCEL: 12,
  ECHO: 13,
  QUERY_DIRECTORY: 14,
  CHANGE_NOTIFY: 15,
  QUERY_INFO: 16,
  SET_INFO: 17,
  OPLOCK_BREAK: 18,
} as const;

export const FLAG = {
  RESPONSE: 0x1,
  ASYNC: 0x2,
  RELATED: 0x4,
  SIGNED: 0x8,
  PRIORITY: 0x70,
  DFS: 0x1000_0000,
  REPLAY: 0x2000_0000,
} as const;

export const PROTOCOL = {
  SMB2: 0x424d_53fe,
  SMB1: 0x424d_53ff,
  TRANSFORM: 0x424d_53fd,
  COMPRESSION: 0x424d_53fc,
} as const;

export const SIGNATURE_AT = 48;
export const SIGNATURE_BYTES = 16;
/** The id of messages that the server sends unasked: breaks of oplocks and leases. */
export const NO_MESSAGE_ID = 0xffff_ffff_ffff_ffffn;

export interface Header {
  readonly creditCharge: number;
  /** In replies. In requests of dialects 3.x the low half is the ChannelSequence. */
  readonly status: number;
  readonly command: number;
  readonly credits: number;
  readonly flags: number;
  readonly nextCommand: number;
  readonly messageId: bigint;
  /** Only when the ASYNC flag is set; `processId` and `treeId` are zero then. */
  readonly asyncId: bigint;
  readonly processId: number;
  readonly treeId: number;
  readonly sessionId: bigint;
}

export function protocolOf(payload: Buffer): number {
  return payload.length < 4 ? 0 : payload.readUInt32LE(0);
}

/** An invalid header has no response: the connection ends. */
export function decodeHeader(pdu: Buffer): Header {
  if (pdu.length < HEADER_BYTES) throw protocolError("short header");
  if (pdu.readUInt32LE(0) !== PROTOCOL.SMB2) throw protocolError("not an SMB2 header");
  if (pdu.readUInt16LE(4) !== HEADER_BYTES) throw protocolError("StructureSize of the header");
  const flags = pdu.readUInt32LE(16);
  const isAsync = (flags & FLAG.ASYNC) !== 0;
  return {
    creditCharge: pdu.readUInt16LE(6),
    status: pdu.readUInt32LE(8),
    command: pdu.readUInt16LE(12),
    credits: pdu.readUInt16LE(14),
    flags,
    nextCommand: pdu.readUInt32LE(20),
    messageId: pdu.readBigUInt64LE(24),
    asyncId: isAsync ? pdu.readBigUInt64LE(32) : 0n,
    processId: isAsync ? 0 : pdu.readUInt32LE(32),
    treeId: isAsync ? 0 : pdu.readUInt32LE(36),
    sessionId: pdu.readBigUInt64LE(40),
  };
}

/** Writes a header over the first 64 bytes of `to`, with a zero signature. */
export function writeHeader(to: Buffer, header: Header): void {
  to.writeUInt32LE(PROTOCOL.SMB2, 0);
  to.writeUInt16LE(HEADER_BYTES, 4);
  to.writeUInt16LE(header.creditCharge, 6);
  to.writeUInt32LE(header.status, 8);
  to.writeUInt16LE(header.command, 12);
  to.writeUInt16LE(header.credits, 14);
  to.writeUInt32LE(header.flags >>> 0, 16);
  to.writeUInt32LE(header.nextCommand, 20);
  to.writeBigUInt64LE(header.messageId, 24);
  if ((header.flags & FLAG.ASYNC) !== 0) {
    to.writeBigUInt64LE(header.asyncId, 32);
  } else {
    to.writeUInt32LE(header.processId, 32);
    to.writeUInt32LE(header.treeId, 36);
  }
  to.writeBigUInt64LE(header.sessionId, 40);
  to.fill(0, SIGNATURE_AT, SIGNATURE_AT + SIGNATURE_BYTES);
}

export function encodeHeader(header: Header): Buffer {
  const to = Buffer.allocUnsafe(HEADER_BYTES);
  writeHeader(to, header);
  return to;
}

/** The PDUs of a compound, each up to the next one, padding included. */
export function splitCompound(payload: Buffer, pdusMax: number): Buffer[] {
  const pdus: Buffer[] = [];
  let rest = payload;
  for (;;) {
    if (rest.length < HEADER_BYTES) throw protocolError("short PDU");
    const next = rest.readUInt32LE(20);
    if (pdus.length === pdusMax) throw protocolError("too many PDUs in a compound");
    if (next === 0) {
      pdus.push(rest);
      return pdus;
    }
    if (next % 8 !== 0 || next < HEADER_BYTES || next >= rest.length) throw protocolError("NextCommand");
    pdus.push(rest.subarray(0, next));
    rest = rest.subarray(next);
  }
}

/** The ERROR response, for every failure without a body of its own. */
export function encodeError(data: Buffer = NO_DATA): Buffer {
  const to = Buffer.alloc(8 + Math.max(1, data.length));
  to.writeUInt16LE(9, 0);
  to.writeUInt32LE(data.length, 4);
  to.set(data, 8);
  return to;
}

export function decodeError(pdu: Buffer): Buffer {
  const body = pdu.subarray(HEADER_BYTES);
  if (body.length < 8 || body.readUInt16LE(0) !== 9) throw refuse(STATUS.INVALID_PARAMETER);
  const count = body.readUInt32LE(4);
  if (count > body.length - 8) throw refuse(STATUS.INVALID_PARAMETER);
  return body.subarray(8, 8 + count);
}

const NO_DATA = Buffer.alloc(0);
