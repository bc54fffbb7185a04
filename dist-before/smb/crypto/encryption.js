import { createCipheriv, createDecipheriv } from "node:crypto";
import { breach } from "../status.js";
import { decodeTransform, encodeTransform, TRANSFORM_AAD_AT, TRANSFORM_BYTES } from "../wire/transform.js";
export const CIPHER = { AES_128_CCM: 1, AES_128_GCM: 2, AES_256_CCM: 3, AES_256_GCM: 4 };
const KINDS = new Map([
    [CIPHER.AES_128_CCM, { name: "aes-128-ccm", isCcm: true, keyBytes: 16, nonceBytes: 11 }],
    [CIPHER.AES_128_GCM, { name: "aes-128-gcm", isCcm: false, keyBytes: 16, nonceBytes: 12 }],
    [CIPHER.AES_256_CCM, { name: "aes-256-ccm", isCcm: true, keyBytes: 32, nonceBytes: 11 }],
    [CIPHER.AES_256_GCM, { name: "aes-256-gcm", isCcm: false, keyBytes: 32, nonceBytes: 12 }],
]);
export function cipherKeyBytes(cipher) {
    return KINDS.get(cipher)?.keyBytes ?? 16;
}
const TAG_BYTES = 16;
const NONCE_FIELD_BYTES = 16;
const NO_TAG = Buffer.alloc(TAG_BYTES);
/** One direction of a session's encryption. */
export class MessageCipher {
    #kind;
    #key;
    #count = 0n;
    constructor(cipher, key) {
        const kind = KINDS.get(cipher);
        if (kind === undefined)
            throw new RangeError(`cipher ${cipher}`);
        this.#kind = kind;
        this.#key = key;
    }
    /** The transform header and the ciphertext, ready to be sent one after the other. A nonce is used once: it counts. */
    encrypt(sessionId, parts) {
        const nonce = Buffer.alloc(NONCE_FIELD_BYTES);
        nonce.writeBigUInt64LE(++this.#count);
        const size = parts.reduce((sum, part) => sum + part.length, 0);
        const header = encodeTransform({ signature: NO_TAG, nonce, originalMessageSize: size, sessionId });
        const aad = header.subarray(TRANSFORM_AAD_AT);
        const { name, isCcm, nonceBytes } = this.#kind;
        const iv = nonce.subarray(0, nonceBytes);
        let sealed;
        let tag;
        if (isCcm) {
            // CCM takes its text in one piece.
            const cipher = createCipheriv(name, this.#key, iv, { authTagLength: TAG_BYTES });
            cipher.setAAD(aad, { plaintextLength: size });
            sealed = [cipher.update(parts.length === 1 ? parts[0] : Buffer.concat(parts, size))];
            cipher.final();
            tag = cipher.getAuthTag();
        }
        else {
            const cipher = createCipheriv(name, this.#key, iv);
            cipher.setAAD(aad);
            sealed = parts.map((part) => cipher.update(part));
            cipher.final();
            tag = cipher.getAuthTag();
        }
        header.set(tag, 4);
        return [header, ...sealed];
    }
    /** The plain text; a message that was changed on its way is a breach. */
    decrypt(payload) {
        const { nonce, signature } = decodeTransform(payload);
        const aad = payload.subarray(TRANSFORM_AAD_AT, TRANSFORM_BYTES);
        const sealed = payload.subarray(TRANSFORM_BYTES);
        const { name, isCcm, nonceBytes } = this.#kind;
        const iv = nonce.subarray(0, nonceBytes);
        try {
            if (isCcm) {
                const cipher = createDecipheriv(name, this.#key, iv, { authTagLength: TAG_BYTES });
                cipher.setAuthTag(signature);
                cipher.setAAD(aad, { plaintextLength: sealed.length });
                const plain = cipher.update(sealed);
                cipher.final();
                return plain;
            }
            const cipher = createDecipheriv(name, this.#key, iv, { authTagLength: TAG_BYTES });
            cipher.setAuthTag(signature);
            cipher.setAAD(aad);
            const plain = cipher.update(sealed);
            cipher.final();
            return plain;
        }
        catch {
            // OpenSSL has one error for all of it: the tag is not that of this text.
            throw breach("an encrypted message that does not verify");
        }
    }
}
