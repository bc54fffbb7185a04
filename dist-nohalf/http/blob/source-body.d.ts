import type { SourceUse } from "../../concurrency/conditions.ts";
import type { BlobHttpHeaders } from "../../services/blob/records.ts";
import type { Headers, HttpRequest } from "../exchange.ts";
import { type CheckedBody } from "../wire/digest.ts";
import type { BlobServices } from "./rows.ts";
/** The bytes of a source, wherever it is, and what is known of it before they flow. */
export interface SourceBody {
    readonly body: CheckedBody;
    /** Undefined when a source elsewhere does not say. */
    readonly length: number | undefined;
    readonly http: BlobHttpHeaders;
    readonly tags: Readonly<Record<string, string>> | undefined;
    close(): void;
}
export interface SourceWants {
    readonly use: SourceUse;
    readonly bytesMax: number;
    readonly md5?: boolean;
    readonly crc64?: boolean;
}
/**
 * Opens x-ms-copy-source, or the x-ms-source-range of it, for reading. A blob of this server is read from its
 * own snapshot; anything else comes over HTTP. Digests the client declared of it are checked as it passes.
 */
export declare function openSourceBody(request: HttpRequest, services: BlobServices, wants: SourceWants): Promise<SourceBody>;
export declare function httpOf(headers: Headers): BlobHttpHeaders;
