import { type Decoded, fileId, fileTimes, message, u8, u16, u32, u64 } from "./layout.ts";

export const DISPOSITION = {
  SUPERSEDE: 0,
  OPEN: 1,
  CREATE: 2,
  OPEN_IF: 3,
  OVERWRITE: 4,
  OVERWRITE_IF: 5,
} as const;
export const CREATE_ACTION = { superseded: 0, opened: 1, created: 2, overwritten: 3 } as const;

export const CREATE_OPTION = {
  DIRECTORY_FILE: 0x1,
  WRITE_THROUGH: 0x2,
  NON_DIRECTORY_FILE: 0x40,
  CREATE_TREE_CONNECTION: 0x80,
  NO_EA_KNOWLEDGE: 0x200,
  DELETE_ON_CLOSE: 0x1000,
  OPEN_BY_FILE_ID: 0x2000,
  RESERVE_OPFILTER: 0x10_0000,
} as const;

export const ACCESS = {
  READ_DATA: 0x1,
  WRITE_DATA: 0x2,
  APPEND_DATA: 0x4,
  READ_EA: 0x8,
  WRITE_EA: 0x10,
  EXECUTE: 0x20,
  DELETE_CHILD: 0x40,
  READ_ATTRIBUTES: 0x80,
  WRITE_ATTRIBUTES: 0x100,
  DELETE: 0x1_0000,
  READ_CONTROL: 0x2_0000,
  WRITE_DAC: 0x4_0000,
  WRITE_OWNER: 0x8_0000,
  SYNCHRONIZE: 0x10_0000,
  SYSTEM_SECURITY: 0x100_0000,
  MAXIMUM_ALLOWED: 0x200_0000,
  GENERIC_ALL: 0x1000_0000,
  GENERIC_EXECUTE: 0x2000_0000,
  GENERIC_WRITE: 0x4000_0000,
  GENERIC_READ: 0x8000_0000,
  /** All rights to a file. */
  FILE_ALL: 0x1f_01ff,
} as const;

export const ATTRIBUTE = {
  READONLY: 0x1,
  SYSTEM: 0x4,
  DIRECTORY: 0x10,
  NORMAL: 0x80,
  TEMPORARY: 0x100,
  SPARSE: 0x200,
} as const;

export const createRequest = message(
  57,
  {
    requestedOplockLevel: u8(3),
    impersonationLevel: u32(4),
    desiredAccess: u32(24),
    fileAttributes: u32(28),
    shareAccess: u32(32),
    createDisposition: u32(36),
    createOptions: u32(40),
  },
  {
    name: { offset: u16(44), length: u16(46) },
    contexts: { offset: u32(48), length: u32(52) },
  },
);

export type CreateRequest = Decoded<typeof createRequest>;

export const createResponse = message(
  89,
  {
    oplockLevel: u8(2),
    flags: u8(3),
    createAction: u32(4),
    ...fileTimes(8),
    allocationSize: u64(40),
    endOfFile: u64(48),
    fileAttributes: u32(56),
    fileId: fileId(64),
  },
  { contexts: { offset: u32(80), length: u32(84) } },
);
