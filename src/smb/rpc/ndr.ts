/** The subset of NDR (the encoding of DCE/RPC arguments) that srvsvc needs. */
export class NdrReader {
  readonly #data: Buffer;
  #at = 0;
  /** The data ended too early. Every value read since is empty. */
  isBad = false;

  constructor(data: Buffer) {
    this.#data = data;
  }

  u32(): number {
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
  string(): string {
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

  optionalString(): string | undefined {
    return this.u32() === 0 ? undefined : this.string();
  }
}

export class NdrWriter {
  readonly #parts: Buffer[] = [];
  #references = 0;

  u32(value: number): this {
    const part = Buffer.alloc(4);
    part.writeUInt32LE(value);
    this.#parts.push(part);
    return this;
  }

  /** A pointer that is not null. Its value only has to differ from zero and from other pointers. */
  reference(): this {
    return this.u32(0x0002_0000 + 4 * this.#references++);
  }

  string(text: string): this {
    const bytes = Buffer.from(`${text}\0`, "utf16le");
    this.u32(bytes.length / 2)
      .u32(0)
      .u32(bytes.length / 2);
    this.#parts.push(bytes, Buffer.alloc(-bytes.length & 3));
    return this;
  }

  bytes(): Buffer {
    return Buffer.concat(this.#parts);
  }
}
