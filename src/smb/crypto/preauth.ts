import { createHash } from "node:crypto";

/** The hash of dialect 3.1.1 over the messages of NEGOTIATE and SESSION_SETUP so far. */
export type PreauthHash = Buffer;

export const PREAUTH_START: PreauthHash = Buffer.alloc(64);

export function preauthAfter(hash: PreauthHash, ...parts: readonly Buffer[]): PreauthHash {
  const sha = createHash("sha512").update(hash);
  for (const part of parts) sha.update(part);
  return sha.digest();
}
