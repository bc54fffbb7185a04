import { type Reply, type Request } from "../request.ts";
export declare function echo({ pdu }: Request): Reply;
