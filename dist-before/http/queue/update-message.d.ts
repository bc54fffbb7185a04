import type { HttpReply, HttpRequest } from "../exchange.ts";
import type { QueueServices } from "./operations.ts";
/** PUT /{queue}/messages/{messageid}?popreceipt=&visibilitytimeout= */
export declare function updateMessage(request: HttpRequest, { queues }: QueueServices): Promise<HttpReply>;
