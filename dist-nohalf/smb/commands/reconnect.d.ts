import type { Reply, Request } from "../request.ts";
import type { CreateContexts } from "../wire/create-contexts.ts";
/** A CREATE that takes back a durable open after a lost connection; undefined for every other one. */
export declare function reconnect(request: Request, name: string, contexts: CreateContexts): Promise<Reply | undefined>;
