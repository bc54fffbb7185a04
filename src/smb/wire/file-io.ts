import { fileId, fileTimes, message, u8, u16, u32, u64 } from "./layout.ts";

/** CLOSE, FLUSH, READ and WRITE. */
export const CLOSE_POSTQUERY_ATTRIB = 1;
export const WRITE_FLAG = { WRITE_THROUGH: 1, UNBUFFERED: 2 } as const;

export const closeRequest = message(24, { flags: u16(2), fileId: fileId(8) });

export const closeResponse = message(60, {
  flags: u16(2),
  ...fileTimes(8),
  allocationSize: u64(40),
  endOfFile: u64(48),
  attributes: u32(56),
});

export const flushRequest = message(24, { fileId: fileId(8) });

export const readRequest = message(49, {
  flags: u8(3),
  length: u32(4),
  offset: u64(8),
  fileId: fileId(16),
  minimumCount: u32(32),
  channel: u32(36),
  remainingBytes: u32(40),
});

const READ_DATA_OFFSET = 80;

/** The fixed part of a READ response. The data follows in buffers of its own, without a copy. */
export function encodeReadHead(dataLength: number): Buffer {
  const to = Buffer.alloc(16);
  to.writeUInt16LE(17, 0);
  to[2] = READ_DATA_OFFSET;
  to.writeUInt32LE(dataLength, 4);
  return to;
}

export const readResponse = message(
  17,
  { dataRemaining: u32(8) },
  { data: { offset: u8(2), length: u32(4) } },
);

export const writeRequest = message(
  49,
  { offset: u64(8), fileId: fileId(16), channel: u32(32), remainingBytes: u32(36), flags: u32(44) },
  { data: { offset: u16(2), length: u32(4) } },
);

export const writeResponse = message(17, { count: u32(4), remaining: u32(8) });
