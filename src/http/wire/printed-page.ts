import { LIMITS } from "../../base/limits.ts";
import type { Page } from "../../services/page.ts";
import { BOM, printAttributes, textElement, XML_DECLARATION } from "./xml-print.ts";

/**
 * A printed page of a listing. It is full when it has the requested entries, or the bytes that a page may
 * have; a single entry may have more. Entries are printed as they are found, so a page never has its records
 * in memory. A long page becomes bytes as it grows: outside the heap, and ready to be sent chunk by chunk.
 */
export class PrintedPage<Item> implements Page<Item> {
  readonly #print: (item: Item, index: number) => string;
  readonly #countMax: number;
  readonly #bytesMax: number;
  readonly #chunks: Buffer[] = [];
  #chunkBytes = 0;
  /** Printed, and not yet in a chunk. */
  #text = "";
  #count = 0;

  constructor(
    print: (item: Item, index: number) => string,
    {
      countMax,
      bytesMax = LIMITS.listPageBytesMax,
    }: { readonly countMax: number; readonly bytesMax?: number },
  ) {
    this.#print = print;
    this.#countMax = countMax;
    this.#bytesMax = bytesMax;
  }

  get count(): number {
    return this.#count;
  }

  get isFull(): boolean {
    return this.#count >= this.#countMax || this.#chunkBytes + this.#text.length >= this.#bytesMax;
  }

  add(item: Item): void {
    this.#text += this.#print(item, this.#count++);
    if (this.#text.length < LIMITS.printedChunkChars) return;
    const chunk = Buffer.from(this.#text, "utf8");
    this.#chunks.push(chunk);
    this.#chunkBytes += chunk.length;
    this.#text = "";
  }

  /** What was printed: chunks, and the text behind them. */
  get chunks(): readonly Buffer[] {
    return this.#chunks;
  }

  get text(): string {
    return this.#text;
  }
}

type Printed = Pick<PrintedPage<never>, "count" | "chunks" | "text">;

/** The body of a reply from texts and pages in their order: one string where it is short. */
export function bodyOf(...parts: readonly (string | Printed)[]): string | readonly Buffer[] {
  const chunks: Buffer[] = [];
  let text = "";
  for (const part of parts) {
    if (typeof part === "string") text += part;
    else {
      if (part.chunks.length > 0) {
        chunks.push(Buffer.from(text, "utf8"), ...part.chunks);
        text = "";
      }
      text += part.text;
    }
  }
  if (chunks.length === 0) return text;
  chunks.push(Buffer.from(text, "utf8"));
  return chunks;
}

/** As `element` and `printXml` print a listing, with a page in the place of its entries. */
export function printListing(listing: {
  readonly attributes?: Readonly<Record<string, string | undefined>>;
  /** In front of the entries. */
  readonly head: string;
  /** The element around the entries. */
  readonly name: string;
  readonly page: Printed;
  readonly nextMarker: string;
}): string | readonly Buffer[] {
  const { attributes = {}, head, name, page, nextMarker } = listing;
  const isEmpty = page.count === 0;
  const start = `${BOM}${XML_DECLARATION}<EnumerationResults${printAttributes(attributes)}>${head}`;
  const end = `${textElement("NextMarker", nextMarker)}</EnumerationResults>`;
  return isEmpty ? `${start}<${name} />${end}` : bodyOf(`${start}<${name}>`, page, `</${name}>${end}`);
}
