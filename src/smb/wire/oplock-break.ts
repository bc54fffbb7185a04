import { fileId, message, raw, u8, u16, u32, u64 } from "./layout.ts";

export const OPLOCK = { NONE: 0, LEVEL_II: 1, EXCLUSIVE: 8, BATCH: 9, LEASE: 0xff } as const;
export const LEASE_BREAK_ACK_REQUIRED = 1;

/** Notification, acknowledgement and response. */
export const oplockBreak = message(24, { oplockLevel: u8(2), fileId: fileId(8) });

export const leaseBreakNotification = message(44, {
  newEpoch: u16(2),
  flags: u32(4),
  leaseKey: raw(8, 16),
  currentState: u32(24),
  newState: u32(28),
});

/** Acknowledgement and response. */
export const leaseBreak = message(36, {
  flags: u32(4),
  leaseKey: raw(8, 16),
  leaseState: u32(24),
  leaseDuration: u64(28),
});
