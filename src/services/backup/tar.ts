import type { Writable } from "node:stream";
import { DamagedData } from "../../base/faults.ts";

/** The part of POSIX tar (ustar) that a backup needs: regular files with short names. */
const BLOCK_BYTES = 512;
const SIZE_DIGITS = 11;
/** Beyond 8 GiB a size is stored in binary; no file of a backup is that long. */
const SIZE_MAX = 8 ** SIZE_DIGITS - 1;
const END = Buffer.alloc(2 * BLOCK_BYTES);

export interface TarFile {
  readonly name: string;
  readonly bytes: number;
  /** To be read to its end. */
  readonly content: AsyncIterable<Buffer>;
}

function printHeader(name: string, bytes: number): Buffer {
  if (name.length > 100 || bytes > SIZE_MAX) throw new RangeError(`${name} does not fit a tar header`);
  const header = Buffer.alloc(BLOCK_BYTES);
  header.write(name, 0, "latin1");
  header.write("0000600\0" + "0000000\0" + "0000000\0", 100, "latin1");
  header.write(
    `${bytes.toString(8).padStart(SIZE_DIGITS, "0")}\0${"0".repeat(SIZE_DIGITS)}\0`,
    124,
    "latin1",
  );
  header.write("        0", 148, "latin1");
  header.write("ustar\x0000", 257, "latin1");
  header.write(`${sumOf(header).toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return header;
}

/** The sum of the header's bytes, with spaces in place of the sum itself. */
function sumOf(header: Buffer): number {
  let sum = 8 * 0x20;
  for (let at = 0; at < BLOCK_BYTES; at++) if (at < 148 || at >= 156) sum += header[at]!;
  return sum;
}

const paddingOf = (bytes: number): number => (BLOCK_BYTES - (bytes % BLOCK_BYTES)) % BLOCK_BYTES;

/** Writes files at the pace of the reader. */
export class TarWriter {
  readonly #out: Writable;

  constructor(out: Writable) {
    this.#out = out;
    // The next write reports it.
    out.on("error", () => {});
  }

  async file({ name, bytes, content }: TarFile): Promise<void> {
    await this.#write(printHeader(name, bytes));
    let written = 0;
    for await (const chunk of content) {
      written += chunk.length;
      await this.#write(chunk);
    }
    if (written !== bytes) throw new DamagedData(`${name} has ${written} bytes of ${bytes}`);
    await this.#write(END.subarray(0, paddingOf(bytes)));
  }

  end(): Promise<void> {
    return this.#write(END);
  }

  async #write(bytes: Buffer): Promise<void> {
    if (this.#out.errored) throw this.#out.errored;
    // A writer that is destroyed never drains.
    if (this.#out.destroyed) throw new DamagedData("the reader of the backup is gone");
    if (bytes.length === 0 || this.#out.write(bytes)) return;
    await new Promise<void>((resolve) => {
      const proceed = (): void => {
        this.#out.off("drain", proceed).off("close", proceed);
        resolve();
      };
      this.#out.on("drain", proceed).on("close", proceed);
    });
  }
}

/** The files of a tar stream in their order. Throws `DamagedData` when it ends early. */
export async function* readTar(stream: AsyncIterable<Buffer>): AsyncGenerator<TarFile> {
  const input = new ChunkSource(stream);
  for (;;) {
    const header = await input.exactly(BLOCK_BYTES);
    if (header.equals(END.subarray(0, BLOCK_BYTES))) {
      // To the end, so that the sender need not break off.
      await input.drain();
      return;
    }
    const sum = Number.parseInt(header.toString("latin1", 148, 156), 8);
    if (sum !== sumOf(header)) throw new DamagedData("the backup is damaged: a tar header does not add up");
    const name = header.toString("latin1", 0, header.indexOf(0));
    const bytes = Number.parseInt(header.toString("latin1", 124, 136), 8);
    const content = input.upTo(bytes);
    yield { name, bytes, content };
    for await (const _ of content);
    await input.exactly(paddingOf(bytes));
  }
}

class ChunkSource {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(stream: AsyncIterable<Buffer>) {
    this.#chunks = stream[Symbol.asyncIterator]();
  }

  async #more(): Promise<boolean> {
    const { done, value } = await this.#chunks.next();
    if (done === true) return false;
    this.#rest = this.#rest.length === 0 ? value : Buffer.concat([this.#rest, value]);
    return true;
  }

  async exactly(bytes: number): Promise<Buffer> {
    while (this.#rest.length < bytes)
      if (!(await this.#more())) throw new DamagedData("the backup ends early");
    const found = this.#rest.subarray(0, bytes);
    this.#rest = this.#rest.subarray(bytes);
    return found;
  }

  async *upTo(bytes: number): AsyncGenerator<Buffer> {
    for (let left = bytes; left > 0; ) {
      if (this.#rest.length === 0 && !(await this.#more())) throw new DamagedData("the backup ends early");
      const chunk = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(chunk.length);
      left -= chunk.length;
      yield chunk;
    }
  }

  async drain(): Promise<void> {
    do this.#rest = this.#rest.subarray(this.#rest.length);
    while (await this.#more());
  }
}
