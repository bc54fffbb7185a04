import type { Connection } from "./connection.ts";
import { type Reply, Request } from "./request.ts";
import type { Session } from "./session.ts";
export interface Answer {
    readonly request: Request;
    readonly reply: Reply;
    readonly isInterim: boolean;
}
export declare function runChain(connection: Connection, payload: Buffer, sealedBy: Session | undefined): Promise<void>;
