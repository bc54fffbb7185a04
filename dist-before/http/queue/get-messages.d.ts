import type { HttpReply, HttpRequest } from "../exchange.ts";
import type { QueueServices } from "./operations.ts";
/** GET /{queue}/messages */
export declare function getMessages(request: HttpRequest, { queues }: QueueServices): Promise<HttpReply>;
/** GET /{queue}/messages?peekonly=true */
export declare function peekMessages(request: HttpRequest, { queues }: QueueServices): Promise<HttpReply>;
