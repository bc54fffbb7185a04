import type { FileHeaders } from "../../services/file/records.ts";
import type { HttpRequest } from "../exchange.ts";
/** A file or blob of another server, or a blob of this one, as it answers a GET. */
export interface FetchedSource {
    readonly size: number;
    readonly headers: FileHeaders;
    readonly metadata: Readonly<Record<string, string>>;
    readonly bytes: AsyncIterable<Buffer>;
}
/** Bytes as they are stored, encoded or not. Redirects are not followed: the client answers for one address. */
export declare function fetchSource(request: HttpRequest, url: URL, range?: string): Promise<FetchedSource>;
