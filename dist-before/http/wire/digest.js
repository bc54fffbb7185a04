import { createHash } from "node:crypto";
import { Crc64 } from "../../base/crc64.js";
import { badHeader, Refusal } from "../../base/refusals.js";
const MD5_BASE64 = /^[A-Za-z0-9+/]{21}[AQgw]==$/;
const CRC64_BASE64 = /^[A-Za-z0-9+/]{10}[AEIMQUYcgkosw048]=$/;
export function isMd5Base64(text) {
    return MD5_BASE64.test(text);
}
/** What the client declared about its body, checked for form. */
export function readDeclaredDigest(headers) {
    const md5 = headers["content-md5"];
    const crc64 = headers["x-ms-content-crc64"];
    if (md5 !== undefined && crc64 !== undefined)
        throw new Refusal("BothCrc64AndMd5HeaderPresent");
    if (md5 !== undefined) {
        if (!isMd5Base64(md5))
            throw badHeader("Content-MD5", md5, "InvalidMd5");
        return { md5 };
    }
    if (crc64 === undefined)
        return {};
    if (!CRC64_BASE64.test(crc64))
        throw badHeader("x-ms-content-crc64", crc64);
    return { crc64 };
}
/**
 * A body that checks itself: the bytes pass through unchanged, and when the last has passed the declared digest
 * is compared. A mismatch is thrown to whoever reads, in place of the end of the stream, so a reader that saw
 * the end saw the right bytes. It must not commit anything before.
 */
export class CheckedBody {
    #source;
    #digests;
    #result;
    bytesRead = 0;
    constructor(source, options) {
        this.#source = source;
        this.#digests = new Digests(options);
    }
    async *[Symbol.asyncIterator]() {
        for await (const piece of this.#source) {
            this.#digests.update(piece);
            this.bytesRead += piece.length;
            yield piece;
        }
        this.#result = this.#digests.finish();
    }
    /** Base64, once the body has been read to its end; undefined when nobody asked for it. */
    get md5() {
        return this.#result?.md5;
    }
    get crc64() {
        return this.#result?.crc64;
    }
}
export function checkedBody(source, options) {
    return new CheckedBody(source, options);
}
/** The same for a body that is already in memory. */
export function checkBytes(bytes, options) {
    const digests = new Digests(options);
    digests.update(bytes);
    return digests.finish();
}
class Digests {
    #declared;
    #md5;
    #crc64;
    constructor({ declared, wantsMd5, wantsCrc64 }) {
        this.#declared = declared;
        if (wantsMd5 === true || declared.md5 !== undefined)
            this.#md5 = createHash("md5");
        if (wantsCrc64 === true || declared.crc64 !== undefined)
            this.#crc64 = new Crc64();
    }
    update(bytes) {
        this.#md5?.update(bytes);
        this.#crc64?.update(bytes);
    }
    finish() {
        const md5 = this.#md5?.digest("base64");
        const crc64 = this.#crc64?.base64();
        const declared = this.#declared;
        if (declared.md5 !== undefined && declared.md5 !== md5)
            throw new Refusal("Md5Mismatch", {
                elements: { UserSpecifiedMd5: declared.md5, ServerCalculatedMd5: md5 },
            });
        if (declared.crc64 !== undefined && declared.crc64 !== crc64)
            throw new Refusal("Crc64Mismatch", {
                elements: { UserSpecifiedCrc: declared.crc64, ServerCalculatedCrc: crc64 },
            });
        return { md5, crc64 };
    }
}
