import { fileId, message, u8, u16, u32 } from "./layout.ts";

/** QUERY_INFO and SET_INFO. Their classes are in file-information.ts and volume-information.ts. */
export const INFO_TYPE = { FILE: 1, FILESYSTEM: 2, SECURITY: 3, QUOTA: 4 } as const;

export const queryInfoRequest = message(
  41,
  {
    infoType: u8(2),
    informationClass: u8(3),
    outputBufferLength: u32(4),
    additionalInformation: u32(16),
    flags: u32(20),
    fileId: fileId(24),
  },
  { input: { offset: u16(8), length: u32(12) } },
);

export const setInfoRequest = message(
  33,
  { infoType: u8(2), informationClass: u8(3), additionalInformation: u32(12), fileId: fileId(16) },
  { data: { offset: u16(8), length: u32(4) } },
);

export const setInfoResponse = message(2, {});
