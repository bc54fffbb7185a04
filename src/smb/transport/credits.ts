import { SMB_LIMITS } from "../limits.ts";

/**
 * The window of message ids a client may use: every credit granted adds the next id, every request takes as
 * many as it pays credits. An id outside the window, or used twice, means the peer has lost count (or is not
 * the peer).
 */
const RING = SMB_LIMITS.creditsMax * 2;

export class CreditWindow {
  #low = 0;
  #high = 1;
  #used = 0;
  readonly #isUsed = new Uint8Array(RING);

  /** Uses the ids of a request; false when the client has no right to them. */
  take(messageId: bigint, charge: number): boolean {
    if (messageId >= BigInt(this.#high)) return false;
    const first = Number(messageId);
    if (first < this.#low || first + charge > this.#high) return false;
    for (let id = first; id < first + charge; id++) if (this.#isUsed[id % RING] === 1) return false;
    for (let id = first; id < first + charge; id++) this.#isUsed[id % RING] = 1;
    this.#used += charge;
    while (this.#low < this.#high && this.#isUsed[this.#low % RING] === 1) {
      this.#isUsed[this.#low % RING] = 0;
      this.#low++;
      this.#used--;
    }
    return true;
  }

  get available(): number {
    return this.#high - this.#low - this.#used;
  }

  /** What is granted of `requested`: at least one while the window allows it: no client starves. */
  grant(requested: number, creditsMax: number = SMB_LIMITS.creditsMax): number {
    const free = Math.min(creditsMax - this.available, SMB_LIMITS.creditsMax - (this.#high - this.#low));
    const granted = Math.max(0, Math.min(Math.max(requested, 1), free));
    this.#high += granted;
    return granted;
  }
}

/** Credits that a payload costs: one for each 64 KiB begun. */
export function chargeFor(bytes: number): number {
  return bytes === 0 ? 1 : 1 + Math.floor((bytes - 1) / SMB_LIMITS.creditBytes);
}
