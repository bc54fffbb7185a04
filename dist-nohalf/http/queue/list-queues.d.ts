import type { HttpReply, HttpRequest } from "../exchange.ts";
import type { QueueServices } from "./operations.ts";
/** GET /?comp=list */
export declare function listQueues(request: HttpRequest, { queues }: QueueServices): Promise<HttpReply>;
