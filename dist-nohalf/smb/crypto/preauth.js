import { createHash } from "node:crypto";
export const PREAUTH_START = Buffer.alloc(64);
export function preauthAfter(hash, ...parts) {
    const sha = createHash("sha512").update(hash);
    for (const part of parts)
        sha.update(part);
    return sha.digest();
}
