import type { SourceUse } from "../../concurrency/conditions.ts";
import type { BlobRecord } from "../../store/records/blob.ts";
import type { OpenPayload, SliceRange } from "../payload/payloads.ts";
import type { BlobService } from "./blob-service.ts";
import { type LocalSource } from "./copy-blob.ts";
export interface OpenedSource {
    readonly record: BlobRecord;
    readonly range: SliceRange;
    /** To be closed by whoever has it. */
    readonly payload: OpenPayload;
}
/** A blob of this server, judged as a source and opened in the same snapshot. */
export declare function openSource(blobs: BlobService, source: LocalSource, { use, rangeOf }: {
    readonly use: SourceUse;
    readonly rangeOf: (length: number) => SliceRange;
}): Promise<OpenedSource>;
