import { message, u8, u16, u32, u64 } from "./layout.ts";

export const SESSION_BINDING = 1;
export const SESSION_FLAG = { GUEST: 1, NULL: 2, ENCRYPT_DATA: 4 } as const;

export const sessionSetupRequest = message(
  25,
  { flags: u8(2), securityMode: u8(3), capabilities: u32(4), channel: u32(8), previousSessionId: u64(16) },
  { token: { offset: u16(12), length: u16(14) } },
);

export const sessionSetupResponse = message(
  9,
  { sessionFlags: u16(2) },
  { token: { offset: u16(4), length: u16(6) } },
);

/** LOGOFF, ECHO, TREE_DISCONNECT, CANCEL and the responses of FLUSH and LOCK. */
export const emptyBody = message(4, {});
