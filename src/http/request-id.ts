import type { Random } from "../base/random.ts";

/** Request ids in the form of a GUID: unlike between processes by 80 random bits, within one by counting. */
export class RequestIds {
  readonly #prefix: string;
  #count = 0;
  /** All but the last two digits, which change once in 256. */
  #start = "";

  constructor(random: Random) {
    const hex = random.bytes(10).toString("hex");
    this.#prefix = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-`;
  }

  next(): string {
    this.#count = (this.#count + 1) % 2 ** 48;
    const last = this.#count % 256;
    if (last === 0 || this.#start === "") {
      const rest = Math.floor(this.#count / 256);
      this.#start = this.#prefix + rest.toString(16).padStart(10, "0");
    }
    return this.#start + LAST_DIGITS[last]!;
  }
}

const LAST_DIGITS = Array.from({ length: 256 }, (_, last) => last.toString(16).padStart(2, "0"));
