import type { HttpReply, HttpRequest } from "../exchange.ts";
import type { QueueServices } from "./operations.ts";
/** POST /{queue}/messages */
export declare function putMessage(request: HttpRequest, { queues }: QueueServices): Promise<HttpReply>;
