import { type CipherGCM, createCipheriv, createDecipheriv, type DecipherGCM } from "node:crypto";
import { copyInto } from "../../base/bytes.ts";
import { KIB } from "../../base/limits.ts";
import { freeNow } from "../../memory/free-now.ts";
import { protocolError } from "../wire/status.ts";
import { decodeTransform, encodeTransform, TRANSFORM_AAD_AT, TRANSFORM_BYTES } from "../wire/transform.ts";

export const CIPHER = { AES_128_CCM: 1, AES_128_GCM: 2, AES_256_CCM: 3, AES_256_GCM: 4 } as const;

interface CipherKind {
  readonly name: "aes-128-ccm" | "aes-128-gcm" | "aes-256-ccm" | "aes-256-gcm";
  readonly isCcm: boolean;
  readonly keyBytes: number;
  readonly nonceBytes: number;
}

const KINDS: ReadonlyMap<number, CipherKind> = new Map([
  [CIPHER.AES_128_CCM, { name: "aes-128-ccm", isCcm: true, keyBytes: 16, nonceBytes: 11 }],
  [CIPHER.AES_128_GCM, { name: "aes-128-gcm", isCcm: false, keyBytes: 16, nonceBytes: 12 }],
  [CIPHER.AES_256_CCM, { name: "aes-256-ccm", isCcm: true, keyBytes: 32, nonceBytes: 11 }],
  [CIPHER.AES_256_GCM, { name: "aes-256-gcm", isCcm: false, keyBytes: 32, nonceBytes: 12 }],
]);

export function cipherKeyBytes(cipher: number): number {
  return KINDS.get(cipher)?.keyBytes ?? 16;
}

const TAG_BYTES = 16;
const NONCE_FIELD_BYTES = 16;
const NO_TAG = Buffer.alloc(TAG_BYTES);
/**
 * A cipher allocates a buffer for every update. For a text of megabytes the system maps new memory each time;
 * chunks of this size, each freed at once, reuse the same few buffers, which stay in the processor's cache.
 */
const CHUNK_BYTES = 64 * KIB;

const NO_BUFFERS: readonly Buffer[] = [];

function updateInPlace(cipher: CipherGCM | DecipherGCM, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    const chunk = cipher.update(bytes.subarray(at, at + CHUNK_BYTES));
    copyInto(bytes, chunk, at);
    freeNow(chunk);
  }
}

/** One direction of a session's encryption. */
export class MessageCipher {
  readonly #kind: CipherKind;
  readonly #key: Buffer;
  #count = 0n;

  constructor(cipher: number, key: Buffer) {
    const kind = KINDS.get(cipher);
    if (kind === undefined) throw new RangeError(`cipher ${cipher}`);
    this.#kind = kind;
    this.#key = key;
  }

  /**
   * The transform header and the ciphertext, in the order they are sent. Parts in `owned` may be encrypted in
   * place; all others get new buffers. The nonce is a counter, so it is never reused.
   */
  encrypt(sessionId: bigint, parts: readonly Buffer[], owned: readonly Buffer[] = NO_BUFFERS): Buffer[] {
    const nonce = Buffer.alloc(NONCE_FIELD_BYTES);
    nonce.writeBigUInt64LE(++this.#count);
    const size = parts.reduce((sum, part) => sum + part.length, 0);
    const header = encodeTransform({ signature: NO_TAG, nonce, originalMessageSize: size, sessionId });
    const aad = header.subarray(TRANSFORM_AAD_AT);
    const { name, isCcm, nonceBytes } = this.#kind;
    const iv = nonce.subarray(0, nonceBytes);
    let encrypted: Buffer[];
    let tag: Buffer;
    if (isCcm) {
      // CCM needs the whole text at once.
      const cipher = createCipheriv(name as "aes-128-ccm", this.#key, iv, { authTagLength: TAG_BYTES });
      cipher.setAAD(aad, { plaintextLength: size });
      encrypted = [cipher.update(parts.length === 1 ? parts[0]! : Buffer.concat(parts, size))];
      cipher.final();
      tag = cipher.getAuthTag();
    } else {
      const cipher: CipherGCM = createCipheriv(name as "aes-128-gcm", this.#key, iv);
      cipher.setAAD(aad);
      encrypted = [];
      for (const part of parts) {
        if (owned.includes(part)) {
          updateInPlace(cipher, part);
          encrypted.push(part);
        } else
          for (let at = 0; at < part.length; at += CHUNK_BYTES)
            encrypted.push(cipher.update(part.subarray(at, at + CHUNK_BYTES)));
      }
      cipher.final();
      tag = cipher.getAuthTag();
    }
    header.set(tag, 4);
    return [header, ...encrypted];
  }

  /**
   * The plaintext, possibly in the buffer of the message. A message that does not verify is a ProtocolError.
   */
  decrypt(payload: Buffer): Buffer {
    const { nonce, signature } = decodeTransform(payload);
    const aad = payload.subarray(TRANSFORM_AAD_AT, TRANSFORM_BYTES);
    const encrypted = payload.subarray(TRANSFORM_BYTES);
    const { name, isCcm, nonceBytes } = this.#kind;
    const iv = nonce.subarray(0, nonceBytes);
    try {
      if (isCcm) {
        const cipher = createDecipheriv(name as "aes-128-ccm", this.#key, iv, { authTagLength: TAG_BYTES });
        cipher.setAuthTag(signature);
        cipher.setAAD(aad, { plaintextLength: encrypted.length });
        const plain = cipher.update(encrypted);
        cipher.final();
        return plain;
      }
      const cipher = createDecipheriv(name as "aes-128-gcm", this.#key, iv, { authTagLength: TAG_BYTES });
      cipher.setAuthTag(signature);
      cipher.setAAD(aad);
      if (encrypted.length <= CHUNK_BYTES) {
        const plain = cipher.update(encrypted);
        cipher.final();
        return plain;
      }
      // A long text is decrypted in place. The caller sees it only after the tag was verified.
      updateInPlace(cipher, encrypted);
      cipher.final();
      return encrypted;
    } catch {
      // OpenSSL throws one error, for a tag that does not match.
      throw protocolError("an encrypted message that does not verify");
    }
  }
}
