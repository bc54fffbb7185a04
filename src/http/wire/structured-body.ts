import { LIMITS } from "../../base/limits.ts";
import { badHeader, Refusal } from "../../base/refusals.ts";
import { Crc64 } from "../../digest/crc64.ts";
import { type OwnedChunk, release, retainSlice } from "../../memory/pooled-buffer.ts";

/**
 * Structured bodies, `x-ms-structured-body: XSM/1.0; properties=crc64`: the content in segments, each with
 * its own checksum, so that a large transfer is checked as it goes. All numbers are little-endian:
 *
 *   version u8 = 1 | length of the whole message u64 | flags u16 (1: checksums) | count of segments u16
 *   for each segment: its number from 1 u16 | length of its content u64 | content | CRC64 of the content
 *   CRC64 of all content
 */
const HEADER_BYTES = 13;
const SEGMENT_HEADER_BYTES = 10;
const CHECKSUM_BYTES = 8;
const VERSION = 1;
const FLAG_CRC64 = 1;

export const STRUCTURED_BODY = "XSM/1.0; properties=crc64";

type HeaderValues = Readonly<Record<string, string | undefined>>;

/** The length of the content within, when the client sends a structured body. */
export function readStructuredBody(headers: HeaderValues): { readonly contentLength: number } | undefined {
  const form = headers["x-ms-structured-body"];
  if (form === undefined) return undefined;
  requireKnownForm(form);
  const length = headers["x-ms-structured-content-length"];
  if (length === undefined)
    throw new Refusal("MissingRequiredHeader", {
      elements: { HeaderName: "x-ms-structured-content-length" },
    });
  if (!/^\d{1,15}$/.test(length)) throw badHeader("x-ms-structured-content-length", length);
  return { contentLength: Number(length) };
}

/** Whether the client wants the answer as one. */
export function wantsStructuredBody(headers: HeaderValues): boolean {
  const form = headers["x-ms-structured-body"];
  if (form === undefined) return false;
  requireKnownForm(form);
  return true;
}

function requireKnownForm(form: string): void {
  if (form.replaceAll(" ", "").toLowerCase() !== "xsm/1.0;properties=crc64")
    throw badHeader("x-ms-structured-body", form);
}

function malformed(text: string): Refusal {
  return new Refusal("InvalidInput", { text: `The structured body is not valid: ${text}.` });
}

/**
 * The content of a structured body, in pieces of the buffers it came in. A reader that sees the end has seen
 * bytes whose checksums were right; anything else is thrown.
 */
export async function* decodeStructuredBody(
  source: AsyncIterable<Buffer>,
  { contentLength }: { readonly contentLength: number },
): AsyncGenerator<Buffer, void, undefined> {
  const input = new Input(source);
  try {
    yield* decodeContent(input, contentLength);
  } finally {
    // A reader may stop early, or we may refuse: the source must learn of it, or a socket stays open.
    await input.close();
  }
}

async function* decodeContent(input: Input, contentLength: number): AsyncGenerator<Buffer, void, undefined> {
  const header = await input.take(HEADER_BYTES);
  if (header[0] !== VERSION) throw malformed("unknown version");
  if (header.readUInt16LE(9) !== FLAG_CRC64) throw malformed("flags other than crc64");
  const messageBytes = Number(header.readBigUInt64LE(1));
  const segments = header.readUInt16LE(11);
  const expected =
    HEADER_BYTES + contentLength + segments * (SEGMENT_HEADER_BYTES + CHECKSUM_BYTES) + CHECKSUM_BYTES;
  if (messageBytes !== expected) throw malformed("its length does not agree with its content length");

  const whole = new Crc64();
  let left = contentLength;
  for (let number = 1; number <= segments; number++) {
    const segmentHeader = await input.take(SEGMENT_HEADER_BYTES);
    if (segmentHeader.readUInt16LE(0) !== number) throw malformed(`segment ${number} is missing`);
    let bytes = Number(segmentHeader.readBigUInt64LE(2));
    if (bytes > left) throw malformed(`segment ${number} is too long`);
    left -= bytes;
    const part = new Crc64();
    while (bytes > 0) {
      const piece = await input.some(bytes);
      bytes -= piece.length;
      part.update(piece);
      whole.update(piece);
      yield piece;
    }
    compare(part, await input.take(CHECKSUM_BYTES));
  }
  if (left !== 0) throw malformed("its segments are shorter than its content length");
  compare(whole, await input.take(CHECKSUM_BYTES));
  if (!(await input.isAtEnd())) throw malformed("there is more after its end");
}

function compare(calculated: Crc64, declared: Buffer): void {
  const digest = calculated.digest();
  if (digest.equals(declared)) return;
  throw new Refusal("Crc64Mismatch", {
    elements: {
      UserSpecifiedCrc: declared.toString("base64"),
      ServerCalculatedCrc: digest.toString("base64"),
    },
  });
}

const NOTHING = Buffer.alloc(0);

/** Takes counted bytes from a stream of buffers, without copying those that are only passed on. */
class Input {
  readonly #iterator: AsyncIterator<Buffer>;
  /** The chunk at hand and how much of it was passed on. */
  #piece: OwnedChunk = NOTHING;
  #at = 0;

  constructor(source: AsyncIterable<Buffer>) {
    this.#iterator = source[Symbol.asyncIterator]();
  }

  /** False at the end of the stream. */
  async #fill(): Promise<boolean> {
    while (this.#at === this.#piece.length) {
      this.#drop();
      const next = await this.#iterator.next();
      if (next.done === true) return false;
      this.#piece = next.value;
    }
    return true;
  }

  #drop(): void {
    const chunk = this.#piece;
    this.#piece = NOTHING;
    this.#at = 0;
    release(chunk);
  }

  /** From one to `bytesMax` bytes. */
  async some(bytesMax: number): Promise<Buffer> {
    if (!(await this.#fill())) throw malformed("it ends too early");
    const chunk = this.#piece;
    const end = Math.min(this.#at + bytesMax, chunk.length);
    const bytes = retainSlice(chunk, this.#at, end);
    this.#at = end;
    if (end === chunk.length) this.#drop();
    return bytes;
  }

  /** A few bytes, copied: what stands between the content must not keep pooled memory. */
  async take(bytes: number): Promise<Buffer> {
    const taken = Buffer.allocUnsafe(bytes);
    for (let have = 0; have < bytes; ) {
      const next = await this.some(bytes - have);
      taken.set(next, have);
      have += next.length;
      release(next);
    }
    return taken;
  }

  async isAtEnd(): Promise<boolean> {
    return !(await this.#fill());
  }

  async close(): Promise<void> {
    this.#drop();
    await this.#iterator.return?.();
  }
}

/** Segments are 4 MiB as the SDKs make them, longer only where their 16-bit count would not suffice. */
function segmentBytesOf(contentLength: number): number {
  return Math.max(LIMITS.structuredSegmentBytes, Math.ceil(contentLength / LIMITS.structuredSegmentsMax));
}

/** No content is one segment without any: the JavaScript SDK waits for ever where there is none. */
function segmentsOf(contentLength: number): number {
  return Math.max(1, Math.ceil(contentLength / segmentBytesOf(contentLength)));
}

export function structuredLength(contentLength: number): number {
  const segments = segmentsOf(contentLength);
  return HEADER_BYTES + contentLength + segments * (SEGMENT_HEADER_BYTES + CHECKSUM_BYTES) + CHECKSUM_BYTES;
}

/** Content as a structured body. The source must give exactly `contentLength` bytes. */
export async function* encodeStructuredBody(
  source: AsyncIterable<Buffer>,
  { contentLength }: { readonly contentLength: number },
): AsyncGenerator<Buffer, void, undefined> {
  const input = new Input(source);
  try {
    yield* encodeContent(input, contentLength);
  } finally {
    await input.close();
  }
}

async function* encodeContent(input: Input, contentLength: number): AsyncGenerator<Buffer, void, undefined> {
  const segmentBytes = segmentBytesOf(contentLength);
  const segments = segmentsOf(contentLength);
  const header = Buffer.allocUnsafe(HEADER_BYTES);
  header[0] = VERSION;
  header.writeBigUInt64LE(BigInt(structuredLength(contentLength)), 1);
  header.writeUInt16LE(FLAG_CRC64, 9);
  header.writeUInt16LE(segments, 11);
  yield header;

  const whole = new Crc64();
  for (let number = 1, left = contentLength; number <= segments; number++) {
    let bytes = Math.min(left, segmentBytes);
    left -= bytes;
    const segmentHeader = Buffer.allocUnsafe(SEGMENT_HEADER_BYTES);
    segmentHeader.writeUInt16LE(number, 0);
    segmentHeader.writeBigUInt64LE(BigInt(bytes), 2);
    yield segmentHeader;
    const part = new Crc64();
    while (bytes > 0) {
      const piece = await input.some(bytes);
      bytes -= piece.length;
      part.update(piece);
      whole.update(piece);
      yield piece;
    }
    yield part.digest();
  }
  yield whole.digest();
}
