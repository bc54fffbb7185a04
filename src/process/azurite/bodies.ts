import { LIMITS } from "../../base/limits.ts";
import { Semaphore } from "../../base/semaphore.ts";
import type { BlobContext } from "../../services/blob/context.ts";
import { BLOB_LIMITS } from "../../services/blob/limits.ts";
import { appendBySegment, rangesOf } from "../../services/blob/put-page.ts";
import { commitContent, type Ingested, ingest, ingestBlock } from "../../services/payload/content.ts";
import type { Slice } from "../../services/payload/payloads.ts";
import type { Writer } from "../../store/kv.ts";
import type { AzuriteData, Chunk } from "./azurite-data.ts";

export interface PageBodies {
  readonly ranges: ReturnType<typeof rangesOf>;
  readonly slices: readonly Slice[];
}

/**
 * Ingests chunks of Azurite's files, for one batch of records after another. Snapshots and copies name the
 * same chunk as the blob they came from; they share its bytes when it was among the most recent chunks.
 *
 *   ingest ...    before the transaction; the bytes are durable, without references
 *   begin         at the start of the transaction, which may run again
 *   reference     by each record that names the bytes: the first one keeps them, the others share them
 *   end           after the transaction
 */
export class Bodies {
  readonly #data: AzuriteData;
  readonly #blobs: BlobContext;
  readonly #slots = new Semaphore(LIMITS.azuriteBodiesMax);
  readonly #recent = new Map<string, Promise<Ingested>>();
  readonly #isDurable = new WeakSet<Ingested>();
  readonly #kept = new Set<Ingested>();
  /** Of this batch. */
  readonly #fresh: { readonly key?: string; readonly ingested?: Ingested; release(): void }[] = [];

  constructor(data: AzuriteData, blobs: BlobContext) {
    this.#data = data;
    this.#blobs = blobs;
  }

  ingest(chunk: Chunk, form: "blob" | "block", owner: string): Promise<Ingested> {
    const key = `${form} ${chunk.id} ${chunk.offset} ${chunk.count}`;
    const shared = this.#recent.get(key);
    if (shared !== undefined) return shared;
    const own = this.#slots.run(async () => {
      const ingested = await this.#read(chunk, form, owner);
      this.#fresh.push({ key, ingested, release: () => ingested.release() });
      return ingested;
    });
    this.#recent.set(key, own);
    if (this.#recent.size > LIMITS.azuriteSharedBodiesMax)
      this.#recent.delete(this.#recent.keys().next().value!);
    return own;
  }

  begin(): void {
    this.#kept.clear();
  }

  async reference(write: Writer, ingested: Ingested): Promise<void> {
    const { payloads } = this.#blobs;
    const { content } = ingested;
    const isShared = this.#isDurable.has(ingested) || this.#kept.has(ingested);
    this.#kept.add(ingested);
    if (!isShared) await commitContent(payloads, write, content);
    else if ("slices" in content) await payloads.share(write, content.slices);
  }

  end(isCommitted: boolean): void {
    if (isCommitted) for (const ingested of this.#kept) this.#isDurable.add(ingested);
    for (const { key, ingested, release } of this.#fresh.splice(0)) {
      release();
      // No record named it, so its bytes may be freed.
      if (ingested !== undefined && !this.#isDurable.has(ingested)) this.#recent.delete(key!);
    }
  }

  async #read(chunk: Chunk, form: "blob" | "block", owner: string): Promise<Ingested> {
    const { payloads } = this.#blobs;
    const source = await this.#data.read("blob", chunk, owner);
    if (form === "blob") return ingest(payloads, source, chunk.count);
    return ingestBlock(payloads, source, {
      inlineMax: BLOB_LIMITS.inlineBlockBytesMax,
      length: chunk.count,
    });
  }

  /** Pages from `start` on. Their slices are kept by the record that names them. */
  ingestPages(chunk: Chunk, start: number, owner: string): Promise<PageBodies> {
    return this.#slots.run(async () => {
      const ranges: ReturnType<typeof rangesOf> = [];
      const slices: Slice[] = [];
      for (let from = 0; from < chunk.count; from += BLOB_LIMITS.pageWriteBytesMax) {
        const count = Math.min(BLOB_LIMITS.pageWriteBytesMax, chunk.count - from);
        const part = { ...chunk, offset: chunk.offset + from, count };
        const body = await this.#data.readAll("blob", part, owner);
        for (const write of await appendBySegment(this.#blobs, start + from, body)) {
          this.#fresh.push({ release: () => write.appended.release() });
          ranges.push(...rangesOf(write));
          slices.push(...write.appended.slices);
        }
      }
      return { ranges, slices };
    });
  }
}
