import type { HttpReply, HttpRequest } from "../exchange.ts";
import type { QueueServices } from "./operations.ts";
/** GET or HEAD /{queue}?comp=metadata */
export declare function getQueueMetadata(request: HttpRequest, { queues }: QueueServices): Promise<HttpReply>;
/** PUT /{queue}?comp=metadata */
export declare function setQueueMetadata(request: HttpRequest, { queues }: QueueServices): Promise<HttpReply>;
/** GET or HEAD /{queue}?comp=acl */
export declare function getQueueAcl(request: HttpRequest, { queues }: QueueServices): Promise<HttpReply>;
/** PUT /{queue}?comp=acl */
export declare function setQueueAcl(request: HttpRequest, { queues }: QueueServices): Promise<HttpReply>;
