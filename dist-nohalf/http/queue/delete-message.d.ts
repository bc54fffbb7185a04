import type { HttpReply, HttpRequest } from "../exchange.ts";
import type { QueueServices } from "./operations.ts";
/** DELETE /{queue}/messages/{messageid}?popreceipt= */
export declare function deleteMessage(request: HttpRequest, { queues }: QueueServices): Promise<HttpReply>;
/** DELETE /{queue}/messages */
export declare function clearMessages(request: HttpRequest, { queues }: QueueServices): Promise<HttpReply>;
