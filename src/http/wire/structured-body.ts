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

/** The length of the content, when the client sends a structured body. */
export function readStructuredBody(headers: HeaderValues): { readonly contentLength: number } | undefined {
  const form = headers["x-ms-structured-body"];
  if (form === undefined) return undefined;
  checkForm(form);
  const length = headers["x-ms-structured-content-length"];
  if (length === undefined)
    throw new Refusal("MissingRequiredHeader", {
      elements: { HeaderName: "x-ms-structured-content-length" },
    });
  if (!/^\d{1,15}$/.test(length)) throw badHeader("x-ms-structured-content-length", length);
  return { contentLength: Number(length) };
}

/** Whether the client requests a structured reply. */
export function wantsStructuredBody(headers: HeaderValues): boolean {
  const form = headers["x-ms-structured-body"];
  if (form === undefined) return false;
  checkForm(form);
  return true;
}

function checkForm(form: string): void {
  if (form.replaceAll(" ", "").toLowerCase() !== "xsm/1.0;properties=crc64")
    throw badHeader("x-ms-structured-body", form);
}

function malformed(text: string): Refusal {
  return new Refusal("InvalidInput", { text: `The structured body is not valid: ${text}.` });
}

/**
 * The content of a structured body, as slices of the chunks it arrived in. A reader that sees the end has
 * seen bytes whose checksums were right; anything else throws.
 */
export function decodeStructuredBody(
  source: AsyncIterable<OwnedChunk>,
  { contentLength }: { readonly contentLength: number },
): AsyncGenerator<OwnedChunk, void, undefined> {
  return withInput(source, (input) => decodeContent(input, contentLength));
}

/** Content as a structured body. The source must have exactly `contentLength` bytes. */
export function encodeStructuredBody(
  source: AsyncIterable<OwnedChunk>,
  { contentLength }: { readonly contentLength: number },
): AsyncGenerator<OwnedChunk, void, undefined> {
  return withInput(source, (input) => encodeContent(input, contentLength));
}

type Chunks = AsyncGenerator<OwnedChunk, void, undefined>;

async function* withInput(source: AsyncIterable<OwnedChunk>, transform: (input: Input) => Chunks): Chunks {
  const input = new Input(source);
  try {
    yield* transform(input);
  } finally {
    // A reader may stop early, or we may refuse: the source must end too, or a socket stays open.
    await input.close();
  }
}

function messageBytesOf(contentLength: number, segments: number): number {
  return HEADER_BYTES + contentLength + segments * (SEGMENT_HEADER_BYTES + CHECKSUM_BYTES) + CHECKSUM_BYTES;
}

async function* decodeContent(input: Input, contentLength: number): Chunks {
  const header = await input.copy(HEADER_BYTES);
  if (header[0] !== VERSION) throw malformed("unknown version");
  if (header.readUInt16LE(9) !== FLAG_CRC64) throw malformed("flags other than crc64");
  const segments = header.readUInt16LE(11);
  if (Number(header.readBigUInt64LE(1)) !== messageBytesOf(contentLength, segments))
    throw malformed("its length does not agree with its content length");

  const whole = new Crc64();
  let left = contentLength;
  for (let number = 1; number <= segments; number++) {
    const segmentHeader = await input.copy(SEGMENT_HEADER_BYTES);
    if (segmentHeader.readUInt16LE(0) !== number) throw malformed(`segment ${number} is missing`);
    const bytes = Number(segmentHeader.readBigUInt64LE(2));
    if (bytes > left) throw malformed(`segment ${number} is too long`);
    left -= bytes;
    const segment = new Crc64();
    yield* passContent(input, bytes, segment, whole);
    compare(segment, await input.copy(CHECKSUM_BYTES));
  }
  if (left !== 0) throw malformed("its segments are shorter than its content length");
  compare(whole, await input.copy(CHECKSUM_BYTES));
  if (!(await input.isAtEnd())) throw malformed("there is more after its end");
}

async function* passContent(input: Input, bytes: number, segment: Crc64, whole: Crc64): Chunks {
  for (let left = bytes; left > 0; ) {
    const chunk = await input.next(left);
    left -= chunk.length;
    segment.update(chunk);
    whole.update(chunk);
    yield chunk;
  }
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

/** Reads counted bytes from a stream of chunks, without copying those that are only passed on. */
class Input {
  readonly #iterator: AsyncIterator<OwnedChunk>;
  /** The current chunk and how much of it was passed on. */
  #chunk: OwnedChunk = NOTHING;
  #at = 0;

  constructor(source: AsyncIterable<OwnedChunk>) {
    this.#iterator = source[Symbol.asyncIterator]();
  }

  async isAtEnd(): Promise<boolean> {
    while (this.#at === this.#chunk.length) {
      this.#drop();
      const next = await this.#iterator.next();
      if (next.done === true) return true;
      this.#chunk = next.value;
    }
    return false;
  }

  #drop(): void {
    const chunk = this.#chunk;
    this.#chunk = NOTHING;
    this.#at = 0;
    release(chunk);
  }

  /** From one to `bytesMax` bytes. */
  async next(bytesMax: number): Promise<OwnedChunk> {
    if (await this.isAtEnd()) throw malformed("it ends too early");
    const chunk = this.#chunk;
    const end = Math.min(this.#at + bytesMax, chunk.length);
    const bytes = retainSlice(chunk, this.#at, end);
    this.#at = end;
    if (end === chunk.length) this.#drop();
    return bytes;
  }

  /** A few bytes, copied: headers and checksums must not pin pooled memory. */
  async copy(bytes: number): Promise<Buffer> {
    const copied = Buffer.allocUnsafe(bytes);
    for (let at = 0; at < bytes; ) {
      const chunk = await this.next(bytes - at);
      copied.set(chunk, at);
      at += chunk.length;
      release(chunk);
    }
    return copied;
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

/** Empty content is one empty segment: without any, the JavaScript SDK waits for ever. */
function segmentsOf(contentLength: number): number {
  return Math.max(1, Math.ceil(contentLength / segmentBytesOf(contentLength)));
}

export function structuredLength(contentLength: number): number {
  return messageBytesOf(contentLength, segmentsOf(contentLength));
}

async function* encodeContent(input: Input, contentLength: number): Chunks {
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
    const bytes = Math.min(left, segmentBytes);
    left -= bytes;
    const segmentHeader = Buffer.allocUnsafe(SEGMENT_HEADER_BYTES);
    segmentHeader.writeUInt16LE(number, 0);
    segmentHeader.writeBigUInt64LE(BigInt(bytes), 2);
    yield segmentHeader;
    const segment = new Crc64();
    yield* passContent(input, bytes, segment, whole);
    yield segment.digest();
  }
  yield whole.digest();
}
