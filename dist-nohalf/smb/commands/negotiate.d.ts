import type { Connection } from "../connection.ts";
import { type Reply, type Request } from "../request.ts";
import type { SmbServer } from "../server.ts";
/** Where messages must be signed or encrypted, the client is told so at once. */
export declare function securityModeOf({ isSigningRequired }: SmbServer): number;
export declare function bestDialect(offered: readonly number[]): number | undefined;
export declare function negotiate(request: Request): Reply;
/** The answer to an SMB1 NEGOTIATE that knows SMB2: "ask again", in SMB2. Others get none. */
export declare function negotiateFromSmb1(connection: Connection, dialects: readonly string[]): void;
