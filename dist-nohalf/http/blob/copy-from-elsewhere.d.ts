import type { Copied } from "../../services/blob/copy-blob.ts";
import { type CopyFromElsewhere } from "../../services/blob/copy-from-elsewhere.ts";
import type { HttpRequest } from "../exchange.ts";
import type { BlobServices } from "./rows.ts";
type Wish = Omit<CopyFromElsewhere, "source" | "properties"> & {
    readonly mode: "async" | "sync";
    readonly properties: Omit<CopyFromElsewhere["properties"], "http">;
};
/**
 * Copy Blob and Copy Blob From URL with a source on another server. Small sources and synchronous copies are done
 * when the answer goes out; for others it says "pending", and the bytes follow.
 */
export declare function copyFromElsewhere(request: HttpRequest, { blobs }: BlobServices, { url, shown }: {
    readonly url: URL;
    readonly shown: string;
}, wish: Wish): Promise<Copied>;
export {};
