import type { Connection } from "./connection.ts";
import type { FileOpen, Open } from "./open.ts";
import type { Session, Tree } from "./session.ts";
import { type Header } from "./wire/header.ts";
import type { FileId } from "./wire/layout.ts";
export interface Reply {
    readonly status: number;
    readonly body: Buffer;
    /** Follows the body without being copied into it. */
    readonly payload?: readonly Buffer[];
    /** The answer to a login is signed whatever the request was. */
    readonly isSigned?: boolean;
    /** Sees the reply as it is sent, for hashes over the conversation. */
    readonly onBytes?: (parts: readonly Buffer[]) => void;
}
export declare const success: (body: Buffer) => Reply;
/** What the PDUs of one compound hand on to each other. */
export interface ChainState {
    session: Session | undefined;
    tree: Tree | undefined;
    fileId: FileId | undefined;
    /** Why there is no file id: the status of the CREATE that failed. */
    error: number | undefined;
}
/** One PDU on its way through a command. */
export declare class Request {
    #private;
    readonly connection: Connection;
    readonly header: Header;
    readonly pdu: Buffer;
    readonly chain: ChainState;
    readonly isRelated: boolean;
    readonly isEncrypted: boolean;
    /** Of its compound: only the last one may keep the client waiting. */
    readonly isLast: boolean;
    isSigned: boolean;
    session: Session | undefined;
    tree: Tree | undefined;
    /** Not 0 once the interim reply was sent. */
    asyncId: bigint;
    constructor(input: {
        readonly connection: Connection;
        readonly header: Header;
        readonly pdu: Buffer;
        readonly chain: ChainState;
        readonly isRelated: boolean;
        readonly isEncrypted: boolean;
        readonly isLast: boolean;
        readonly sendInterim: (request: Request) => void;
    });
    /** Of a request that the table lets through only with a session. */
    get user(): Session;
    /** How a request ends that waits while its session or tree goes. */
    get endStatus(): number;
    /** The payload sent or asked for is paid for. */
    checkCharge(bytes: number): void;
    /** The open a request names: in a related compound the one of the request before it. */
    open(fileId: FileId): Open;
    file(fileId: FileId, onPipe?: number): FileOpen;
    /** Tells the client that the answer will take time. From here on CANCEL finds the request. */
    pend(): void;
    /** Waits, as an asynchronous request, for `work` or for being cancelled, in which case `undo` runs. */
    wait<T>(work: Promise<T>, undo: () => void): Promise<T>;
    cancel(status?: number): void;
}
