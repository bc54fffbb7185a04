import { message, u8, u16, u32 } from "./layout.ts";

export const SHARE_TYPE = { DISK: 1, PIPE: 2 } as const;
export const SHARE_FLAG = { NO_CACHING: 0x30, ENCRYPT_DATA: 0x8000 } as const;

export const treeConnectRequest = message(9, { flags: u16(2) }, { path: { offset: u16(4), length: u16(6) } });

export const treeConnectResponse = message(16, {
  shareType: u8(2),
  shareFlags: u32(4),
  capabilities: u32(8),
  maximalAccess: u32(12),
});
