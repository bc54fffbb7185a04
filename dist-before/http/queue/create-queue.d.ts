import type { HttpReply, HttpRequest } from "../exchange.ts";
import type { QueueServices } from "./operations.ts";
/** PUT /{queue} */
export declare function createQueue(request: HttpRequest, { queues }: QueueServices): Promise<HttpReply>;
/** DELETE /{queue} */
export declare function deleteQueue(request: HttpRequest, { queues }: QueueServices): Promise<HttpReply>;
