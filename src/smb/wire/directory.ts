import { fileId, message, u8, u16, u32 } from "./layout.ts";

/** QUERY_DIRECTORY and CHANGE_NOTIFY; the entries are in directory-entry.ts and notify-record below. */
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

/** Answer of QUERY_DIRECTORY, QUERY_INFO and CHANGE_NOTIFY alike. */
export const outputResponse = message(9, {}, { output: { offset: u16(2), length: u32(4) } });

const OUTPUT_OFFSET = 72;

/** The fixed part of such an answer; what follows is a buffer of its own. */
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

export function notifyRecordBytes({ name }: NotifyRecord): number {
  return 12 + name.length * 2;
}

/** FILE_NOTIFY_INFORMATION: records on boundaries of 4 bytes. */
export function encodeNotifyRecords(records: readonly NotifyRecord[]): Buffer {
  const parts: Buffer[] = [];
  for (const [index, { action, name }] of records.entries()) {
    const text = Buffer.from(name, "utf16le");
    const isLast = index === records.length - 1;
    const bytes = isLast ? 12 + text.length : (12 + text.length + 3) & ~3;
    const to = Buffer.alloc(bytes);
    to.writeUInt32LE(isLast ? 0 : bytes, 0);
    to.writeUInt32LE(action, 4);
    to.writeUInt32LE(text.length, 8);
    to.set(text, 12);
    parts.push(to);
  }
  return Buffer.concat(parts);
}

export function decodeNotifyRecords(data: Buffer): NotifyRecord[] {
  const records: NotifyRecord[] = [];
  for (let at = 0; at + 12 <= data.length; ) {
    const next = data.readUInt32LE(at);
    const length = Math.min(data.readUInt32LE(at + 8), data.length - at - 12);
    records.push({
      action: data.readUInt32LE(at + 4),
      name: data.toString("utf16le", at + 12, at + 12 + length),
    });
    if (next < 12) break;
    at += next;
  }
  return records;
}
