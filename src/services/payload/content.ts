import { LIMITS } from "../../base/limits.ts";
import type { MaybePromise, Reader, Writer } from "../../store/kv.ts";
import { inlinePayload } from "./open-payload.ts";
import type { OpenPayload, PayloadSource, Payloads, Slice, SliceRange } from "./payloads.ts";

/** What a record holds of its payload: small ones whole, larger ones by name. One way for every service. */
export type Content = { readonly inline: Buffer } | { readonly slices: readonly Slice[] };

export const NO_CONTENT: Content = { inline: Buffer.alloc(0) };

export interface Ingested {
  readonly content: Content;
  readonly length: number;
  /** As of `Appended`: call it when the record is durable, or will never be. */
  release(): void;
}

/**
 * Takes a body in: up to `LIMITS.inlineBytesMax` into memory, for the record itself (one commit, one sync);
 * anything longer into extents. `knownLength` saves a detour when it is above the limit; the body decides.
 */
export function ingest(
  payloads: Payloads,
  source: PayloadSource,
  knownLength?: number,
): MaybePromise<Ingested> {
  if (source instanceof Uint8Array) return ingestSmall(source) ?? append(payloads, source);
  const isLong = knownLength !== undefined && knownLength > LIMITS.inlineBytesMax;
  return isLong ? append(payloads, source, knownLength) : ingestStream(payloads, source);
}

/** The same of what is in memory and small; undefined for all else. */
export function ingestSmall(source: PayloadSource): Ingested | undefined {
  if (!(source instanceof Uint8Array) || source.length > LIMITS.inlineBytesMax) return undefined;
  return inline([source]);
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
    // The client's stream must hear that nobody reads on, even if the append never began to read.
    await iterator.return?.();
    throw error;
  }
}

function inline(parts: readonly Uint8Array[]): Ingested {
  const [only] = parts;
  // A body that came in one piece is packed into its record as it is.
  const bytes = parts.length === 1 && Buffer.isBuffer(only) ? only : Buffer.concat(parts);
  return { content: { inline: bytes }, length: bytes.length, release() {} };
}

async function append(payloads: Payloads, source: PayloadSource, knownLength?: number): Promise<Ingested> {
  const appended = await payloads.append(source, knownLength);
  return {
    content: { slices: appended.slices },
    length: appended.length,
    release: () => appended.release(),
  };
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

export async function shareContent(payloads: Payloads, write: Writer, content: Content): Promise<void> {
  if ("slices" in content) await payloads.share(write, content.slices);
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
