import { type Decoded, fileId, HEADER_BYTES, message, struct, u16, u32, u64 } from "./layout.ts";
import { refuse, STATUS } from "./status.ts";

export const LOCK_FLAG = { SHARED: 1, EXCLUSIVE: 2, UNLOCK: 4, FAIL_IMMEDIATELY: 0x10 } as const;

/** StructureSize includes the first element, which the loop below decodes with the others. */
const head = message(48, { lockCount: u16(2), lockSequence: u32(4), fileId: fileId(8) });
const HEAD_BYTES = 24;
const element = struct(24, { offset: u64(0), length: u64(8), flags: u32(16) });
export type LockElement = Decoded<typeof element>;

type LockRequest = Omit<Decoded<typeof head>, "lockCount"> & { readonly locks: readonly LockElement[] };

export function decodeLockRequest(pdu: Buffer): LockRequest {
  const { lockCount, ...rest } = head.decode(pdu);
  const at = HEADER_BYTES + HEAD_BYTES;
  if (lockCount === 0 || at + lockCount * element.bytes > pdu.length) throw refuse(STATUS.INVALID_PARAMETER);
  const locks = Array.from({ length: lockCount }, (_, index) =>
    element.decode(pdu, at + index * element.bytes),
  );
  return { ...rest, locks };
}

export function encodeLockRequest({ locks, ...rest }: LockRequest): Buffer {
  const start = head.encode({ ...rest, lockCount: locks.length }).subarray(0, HEAD_BYTES);
  return Buffer.concat([start, ...locks.map(element.encode)]);
}
