import { encodeChain, encodeWithText, fileId, message, struct, u8, u16, u32 } from "./layout.ts";

/** QUERY_DIRECTORY, whose entries are in directory-entry.ts, and CHANGE_NOTIFY. */
export const QUERY_DIRECTORY_FLAG = {
  RESTART_SCANS: 1,
  RETURN_SINGLE_ENTRY: 2,
  INDEX_SPECIFIED: 4,
  REOPEN: 0x10,
} as const;

export const queryDirectoryRequest = message(
  33,
  {
    informationClass: u8(2),
    flags: u8(3),
    fileIndex: u32(4),
    fileId: fileId(8),
    outputBufferLength: u32(28),
  },
  { pattern: { offset: u16(24), length: u16(26) } },
);

/** The response of QUERY_DIRECTORY, QUERY_INFO and CHANGE_NOTIFY. */
export const outputResponse = message(9, {}, { output: { offset: u16(2), length: u32(4) } });

const OUTPUT_OFFSET = 72;

/** The fixed part of such a response. The output follows in a buffer of its own. */
export function encodeOutputHead(length: number): Buffer {
  const to = Buffer.alloc(8);
  to.writeUInt16LE(9, 0);
  to.writeUInt16LE(length === 0 ? 0 : OUTPUT_OFFSET, 2);
  to.writeUInt32LE(length, 4);
  return to;
}

export const NOTIFY_WATCH_TREE = 1;

export const NOTIFY_FILTER = {
  FILE_NAME: 0x1,
  DIR_NAME: 0x2,
  ATTRIBUTES: 0x4,
  SIZE: 0x8,
  LAST_WRITE: 0x10,
  LAST_ACCESS: 0x20,
  CREATION: 0x40,
  EA: 0x80,
  SECURITY: 0x100,
  STREAM_NAME: 0x200,
  STREAM_SIZE: 0x400,
  STREAM_WRITE: 0x800,
} as const;

export const NOTIFY_ACTION = {
  ADDED: 1,
  REMOVED: 2,
  MODIFIED: 3,
  RENAMED_OLD_NAME: 4,
  RENAMED_NEW_NAME: 5,
  ADDED_STREAM: 6,
  REMOVED_STREAM: 7,
  MODIFIED_STREAM: 8,
} as const;

export const changeNotifyRequest = message(32, {
  flags: u16(2),
  outputBufferLength: u32(4),
  fileId: fileId(8),
  completionFilter: u32(24),
});

export interface NotifyRecord {
  readonly action: number;
  /** Relative to the watched directory, with backslashes. */
  readonly name: string;
}

const notifyHead = struct(12, { action: u32(4), textBytes: u32(8) });

export function notifyRecordBytes({ name }: NotifyRecord): number {
  return notifyHead.bytes + name.length * 2;
}

/** FILE_NOTIFY_INFORMATION. */
export function encodeNotifyRecords(records: readonly NotifyRecord[]): Buffer {
  return encodeChain(
    records.map(({ action, name }) => encodeWithText(notifyHead, { action }, name)),
    4,
  );
}

export function decodeNotifyRecords(data: Buffer): NotifyRecord[] {
  const records: NotifyRecord[] = [];
  for (let at = 0; at + notifyHead.bytes <= data.length; ) {
    const { action, textBytes } = notifyHead.decode(data, at);
    const start = at + notifyHead.bytes;
    records.push({ action, name: data.toString("utf16le", start, Math.min(start + textBytes, data.length)) });
    const next = data.readUInt32LE(at);
    if (next < notifyHead.bytes) break;
    at += next;
  }
  return records;
}
