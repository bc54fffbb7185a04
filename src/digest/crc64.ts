import { Lazy } from "../base/lazy.ts";
import { CrcEngine } from "./crc-wasm.ts";

const nvme = new Lazy(
  () =>
    new CrcEngine({
      polynomial: 0x9a6c_9329_ac4b_c9b5n,
      folds: [573, 2_748, 3_771, 4_143, 4_345, 4_498],
    }),
);

/** CRC-64/NVME, which Azure calls x-ms-content-crc64: eight bytes, the lowest first. */
export class Crc64 {
  #low = -1;
  #high = -1;

  update(bytes: Uint8Array): this {
    const engine = nvme.value;
    const { state } = engine;
    state[0] = this.#low;
    state[1] = this.#high;
    engine.add(bytes);
    this.#low = state[0]!;
    this.#high = state[1]!;
    return this;
  }

  /** Of the bytes so far; more may follow. */
  digest(): Buffer {
    const out = Buffer.allocUnsafe(8);
    out.writeInt32LE(~this.#low, 0);
    out.writeInt32LE(~this.#high, 4);
    return out;
  }

  /** As x-ms-content-crc64 carries it. */
  base64(): string {
    return this.digest().toString("base64");
  }
}

export function crc64Base64(bytes: Uint8Array): string {
  return new Crc64().update(bytes).base64();
}
