import { LIMITS } from "../../base/limits.ts";
import { type OwnedChunk, retainSlice } from "../../memory/pooled-buffer.ts";
import { Malformed } from "./request-head.ts";

/** Decodes a chunked body from chunks of any size. */
export class ChunkReader {
  #state: "size" | "extension" | "data" | "after data" | "trailer" | "end" = "size";
  #size = 0;
  #digits = 0;
  /** Bytes of extensions and trailers, which are ignored. */
  #ignoredBytes = 0;
  #last = 0;
  #lineLength = 0;

  /**
   * Calls `onContent` with slices it then owns, and returns where the body ends, or -1 when more must come.
   */
  read(data: OwnedChunk, onContent: (content: OwnedChunk) => void): number {
    let at = 0;
    while (at < data.length) {
      if (this.#state === "data") {
        const end = Math.min(data.length, at + this.#size);
        if (end > at) onContent(retainSlice(data, at, end));
        this.#size -= end - at;
        at = end;
        if (this.#size > 0) break;
        this.#state = "after data";
        this.#last = 0;
        continue;
      }
      this.#step(data[at++]!);
      if (this.#state === "end") return at;
    }
    return -1;
  }

  #step(byte: number): void {
    switch (this.#state) {
      case "size": {
        const digit = hexDigit(byte);
        if (digit >= 0) {
          if (++this.#digits > 12) throw new Malformed("a chunk is too large");
          this.#size = this.#size * 16 + digit;
          return;
        }
        if (this.#digits === 0) throw new Malformed("a chunk has no size");
        if (byte !== CR && byte !== SEMICOLON) throw new Malformed("the size of a chunk is not a number");
        this.#state = "extension";
        this.#last = byte;
        return;
      }
      case "extension":
        this.#ignore(byte);
        if (this.#endsLine(byte)) this.#startChunk();
        return;
      case "after data":
        if (byte === CR && this.#last === 0) this.#last = CR;
        else if (byte === LF && this.#last === CR) this.#expectSize();
        else throw new Malformed("a chunk is longer than its size");
        return;
      case "trailer":
        this.#ignore(byte);
        if (!this.#endsLine(byte)) {
          if (byte !== CR) this.#lineLength++;
        } else if (this.#lineLength === 0) this.#state = "end";
        else this.#lineLength = 0;
        return;
      default:
        throw new Malformed("the body has ended");
    }
  }

  #expectSize(): void {
    this.#state = "size";
    this.#size = 0;
    this.#digits = 0;
  }

  #startChunk(): void {
    this.#state = this.#size === 0 ? "trailer" : "data";
    this.#lineLength = 0;
    this.#last = 0;
  }

  #ignore(byte: number): void {
    if (++this.#ignoredBytes > LIMITS.chunkExtrasBytesMax)
      throw new Malformed("chunk extensions are too long");
    if (byte < 32 && byte !== CR && byte !== LF && byte !== TAB)
      throw new Malformed("a control character beside a chunk");
  }

  /** Lines end with CR LF; either of them alone is malformed. */
  #endsLine(byte: number): boolean {
    const former = this.#last;
    this.#last = byte;
    if (byte === LF) {
      if (former !== CR) throw new Malformed("a bare line feed");
      return true;
    }
    if (former === CR) throw new Malformed("a bare carriage return");
    return false;
  }
}

const CR = 13;
const LF = 10;
const TAB = 9;
const SEMICOLON = 59;

function hexDigit(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const lower = byte | 32;
  return lower >= 97 && lower <= 102 ? lower - 87 : -1;
}
