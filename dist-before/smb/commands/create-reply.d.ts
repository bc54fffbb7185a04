import type { FileInfo } from "../file-system.ts";
import type { Durability, FileOpen } from "../open.ts";
import { type Reply } from "../request.ts";
import { type CreateContexts } from "../wire/create-contexts.ts";
/** The promise to keep the open when the connection is lost; asked for by contexts, given only beside a handle cache. */
export declare function durabilityFor({ durableV1, durableV2 }: CreateContexts): Durability | undefined;
export declare function createReply(open: FileOpen, { action, info }: {
    readonly action: number;
    readonly info: FileInfo;
}, contexts: CreateContexts): Reply;
