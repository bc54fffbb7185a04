import { INPUT_BYTES_MAX, startCrc64 } from "./crc64-wasm.js";
/**
 * CRC-64/NVME, the checksum Azure calls x-ms-content-crc64: fed in pieces, given as eight bytes, lowest first.
 */
export class Crc64 {
    #low = -1;
    #high = -1;
    update(bytes) {
        engine ??= startCrc64();
        const { state } = engine;
        state[0] = this.#low;
        state[1] = this.#high;
        if (bytes.length <= INPUT_BYTES_MAX)
            engine.add(bytes);
        else
            for (let from = 0; from < bytes.length; from += INPUT_BYTES_MAX)
                engine.add(bytes.subarray(from, from + INPUT_BYTES_MAX));
        this.#low = state[0];
        this.#high = state[1];
        return this;
    }
    /** What has come so far; more may follow. */
    digest() {
        const out = Buffer.allocUnsafe(8);
        out.writeInt32LE(~this.#low, 0);
        out.writeInt32LE(~this.#high, 4);
        return out;
    }
    /** As x-ms-content-crc64 carries it. */
    base64() {
        return this.digest().toString("base64");
    }
}
// Started by its first use: most processes that import this never compute one.
let engine;
export function crc64Base64(bytes) {
    return new Crc64().update(bytes).base64();
}
