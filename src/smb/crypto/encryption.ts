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
 * A cipher gives every text a new buffer. Those of megabytes have the system find new memory each time; pieces of this
 * size, each freed as soon as it was used, are the same few over and over, and still in the processor's cache.
 */
const PIECE_BYTES = 64 * KIB;

const NOTHING: readonly Buffer[] = [];

function updateInPlace(cipher: CipherGCM | DecipherGCM, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    const piece = cipher.update(bytes.subarray(at, at + PIECE_BYTES));
    copyInto(bytes, piece, at);
    freeNow(piece);
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
   * The transform header and the ciphertext, ready to be sent one after the other. Parts in `given` may be sealed where they
   * lie, and are then among those that are sent; all else has memory of its own. A nonce is used once: it counts.
   */
  encrypt(sessionId: bigint, parts: readonly Buffer[], given: readonly Buffer[] = NOTHING): Buffer[] {
    const nonce = Buffer.alloc(NONCE_FIELD_BYTES);
    nonce.writeBigUInt64LE(++this.#count);
    const size = parts.reduce((sum, part) => sum + part.length, 0);
    const header = encodeTransform({ signature: NO_TAG, nonce, originalMessageSize: size, sessionId });
    const aad = header.subarray(TRANSFORM_AAD_AT);
    const { name, isCcm, nonceBytes } = this.#kind;
    const iv = nonce.subarray(0, nonceBytes);
    let sealed: Buffer[];
    let tag: Buffer;
    if (isCcm) {
      // CCM takes its text in one piece.
      const cipher = createCipheriv(name as "aes-128-ccm", this.#key, iv, { authTagLength: TAG_BYTES });
      cipher.setAAD(aad, { plaintextLength: size });
      sealed = [cipher.update(parts.length === 1 ? parts[0]! : Buffer.concat(parts, size))];
      cipher.final();
      tag = cipher.getAuthTag();
    } else {
      const cipher: CipherGCM = createCipheriv(name as "aes-128-gcm", this.#key, iv);
      cipher.setAAD(aad);
      sealed = [];
      for (const part of parts) {
        if (given.includes(part)) {
          updateInPlace(cipher, part);
          sealed.push(part);
        } else
          for (let at = 0; at < part.length; at += PIECE_BYTES)
            sealed.push(cipher.update(part.subarray(at, at + PIECE_BYTES)));
      }
      cipher.final();
      tag = cipher.getAuthTag();
    }
    header.set(tag, 4);
    return [header, ...sealed];
  }

  /**
   * The plain text, which may lie in the buffer of the message; a message that was changed on its way is a breach. A
   * message is opened once.
   */
  decrypt(payload: Buffer): Buffer {
    const { nonce, signature } = decodeTransform(payload);
    const aad = payload.subarray(TRANSFORM_AAD_AT, TRANSFORM_BYTES);
    const sealed = payload.subarray(TRANSFORM_BYTES);
    const { name, isCcm, nonceBytes } = this.#kind;
    const iv = nonce.subarray(0, nonceBytes);
    try {
      if (isCcm) {
        const cipher = createDecipheriv(name as "aes-128-ccm", this.#key, iv, { authTagLength: TAG_BYTES });
        cipher.setAuthTag(signature);
        cipher.setAAD(aad, { plaintextLength: sealed.length });
        const plain = cipher.update(sealed);
        cipher.final();
        return plain;
      }
      const cipher = createDecipheriv(name as "aes-128-gcm", this.#key, iv, { authTagLength: TAG_BYTES });
      cipher.setAuthTag(signature);
      cipher.setAAD(aad);
      if (sealed.length <= PIECE_BYTES) {
        const plain = cipher.update(sealed);
        cipher.final();
        return plain;
      }
      // A long text takes the place of the sealed one. Nobody looks at it before the tag was compared.
      updateInPlace(cipher, sealed);
      cipher.final();
      return sealed;
    } catch {
      // OpenSSL has one error for all of it: the tag is not that of this text.
      throw protocolError("an encrypted message that does not verify");
    }
  }
}
