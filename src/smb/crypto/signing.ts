import { createCipheriv, createHmac, timingSafeEqual } from "node:crypto";
import { SIGNATURE_AT, SIGNATURE_BYTES } from "../wire/header.ts";
import { Gmac } from "./gmac.ts";

export const SIGNING = { HMAC_SHA256: 0, AES_CMAC: 1, AES_GMAC: 2 } as const;

/** The fields that make the nonce of GMAC, which is unique among the messages of one direction. */
export interface SignedMessage {
  readonly messageId: bigint;
  readonly isFromServer: boolean;
  readonly isCancel: boolean;
}

/** Signs a whole PDU, as the buffers it is sent in, with a zero signature. */
export type Signer = (parts: readonly Buffer[], message: SignedMessage) => Buffer;

export function signerOf(algorithm: number, key: Buffer): Signer {
  if (algorithm === SIGNING.AES_GMAC) {
    const short = new Gmac(key);
    return (parts, message) =>
      message.isCancel || isLongerThan(SHORT_BYTES_MAX, parts)
        ? gmac(key, parts, message)
        : short.tag(parts, message.messageId, message.isFromServer ? FROM_SERVER : 0);
  }
  if (algorithm === SIGNING.AES_CMAC) {
    const subkeys = cmacSubkeys(key);
    return (parts) => cmac(key, subkeys, parts);
  }
  return (parts) => {
    const hmac = createHmac("sha256", key);
    for (const part of parts) hmac.update(part);
    return hmac.digest().subarray(0, SIGNATURE_BYTES);
  };
}

/** Checks the signature of a request, and zeroes it in `pdu`. */
export function isSignatureValid(signer: Signer, pdu: Buffer, message: SignedMessage): boolean {
  const place = pdu.subarray(SIGNATURE_AT, SIGNATURE_AT + SIGNATURE_BYTES);
  const sent = Buffer.from(place);
  place.fill(0);
  return timingSafeEqual(sent, signer([pdu], message));
}

/** Up to here the hash in TypeScript takes less than what `node:crypto` needs to begin. */
const SHORT_BYTES_MAX = 512;

function isLongerThan(bytesMax: number, parts: readonly Buffer[]): boolean {
  let bytes = 0;
  for (const part of parts) bytes += part.length;
  return bytes > bytesMax;
}

const NONCE_BYTES = 12;
const FROM_SERVER = 1;
const CANCEL = 2;

function gmac(key: Buffer, parts: readonly Buffer[], message: SignedMessage): Buffer {
  const nonce = Buffer.alloc(NONCE_BYTES);
  nonce.writeBigUInt64LE(message.messageId);
  nonce[8] = (message.isFromServer ? FROM_SERVER : 0) | (message.isCancel ? CANCEL : 0);
  const cipher = createCipheriv("aes-128-gcm", key, nonce);
  for (const part of parts) if (part.length > 0) cipher.setAAD(part);
  cipher.final();
  return cipher.getAuthTag();
}

const BLOCK = 16;
const ZERO_BLOCK = Buffer.alloc(BLOCK);

interface Subkeys {
  readonly whole: Buffer;
  readonly padded: Buffer;
}

function cmacSubkeys(key: Buffer): Subkeys {
  const cipher = createCipheriv("aes-128-ecb", key, null).setAutoPadding(false);
  const whole = doubled(cipher.update(ZERO_BLOCK));
  return { whole, padded: doubled(whole) };
}

/** Multiplication by x in GF(2^128). */
function doubled(block: Buffer): Buffer {
  const out = Buffer.alloc(BLOCK);
  for (let at = 0; at < BLOCK; at++) out[at] = (block[at]! << 1) | ((block[at + 1] ?? 0) >> 7);
  if ((block[0]! & 0x80) !== 0) out[BLOCK - 1]! ^= 0x87;
  return out;
}

/** AES-CMAC (RFC 4493) as one pass of CBC with a changed last block, because Node.js does not expose CMAC. */
function cmac(key: Buffer, { whole, padded }: Subkeys, parts: readonly Buffer[]): Buffer {
  const total = parts.reduce((sum, part) => sum + part.length, 0);
  const lastBytes = total === 0 ? 0 : ((total - 1) % BLOCK) + 1;
  const cipher = createCipheriv("aes-128-cbc", key, ZERO_BLOCK).setAutoPadding(false);
  const last = Buffer.alloc(BLOCK);
  let lead = total - lastBytes;
  let filled = 0;
  for (const part of parts) {
    const inLead = Math.min(lead, part.length);
    if (inLead > 0) cipher.update(inLead === part.length ? part : part.subarray(0, inLead));
    lead -= inLead;
    filled += part.copy(last, filled, inLead);
  }
  if (lastBytes < BLOCK) last[lastBytes] = 0x80;
  const subkey = lastBytes < BLOCK ? padded : whole;
  for (let at = 0; at < BLOCK; at++) last[at]! ^= subkey[at]!;
  return cipher.update(last);
}
