import { createHmac } from "node:crypto";
import { DIALECT } from "../wire/negotiate.js";
/** SP800-108 in counter mode with HMAC-SHA256; one round gives all the bits that are ever asked for. */
export function deriveKey(key, { label, context, bytes }) {
    const counter = Buffer.from([0, 0, 0, 1]);
    const bits = Buffer.alloc(4);
    bits.writeUInt32BE(bytes * 8);
    const hmac = createHmac("sha256", key).update(counter).update(`${label}\0`, "latin1");
    return hmac.update(Buffer.alloc(1)).update(context).update(bits).digest().subarray(0, bytes);
}
const SIGNING_BYTES = 16;
export function deriveSessionKeys(input) {
    const { dialect, preauthHash, cipherKeyBytes } = input;
    const key = input.sessionKey.subarray(0, 16);
    if (dialect < DIALECT.SMB_3_0) {
        return { signing: key, clientToServer: undefined, serverToClient: undefined, application: undefined };
    }
    const derive = (label, context, bytes) => deriveKey(key, { label, context, bytes });
    if (preauthHash !== undefined) {
        return {
            signing: derive("SMBSigningKey", preauthHash, SIGNING_BYTES),
            clientToServer: derive("SMBC2SCipherKey", preauthHash, cipherKeyBytes),
            serverToClient: derive("SMBS2CCipherKey", preauthHash, cipherKeyBytes),
            application: derive("SMBAppKey", preauthHash, SIGNING_BYTES),
        };
    }
    const text = (value) => Buffer.from(`${value}\0`, "latin1");
    return {
        signing: derive("SMB2AESCMAC", text("SmbSign"), SIGNING_BYTES),
        clientToServer: derive("SMB2AESCCM", text("ServerIn "), cipherKeyBytes),
        serverToClient: derive("SMB2AESCCM", text("ServerOut"), cipherKeyBytes),
        application: derive("SMB2APP", text("SmbRpc"), SIGNING_BYTES),
    };
}
