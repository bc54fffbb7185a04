import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { utf16 } from "../wire/text.ts";
import { md4 } from "./md4.ts";
import { MIC_AT, MIC_BYTES, NTLM_FLAG, type NtlmAuthenticate } from "./ntlmssp.ts";
import { rc4 } from "./rc4.ts";

/** The computations of NTLMv2, by their names in [MS-NLMP] 3.3.2. */
export function ntHash(password: string): Buffer {
  return md4(utf16(password));
}

const hmacMd5 = (key: Buffer, ...parts: readonly Buffer[]): Buffer => {
  const hmac = createHmac("md5", key);
  for (const part of parts) hmac.update(part);
  return hmac.digest();
};

/** The user is upper-cased; the domain stays as the client sent it. */
export function ntowfv2(hash: Buffer, user: string, domain: string): Buffer {
  return hmacMd5(hash, utf16(user.toUpperCase() + domain));
}

export const PROOF_BYTES = 16;
/** The proof, the fixed part of the blob, and the end of its list. */
export const NTLMV2_RESPONSE_BYTES_MIN = PROOF_BYTES + 28 + 4;

export function ntProof(key: Buffer, serverChallenge: Buffer, blob: Buffer): Buffer {
  return hmacMd5(key, serverChallenge, blob);
}

export function sessionBaseKey(key: Buffer, proof: Buffer): Buffer {
  return hmacMd5(key, proof);
}

/** The session key; undefined when the encrypted key of the client has the wrong length. */
export function exportedSessionKey(
  base: Buffer,
  { flags, encryptedSessionKey }: NtlmAuthenticate,
): Buffer | undefined {
  if ((flags & NTLM_FLAG.KEY_EXCH) === 0) return base;
  return encryptedSessionKey.length === 16 ? rc4(base, encryptedSessionKey) : undefined;
}

interface NtlmMessages {
  readonly negotiate: Buffer;
  readonly challenge: Buffer;
  readonly authenticate: Buffer;
}

/** The MIC over the three messages, with zeros in the place of the MIC itself. */
export function messagesMic(
  sessionKey: Buffer,
  { negotiate, challenge, authenticate }: NtlmMessages,
): Buffer {
  return hmacMd5(
    sessionKey,
    negotiate,
    challenge,
    authenticate.subarray(0, MIC_AT),
    Buffer.alloc(MIC_BYTES),
    authenticate.subarray(MIC_AT + MIC_BYTES),
  );
}

/** The signature over the mechanism list of SPNEGO, number 0 of its direction. */
export function mechListMic(sessionKey: Buffer, direction: "client" | "server", mechTypes: Buffer): Buffer {
  const path = direction === "client" ? "client-to-server" : "server-to-client";
  const derive = (use: string): Buffer =>
    createHash("md5")
      .update(sessionKey)
      .update(`session key to ${path} ${use} key magic constant\0`)
      .digest();
  const sum = hmacMd5(derive("signing"), Buffer.alloc(4), mechTypes).subarray(0, 8);
  const version = Buffer.from([1, 0, 0, 0]);
  return Buffer.concat([version, rc4(derive("sealing"), sum), Buffer.alloc(4)]);
}

export function isEqual(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
