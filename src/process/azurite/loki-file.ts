import { createReadStream } from "node:fs";
import { UnusableDirectory } from "../../base/faults.ts";
import { LIMITS } from "../../base/limits.ts";

/**
 * Reads the records of a LokiJS file, which is one JSON document of any size:
 *
 *   {"filename":...,"collections":[{"name":"$BLOBS_COLLECTION$","data":[{record},{record},...],...},...],...}
 *
 * A scanner follows strings and brackets, and only the bytes of one record at a time are in memory.
 */
export interface LokiRecord {
  readonly collection: string;
  /** The JSON object. */
  readonly bytes: Buffer;
  /** Where it ends in the file. */
  readonly end: number;
}

/** Depths of brackets at which the scanner looks at the document. */
const ROOT = 1;
const COLLECTIONS = 2;
const COLLECTION = 3;
const RECORD = 5;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
/** `[` and `]` with this bit are `{` and `}`. */
const BRACE_BIT = 0x20;
const OPENING = 0x7b;
const CLOSING = 0x7d;

/** The records of the collections that `isWanted` names, in the order of the file. */
export async function* readLokiFile(
  path: string,
  isWanted: (collection: string) => boolean,
): AsyncGenerator<LokiRecord> {
  const scanner = new Scanner(path, isWanted);
  for await (const chunk of createReadStream(path, { highWaterMark: LIMITS.azuriteReadBytes }))
    yield* scanner.scan(chunk as Buffer);
  scanner.end();
}

class Scanner {
  readonly #path: string;
  readonly #isWanted: (collection: string) => boolean;
  #at = 0;
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  /** The last string at this depth or above the records, and what it is. */
  #text = "";
  #isValue = false;
  #rootKey = "";
  #key = "";
  #collection: string | undefined;
  #isRecord = false;
  /** Bytes of the string or record being read, from earlier chunks; `#from` is its start in this one. */
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #from: number | undefined;

  constructor(path: string, isWanted: (collection: string) => boolean) {
    this.#path = path;
    this.#isWanted = isWanted;
  }

  *scan(chunk: Buffer): Generator<LokiRecord> {
    if (this.#from !== undefined) this.#from = 0;
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i]!;
      if (this.#isInString) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (byte === BACKSLASH) this.#isEscaped = true;
        else if (byte === QUOTE) this.#endString(chunk, i);
      } else if (byte === QUOTE) {
        this.#isInString = true;
        if (this.#depth <= COLLECTION) this.#from = i;
      } else if ((byte | BRACE_BIT) === OPENING) this.#open(i);
      else if ((byte | BRACE_BIT) === CLOSING) {
        const isEnd = this.#isRecord && this.#depth === RECORD;
        if (--this.#depth < 0) this.#fail(i, "a bracket closes that was never opened");
        if (isEnd) yield this.#endRecord(chunk, i);
      } else if (byte === COLON && this.#depth <= COLLECTION) this.#endKey();
      else if (byte === COMMA && this.#depth <= COLLECTION) this.#isValue = false;
    }
    if (this.#from !== undefined) this.#addPending(chunk.subarray(this.#from), chunk.length);
    this.#at += chunk.length;
  }

  end(): void {
    if (this.#at === 0) this.#fail(0, "it is empty");
    if (this.#depth !== 0 || this.#isInString) this.#fail(0, "it ends inside its JSON document");
  }

  #open(i: number): void {
    this.#depth++;
    this.#isValue = false;
    if (this.#depth === COLLECTION) this.#collection = undefined;
    if (this.#depth === COLLECTIONS) this.#key = "";
    if (this.#depth !== RECORD) return;
    this.#isRecord = false;
    if (this.#rootKey !== "collections" || this.#key !== "data") return;
    if (this.#collection === undefined) this.#fail(i, "a collection has no name before its data");
    if (!this.#isWanted(this.#collection!)) return;
    this.#isRecord = true;
    this.#from = i;
  }

  #endString(chunk: Buffer, i: number): void {
    this.#isInString = false;
    if (this.#depth > COLLECTION) return;
    const text = this.#take(chunk, i);
    this.#text = this.#parse(text, i) as string;
    if (this.#isValue && this.#depth === COLLECTION && this.#key === "name") this.#collection = this.#text;
  }

  #endKey(): void {
    this.#isValue = true;
    if (this.#depth === ROOT) this.#rootKey = this.#text;
    else if (this.#depth === COLLECTION) this.#key = this.#text;
  }

  #endRecord(chunk: Buffer, i: number): LokiRecord {
    this.#isRecord = false;
    return { collection: this.#collection!, bytes: this.#take(chunk, i), end: this.#at + i + 1 };
  }

  /** The bytes from the start of the string or record up to `i`, inclusive. */
  #take(chunk: Buffer, i: number): Buffer {
    const last = chunk.subarray(this.#from, i + 1);
    this.#from = undefined;
    if (this.#pending.length === 0) return last;
    this.#addPending(last, i);
    const whole = Buffer.concat(this.#pending, this.#pendingBytes);
    this.#pending = [];
    this.#pendingBytes = 0;
    return whole;
  }

  #addPending(bytes: Buffer, i: number): void {
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    if (this.#pendingBytes > LIMITS.azuriteRecordBytesMax)
      this.#fail(i, `a record is longer than ${LIMITS.azuriteRecordBytesMax} bytes`);
  }

  #parse(bytes: Buffer, i: number): unknown {
    try {
      return JSON.parse(bytes.toString("utf8"));
    } catch (error) {
      return this.#fail(i, (error as Error).message);
    }
  }

  #fail(i: number, why: string): never {
    throw new UnusableDirectory(`${this.#path} is damaged at byte ${this.#at + i}: ${why}`);
  }
}
