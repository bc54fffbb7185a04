import type { Socket } from "node:net";
import { type Answer } from "./chain.ts";
import { CreditWindow } from "./credits.ts";
import type { PreauthHash } from "./crypto/preauth.ts";
import type { Request } from "./request.ts";
import type { SmbServer } from "./server.ts";
import type { Session } from "./session.ts";
import { type Header } from "./wire/header.ts";
/** A client's TCP connection: messages in, replies out, and what NEGOTIATE settled for all of it. */
export declare class Connection {
    #private;
    readonly server: SmbServer;
    readonly address: string;
    readonly credits: CreditWindow;
    readonly sessions: Map<bigint, Session>;
    dialect: number;
    cipher: number;
    signing: number;
    /** Only with 3.1.1. */
    preauth: PreauthHash | undefined;
    clientGuid: Buffer;
    clientCapabilities: number;
    clientSecurityMode: number;
    clientDialects: readonly number[];
    capabilities: number;
    openCount: number;
    isClosed: boolean;
    isLoggedIn: boolean;
    isSmb1Greeted: boolean;
    activeAt: number;
    readonly startedAt: number;
    constructor(server: SmbServer, socket: Socket);
    get host(): string;
    /** After a login: messages may carry payload. */
    loggedIn(): void;
    enterAsync(request: Request): bigint;
    leaveAsync(request: Request): void;
    cancel({ flags, asyncId, messageId }: Header): void;
    /** Ends requests of a session or a tree that wait for something. */
    cancelWhere(isMeant: (request: Request) => boolean): void;
    /** Sends replies as one message, signed or sealed as their requests were. */
    send(answers: readonly Answer[]): void;
    /** One message of these parts, sealed for a session if one is given. */
    write(parts: readonly Buffer[], sealFor: Session | undefined): void;
    /** Ends the connection and what lives on it. Durable opens stay behind for their time. */
    close(): void;
}
