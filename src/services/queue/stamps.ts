import { readUint64 } from "../../base/bytes.ts";
import type { Random } from "../../base/random.ts";

const STAMP_BYTES = 8;
const DRAWN_BYTES = 512 * STAMP_BYTES;

/**
 * Random stamps for receipts, drawn many at once: one draw costs as much as a whole transaction's reads. A stamp is
 * drawn before its transaction begins, because one that runs again must do the same again.
 */
export class Stamps {
  readonly #random: Random;
  #drawn: Buffer = Buffer.alloc(0);
  #at = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  next(): bigint {
    if (this.#at === this.#drawn.length) {
      this.#drawn = this.#random.bytes(DRAWN_BYTES);
      this.#at = 0;
    }
    const stamp = readUint64(this.#drawn, this.#at);
    this.#at += STAMP_BYTES;
    return stamp;
  }
}
