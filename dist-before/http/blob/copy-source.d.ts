import type { LocalSource } from "../../services/blob/copy-blob.ts";
import type { HttpRequest } from "../exchange.ts";
import { type BlobServices } from "./rows.ts";
/**
 * x-ms-copy-source: the address of what is to be copied, and the right to read it. A blob of this server is
 * found without going over the network; whoever copies it must be allowed to read it all the same: by a SAS in
 * the address, by a token of its own, because it is public, or because the account's owner asks for a blob of
 * the account.
 */
export type CopySource = ({
    readonly kind: "here";
} & LocalSource) | {
    readonly kind: "elsewhere";
    readonly url: URL;
    readonly shown: string;
};
export declare function readCopySource(request: HttpRequest, services: BlobServices): Promise<CopySource>;
