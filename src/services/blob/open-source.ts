import { Refusal } from "../../base/refusals.ts";
import type { SourceUse } from "../../concurrency/conditions.ts";
import type { BlobRecord } from "../../store/records/blob.ts";
import type { OpenPayload, SliceRange } from "../payload/payloads.ts";
import type { BlobService } from "./blob-service.ts";
import { openBlobContent } from "./content.ts";
import { type LocalSource, readSource } from "./copy-blob.ts";

export interface OpenedSource {
  readonly record: BlobRecord;
  readonly range: SliceRange;
  /** To be closed by whoever has it. */
  readonly payload: OpenPayload;
}

/** A blob of this server, judged as a source and opened in the same snapshot. */
export async function openSource(
  blobs: BlobService,
  source: LocalSource,
  { use, rangeOf }: { readonly use: SourceUse; readonly rangeOf: (length: number) => SliceRange },
): Promise<OpenedSource> {
  return blobs.parts.store.read(async (read) => {
    const record = await readSource(read, source, use);
    if (record.tier === "Archive") throw new Refusal("BlobArchived");
    const range = rangeOf(record.length);
    return { record, range, payload: await openBlobContent(blobs.parts.payloads, read, record, range) };
  });
}
