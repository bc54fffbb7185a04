import { Refusal } from "../../base/refusals.ts";
import type { PathRef } from "../../services/file/names.ts";
import type { HttpRequest } from "../exchange.ts";
import type { Permission } from "../operation.ts";
import { type FileServices } from "./rows.ts";
/**
 * The address of what is copied or renamed, and the right to it. A file of this server is found without going over
 * the network; whoever names it must be allowed to read it all the same: by a SAS in the address, by a token of its
 * own, or because the caller's own rights reach it. The caller's account by its name on Azure means this server too:
 * the Azure CLI puts a source together that way, whatever endpoint it talks to.
 */
export type CopySource = {
    readonly kind: "here";
    readonly ref: PathRef;
    readonly shown: string;
} | {
    readonly kind: "elsewhere";
    readonly url: URL;
    readonly shown: string;
};
export declare function readCopySource(request: HttpRequest, services: FileServices, options?: {
    readonly header?: string;
    readonly permission?: Permission;
}): Promise<CopySource>;
/** What the source answered, in the words of a copy. */
export declare function sourceRefusal(status: number): Refusal;
