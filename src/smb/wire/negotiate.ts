import {
  align8,
  checkSize,
  type Decoded,
  decodeU16List,
  encodeU16List,
  HEADER_BYTES,
  message,
  raw,
  u16,
  u32,
  u64,
} from "./layout.ts";
import { refuse, STATUS } from "./status.ts";

export const DIALECT = {
  SMB_2_1: 0x0210,
  SMB_3_0: 0x0300,
  SMB_3_0_2: 0x0302,
  SMB_3_1_1: 0x0311,
  /** Only in the answer to an SMB1 NEGOTIATE: "ask again in SMB2". */
  WILDCARD: 0x02ff,
} as const;

export const SECURITY_MODE = { SIGNING_ENABLED: 1, SIGNING_REQUIRED: 2 } as const;

export const CAPABILITY = {
  DFS: 0x1,
  LEASING: 0x2,
  LARGE_MTU: 0x4,
  MULTI_CHANNEL: 0x8,
  ENCRYPTION: 0x40,
} as const;

export const CONTEXT = {
  PREAUTH_INTEGRITY: 1,
  ENCRYPTION: 2,
  COMPRESSION: 3,
  SIGNING: 8,
} as const;

export const PREAUTH_SHA512 = 1;

const DIALECTS_MAX = 64;
const CONTEXTS_MAX = 32;

export interface NegotiateContext {
  readonly type: number;
  readonly data: Buffer;
}

const request = message(36, {
  dialectCount: u16(2),
  securityMode: u16(4),
  capabilities: u32(8),
  clientGuid: raw(12, 16),
  contextOffset: u32(28),
  contextCount: u16(32),
});

type WithContexts<T> = Omit<Decoded<T>, "dialectCount" | "contextOffset" | "contextCount"> & {
  /** Only with dialect 3.1.1. */
  readonly contexts: readonly NegotiateContext[];
};

export type NegotiateRequest = WithContexts<typeof request> & { readonly dialects: readonly number[] };

export function decodeNegotiateRequest(pdu: Buffer): NegotiateRequest {
  const { dialectCount, contextOffset, contextCount, ...rest } = request.decode(pdu);
  const at = HEADER_BYTES + 36;
  if (dialectCount === 0 || dialectCount > DIALECTS_MAX || at + dialectCount * 2 > pdu.length)
    throw refuse(STATUS.INVALID_PARAMETER);
  const dialects = decodeU16List(pdu, at, dialectCount);
  const contexts = dialects.includes(DIALECT.SMB_3_1_1)
    ? decodeContexts(pdu, { at: contextOffset, count: contextCount, min: at + dialectCount * 2 })
    : [];
  return { ...rest, dialects, contexts };
}

export function encodeNegotiateRequest(value: NegotiateRequest): Buffer {
  const { dialects, contexts } = value;
  const list = encodeU16List(dialects);
  const contextsAt = align8(HEADER_BYTES + 36 + list.length);
  const hasContexts = dialects.includes(DIALECT.SMB_3_1_1);
  const body = request.encode({
    ...value,
    dialectCount: dialects.length,
    contextOffset: hasContexts ? contextsAt : 0,
    contextCount: hasContexts ? contexts.length : 0,
  });
  if (!hasContexts) return Buffer.concat([body, list]);
  const padding = Buffer.alloc(contextsAt - HEADER_BYTES - 36 - list.length);
  return Buffer.concat([body, list, padding, encodeContexts(contexts)]);
}

const response = message(
  65,
  {
    securityMode: u16(2),
    dialect: u16(4),
    contextCount: u16(6),
    serverGuid: raw(8, 16),
    capabilities: u32(24),
    maxTransactSize: u32(28),
    maxReadSize: u32(32),
    maxWriteSize: u32(36),
    systemTime: u64(40),
    serverStartTime: u64(48),
    contextOffset: u32(60),
  },
  { token: { offset: u16(56), length: u16(58) } },
);

export type NegotiateResponse = WithContexts<typeof response>;

export function encodeNegotiateResponse(value: NegotiateResponse): Buffer {
  const { contexts, token } = value;
  const contextsAt = align8(HEADER_BYTES + 64 + token.length);
  const body = response.encode({
    ...value,
    contextCount: contexts.length,
    contextOffset: contexts.length === 0 ? 0 : contextsAt,
  });
  if (contexts.length === 0) return body;
  const padding = Buffer.alloc(contextsAt - HEADER_BYTES - body.length);
  return Buffer.concat([body, padding, encodeContexts(contexts)]);
}

export function decodeNegotiateResponse(pdu: Buffer): NegotiateResponse {
  checkSize(pdu, 65);
  const { contextCount, contextOffset, ...rest } = response.decode(pdu);
  const hasContexts = rest.dialect === DIALECT.SMB_3_1_1 && contextCount > 0;
  const contexts = hasContexts
    ? decodeContexts(pdu, { at: contextOffset, count: contextCount, min: HEADER_BYTES + 64 })
    : [];
  return { ...rest, contexts };
}

function decodeContexts(
  pdu: Buffer,
  { at, count, min }: { readonly at: number; readonly count: number; readonly min: number },
): NegotiateContext[] {
  if (count > CONTEXTS_MAX || (count > 0 && (at < min || at % 8 !== 0)))
    throw refuse(STATUS.INVALID_PARAMETER);
  const contexts: NegotiateContext[] = [];
  for (let index = 0, offset = at; index < count; index++) {
    if (offset + 8 > pdu.length) throw refuse(STATUS.INVALID_PARAMETER);
    const length = pdu.readUInt16LE(offset + 2);
    if (offset + 8 + length > pdu.length) throw refuse(STATUS.INVALID_PARAMETER);
    contexts.push({ type: pdu.readUInt16LE(offset), data: pdu.subarray(offset + 8, offset + 8 + length) });
    offset = align8(offset + 8 + length);
  }
  return contexts;
}

function encodeContexts(contexts: readonly NegotiateContext[]): Buffer {
  const last = contexts.length - 1;
  return Buffer.concat(
    contexts.map(({ type, data }, index) => {
      const to = Buffer.alloc(index === last ? 8 + data.length : align8(8 + data.length));
      to.writeUInt16LE(type, 0);
      to.writeUInt16LE(data.length, 2);
      to.set(data, 8);
      return to;
    }),
  );
}

/** The data of ENCRYPTION and SIGNING contexts: a count and that many ids, in order of preference. */
export function decodeIds(data: Buffer): number[] {
  const count = data.length < 2 ? 0 : data.readUInt16LE(0);
  if (count === 0 || 2 + count * 2 > data.length) throw refuse(STATUS.INVALID_PARAMETER);
  return decodeU16List(data, 2, count);
}

export function encodeIds(ids: readonly number[]): Buffer {
  return encodeU16List([ids.length, ...ids]);
}

export interface PreauthIntegrity {
  readonly hashes: readonly number[];
  readonly salt: Buffer;
}

export function decodePreauthIntegrity(data: Buffer): PreauthIntegrity {
  if (data.length < 4) throw refuse(STATUS.INVALID_PARAMETER);
  const count = data.readUInt16LE(0);
  const saltBytes = data.readUInt16LE(2);
  const saltAt = 4 + count * 2;
  if (count === 0 || saltAt + saltBytes > data.length) throw refuse(STATUS.INVALID_PARAMETER);
  return {
    hashes: decodeU16List(data, 4, count),
    salt: data.subarray(saltAt, saltAt + saltBytes),
  };
}

export function encodePreauthIntegrity({ hashes, salt }: PreauthIntegrity): Buffer {
  return Buffer.concat([encodeU16List([hashes.length, salt.length, ...hashes]), salt]);
}
