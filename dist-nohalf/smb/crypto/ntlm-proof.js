import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { utf16 } from "../wire/text.js";
import { md4 } from "./md4.js";
import { MIC_AT, MIC_BYTES, NTLM_FLAG } from "./ntlmssp.js";
import { rc4 } from "./rc4.js";
/** The sums of NTLMv2 ([MS-NLMP] 3.3.2), each by its name there. */
export function ntHash(password) {
    return md4(utf16(password));
}
const hmacMd5 = (key, ...parts) => {
    const hmac = createHmac("md5", key);
    for (const part of parts)
        hmac.update(part);
    return hmac.digest();
};
/** Only the user is put into upper case; the domain counts exactly as the client sent it. */
export function ntowfv2(hash, user, domain) {
    return hmacMd5(hash, utf16(user.toUpperCase() + domain));
}
export const PROOF_BYTES = 16;
/** Proof, then at least the fixed part of the blob and the end of its list. */
export const NTLMV2_RESPONSE_BYTES_MIN = PROOF_BYTES + 28 + 4;
export function ntProof(key, serverChallenge, blob) {
    return hmacMd5(key, serverChallenge, blob);
}
export function sessionBaseKey(key, proof) {
    return hmacMd5(key, proof);
}
/** The key of the session; undefined when the client's form of it has the wrong length. */
export function exportedSessionKey(base, { flags, encryptedSessionKey }) {
    if ((flags & NTLM_FLAG.KEY_EXCH) === 0)
        return base;
    return encryptedSessionKey.length === 16 ? rc4(base, encryptedSessionKey) : undefined;
}
/** The MIC over the three messages, the place of the MIC itself taken as zeros. */
export function messagesMic(sessionKey, { negotiate, challenge, authenticate }) {
    return hmacMd5(sessionKey, negotiate, challenge, authenticate.subarray(0, MIC_AT), Buffer.alloc(MIC_BYTES), authenticate.subarray(MIC_AT + MIC_BYTES));
}
/** The signature over SPNEGO's list of mechanisms, the first one (number 0) in its direction. */
export function mechListMic(sessionKey, direction, mechTypes) {
    const way = direction === "client" ? "client-to-server" : "server-to-client";
    const derive = (use) => createHash("md5").update(sessionKey).update(`session key to ${way} ${use} key magic constant\0`).digest();
    const sum = hmacMd5(derive("signing"), Buffer.alloc(4), mechTypes).subarray(0, 8);
    const version = Buffer.from([1, 0, 0, 0]);
    return Buffer.concat([version, rc4(derive("sealing"), sum), Buffer.alloc(4)]);
}
export function isEqual(one, other) {
    return one.length === other.length && timingSafeEqual(one, other);
}
