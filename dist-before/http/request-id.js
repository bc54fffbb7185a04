/** Request ids in the form of a GUID: unlike between processes by 80 random bits, within one by counting. */
export class RequestIds {
    #prefix;
    #count = 0;
    constructor(random) {
        const hex = random.bytes(10).toString("hex");
        this.#prefix = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-`;
    }
    next() {
        this.#count = (this.#count + 1) % 2 ** 48;
        return this.#prefix + this.#count.toString(16).padStart(12, "0");
    }
}
