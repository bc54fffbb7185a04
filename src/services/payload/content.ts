import { LIMITS } from "../../base/limits.ts";
import type { MaybePromise, Reader, Writer } from "../../store/kv.ts";
import { inlinePayload } from "./open-payload.ts";
import type { OpenPayload, PayloadSource, Payloads, Slice, SliceRange } from "./payloads.ts";

/** The payload of a record in every service: small payload inside the record, larger payload as slices. */
export type Content = { readonly inline: Buffer } | { readonly slices: readonly Slice[] };

export const NO_CONTENT: Content = { inline: Buffer.alloc(0) };

export interface Ingested {
  readonly content: Content;
  readonly length: number;
  /** As of `Appended`: called when the record is durable or was given up. */
  release(): void;
}

/**
 * Ingests a body: up to `LIMITS.inlineBytesMax` into memory, for the record itself (one commit, one sync),
 * and a longer one into extents. A `declaredLength` above the limit saves buffering; the body itself decides.
 */
export function ingest(
  payloads: Payloads,
  source: PayloadSource,
  declaredLength?: number,
): MaybePromise<Ingested> {
  if (source instanceof Uint8Array) return ingestSmall(source) ?? append(payloads, source);
  const isLong = declaredLength !== undefined && declaredLength > LIMITS.inlineBytesMax;
  return isLong ? append(payloads, source, declaredLength) : ingestStream(payloads, source);
}

/** The same for a small body that is in memory; undefined for any other. */
export function ingestSmall(source: PayloadSource): Ingested | undefined {
  if (!(source instanceof Uint8Array) || source.length > LIMITS.inlineBytesMax) return undefined;
  return inline([source]);
}

/** Ingests a block: inline only when it is in memory and no longer than `inlineMax`. */
export function ingestBlock(
  payloads: Payloads,
  body: PayloadSource,
  { inlineMax, length }: { readonly inlineMax: number; readonly length: number | undefined },
): MaybePromise<Ingested> {
  if (!(body instanceof Uint8Array) || body.length > inlineMax) return append(payloads, body, length);
  return { content: { inline: Buffer.from(body) }, length: body.length, release() {} };
}

async function ingestStream(payloads: Payloads, source: AsyncIterable<Uint8Array>): Promise<Ingested> {
  const iterator = source[Symbol.asyncIterator]();
  const head: Uint8Array[] = [];
  let bytes = 0;
  while (bytes <= LIMITS.inlineBytesMax) {
    const step = await iterator.next();
    if (step.done) return inline(head);
    head.push(step.value);
    bytes += step.value.length;
  }
  try {
    return await append(payloads, headAndRest(head, iterator));
  } catch (error) {
    // The stream must end even if the append never began to read it.
    await iterator.return?.();
    throw error;
  }
}

function inline(chunks: readonly Uint8Array[]): Ingested {
  const [only] = chunks;
  // A body in one buffer goes into its record without a copy.
  const bytes = chunks.length === 1 && Buffer.isBuffer(only) ? only : Buffer.concat(chunks);
  return { content: { inline: bytes }, length: bytes.length, release() {} };
}

async function append(payloads: Payloads, source: PayloadSource, declaredLength?: number): Promise<Ingested> {
  const appended = await payloads.append(source, declaredLength);
  const { slices, length } = appended;
  return { content: { slices }, length, release: () => appended.release() };
}

async function* headAndRest(
  head: readonly Uint8Array[],
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* head;
  for (let step = await rest.next(); !step.done; step = await rest.next()) yield step.value;
}

export function commitContent(payloads: Payloads, write: Writer, content: Content): MaybePromise<void> {
  if ("slices" in content) return payloads.keep(write, content.slices);
}

export async function dropContent(payloads: Payloads, write: Writer, content: Content): Promise<void> {
  if ("slices" in content) await payloads.drop(write, content.slices);
}

export async function openContent(
  payloads: Payloads,
  read: Reader,
  content: Content,
  range?: SliceRange,
): Promise<OpenPayload> {
  return "slices" in content ? payloads.open(read, content.slices, range) : inlinePayload(content.inline);
}

export function contentLength(content: Content): number {
  if ("inline" in content) return content.inline.length;
  return content.slices.reduce((total, { length }) => total + length, 0);
}
