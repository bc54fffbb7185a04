import { type Socket } from "node:net";
import type { SmbServer } from "./server.ts";
/** A listening socket for SMB with the limits of the product. Closing ends the sessions and their handles. */
export interface SmbListenOptions {
    readonly host: string;
    readonly port: number;
    readonly server: SmbServer;
    /** True in a worker: another process listens and hands connections over to `accept`. */
    readonly isHandedOver?: boolean;
}
export interface SmbListener {
    readonly host: string;
    readonly port: number;
    accept(socket: Socket): void;
    connections(): number;
    close(): Promise<void>;
}
export declare function listenSmb({ host, port, server, isHandedOver, }: SmbListenOptions): Promise<SmbListener>;
