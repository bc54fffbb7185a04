import type { Socket } from "node:net";
import type { Clock, Timers } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Random } from "../base/random.ts";
import { OpenedNodes } from "./caches.ts";
import { ChangeHub } from "./changes.ts";
import { Connection } from "./connection.ts";
import type { LoginAccounts } from "./crypto/login.ts";
import { DurableOpens } from "./durable-opens.ts";
import type { FileSystem } from "./file-system.ts";
import { LoginDelay } from "./login-delay.ts";
import type { Session, Tree } from "./session.ts";
import { type FileTime } from "./wire/filetime.ts";
export interface SmbServerOptions {
    readonly fileSystem: FileSystem;
    readonly accounts: LoginAccounts;
    /** As clients see it in the login: up to 15 characters. */
    readonly serverName: string;
    /** "required": a client that cannot encrypt is refused. "enabled": signed messages are enough. */
    readonly encryption: "required" | "enabled";
    /** "enabled": a client that does not ask for signing may do without. For trials; "required" is the default. */
    readonly signing?: "required" | "enabled";
    readonly clock: Clock;
    readonly timers: Timers;
    readonly random: Random;
    readonly log: Log;
}
/** Everything that connections share: the accounts, the files, who has what open. */
export declare class SmbServer {
    #private;
    readonly fileSystem: FileSystem;
    readonly accounts: LoginAccounts;
    readonly serverName: string;
    readonly isEncryptionRequired: boolean;
    readonly isSigningRequired: boolean;
    readonly clock: Clock;
    readonly timers: Timers;
    readonly random: Random;
    readonly log: Log;
    readonly guid: Buffer;
    readonly startedAt: FileTime;
    readonly sessions: Map<bigint, Session>;
    readonly nodes: OpenedNodes;
    readonly changes: ChangeHub;
    readonly durables: DurableOpens;
    readonly loginDelay: LoginDelay;
    constructor(options: SmbServerOptions);
    now(): FileTime;
    accept(socket: Socket): void;
    get connectionCount(): number;
    nextOpenId(): bigint;
    /** Nobody learns how many credits there are before a login. */
    grantCredits(connection: Connection, requested: number): number;
    newSessionId(): bigint;
    connectionClosed(connection: Connection): void;
    /** Durable opens wait for their client, whether it logged off or was lost, unless the server itself ends. */
    endSession(session: Session, how: "logoff" | "lost" | "shutdown"): Promise<void>;
    endTree(tree: Tree): Promise<void>;
    close(): Promise<void>;
}
