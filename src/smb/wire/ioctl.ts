import {
  type Decoded,
  decodeU16List,
  encodeU16List,
  fileId,
  message,
  raw,
  struct,
  u16,
  u32,
  u64,
} from "./layout.ts";
import { refuse, STATUS } from "./status.ts";

export const FSCTL = {
  DFS_GET_REFERRALS: 0x0006_0194,
  DFS_GET_REFERRALS_EX: 0x0006_01b0,
  GET_COMPRESSION: 0x0009_003c,
  SET_COMPRESSION: 0x0009_c040,
  GET_REPARSE_POINT: 0x0009_00a8,
  DELETE_REPARSE_POINT: 0x0009_00ac,
  CREATE_OR_GET_OBJECT_ID: 0x0009_00c0,
  SET_SPARSE: 0x0009_00c4,
  QUERY_ALLOCATED_RANGES: 0x0009_40cf,
  SET_ZERO_DATA: 0x0009_80c8,
  PIPE_TRANSCEIVE: 0x0011_c017,
  SRV_REQUEST_RESUME_KEY: 0x0014_0078,
  SRV_ENUMERATE_SNAPSHOTS: 0x0014_4064,
  SRV_COPYCHUNK: 0x0014_40f2,
  SRV_COPYCHUNK_WRITE: 0x0014_80f2,
  QUERY_NETWORK_INTERFACE_INFO: 0x0014_01fc,
  VALIDATE_NEGOTIATE_INFO: 0x0014_0204,
} as const;

export const IOCTL_IS_FSCTL = 1;

export const ioctlRequest = message(
  57,
  {
    ctlCode: u32(4),
    fileId: fileId(8),
    maxInputResponse: u32(32),
    maxOutputResponse: u32(44),
    flags: u32(48),
  },
  {
    input: { offset: u32(24), length: u32(28) },
    output: { offset: u32(36), length: u32(40) },
  },
);

export const ioctlResponse = message(
  49,
  { ctlCode: u32(4), fileId: fileId(8), flags: u32(40) },
  {
    input: { offset: u32(24), length: u32(28) },
    output: { offset: u32(32), length: u32(36) },
  },
);

const VALIDATE_FIELDS = { capabilities: u32(0), guid: raw(4, 16), securityMode: u16(20) };
const validateHead = struct(24, { ...VALIDATE_FIELDS, dialectCount: u16(22) });
/** The response has the chosen dialect in the place of the count. */
export const validateNegotiateResponse = struct(24, { ...VALIDATE_FIELDS, dialect: u16(22) });

type ValidateNegotiate = Omit<Decoded<typeof validateHead>, "dialectCount"> & {
  readonly dialects: readonly number[];
};

export function decodeValidateNegotiate(input: Buffer): ValidateNegotiate {
  const { dialectCount, ...rest } = validateHead.decode(input);
  if (validateHead.bytes + dialectCount * 2 > input.length) throw refuse(STATUS.INVALID_PARAMETER);
  return { ...rest, dialects: decodeU16List(input, validateHead.bytes, dialectCount) };
}

export function encodeValidateNegotiate({ dialects, ...rest }: ValidateNegotiate): Buffer {
  const head = validateHead.encode({ ...rest, dialectCount: dialects.length });
  return Buffer.concat([head, encodeU16List(dialects)]);
}

export const RESUME_KEY_BYTES = 24;

const copyHead = struct(32, { key: raw(0, RESUME_KEY_BYTES), chunkCount: u32(24) });
const chunk = struct(24, { sourceOffset: u64(0), targetOffset: u64(8), length: u32(16) });

export type CopyChunk = Decoded<typeof chunk>;

interface CopyChunkRequest {
  readonly key: Buffer;
  readonly chunks: readonly CopyChunk[];
}

/** Too many chunks have a response of their own, so they are counted but not decoded. */
export function decodeCopyChunk(
  input: Buffer,
  chunksMax: number,
): CopyChunkRequest & { readonly chunkCount: number } {
  const { key, chunkCount } = copyHead.decode(input);
  if (chunkCount > chunksMax) return { key, chunkCount, chunks: [] };
  const at = (index: number): number => copyHead.bytes + index * chunk.bytes;
  const chunks = Array.from({ length: chunkCount }, (_, index) => chunk.decode(input, at(index)));
  return { key, chunkCount, chunks };
}

export function encodeCopyChunk({ key, chunks }: CopyChunkRequest): Buffer {
  return Buffer.concat([copyHead.encode({ key, chunkCount: chunks.length }), ...chunks.map(chunk.encode)]);
}

export const copyChunkResponse = struct(12, {
  chunksWritten: u32(0),
  chunkBytesWritten: u32(4),
  totalBytesWritten: u32(8),
});

export const zeroDataInput = struct(16, { fileOffset: u64(0), beyondFinalZero: u64(8) });
/** Input and each entry of the output of QUERY_ALLOCATED_RANGES. */
export const allocatedRange = struct(16, { offset: u64(0), length: u64(8) });
