/** As much of NDR (the wire form of DCE/RPC arguments) as srvsvc needs. */
export class NdrReader {
    #data;
    #at = 0;
    /** Something did not fit; every value read since is empty. */
    isBad = false;
    constructor(data) {
        this.#data = data;
    }
    u32() {
        this.#at = (this.#at + 3) & ~3;
        if (this.isBad || this.#at + 4 > this.#data.length) {
            this.isBad = true;
            return 0;
        }
        const value = this.#data.readUInt32LE(this.#at);
        this.#at += 4;
        return value;
    }
    /** A conformant, varying string with its terminator. */
    string() {
        this.u32();
        const offset = this.u32();
        const count = this.u32();
        const bytes = count * 2;
        if (this.isBad || offset !== 0 || this.#at + bytes > this.#data.length) {
            this.isBad = true;
            return "";
        }
        const text = this.#data.toString("utf16le", this.#at, this.#at + bytes);
        this.#at += bytes;
        return text.replace(/\0+$/, "");
    }
    optionalString() {
        return this.u32() === 0 ? undefined : this.string();
    }
}
export class NdrWriter {
    #parts = [];
    #references = 0;
    u32(value) {
        const part = Buffer.alloc(4);
        part.writeUInt32LE(value);
        this.#parts.push(part);
        return this;
    }
    /** A pointer that is not null: its value only has to differ from zero and from the others. */
    reference() {
        return this.u32(0x0002_0000 + 4 * this.#references++);
    }
    string(text) {
        const bytes = Buffer.from(`${text}\0`, "utf16le");
        this.u32(bytes.length / 2)
            .u32(0)
            .u32(bytes.length / 2);
        this.#parts.push(bytes, Buffer.alloc(-bytes.length & 3));
        return this;
    }
    bytes() {
        return Buffer.concat(this.#parts);
    }
}
