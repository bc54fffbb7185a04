import { type Socket } from "node:net";
import { type Timers } from "../base/clock.ts";
import { Connection, type Incoming } from "./connection/connection.ts";
/**
 * A listening socket with the limits of the product: header size, time to the end of a head, idle time, number of
 * connections. Closing finishes what was accepted.
 */
export type Handler = (incoming: Incoming, connection: Connection) => Promise<void>;
export interface ListenOptions {
    readonly host: string;
    readonly port: number;
    /** True where another process listens and hands the connections over (see `accept`). */
    readonly isHandedOver?: boolean;
    readonly handler: Handler;
    /** PEM or PFX, as node:tls takes them; undefined for plain HTTP. */
    readonly certificate?: object | undefined;
    readonly timers?: Timers;
}
export interface Listener {
    readonly host: string;
    readonly port: number;
    /** Serves a connection that another process accepted. */
    accept(socket: Socket): void;
    connections(): number;
    close(): Promise<void>;
}
export declare function listen(options: ListenOptions): Promise<Listener>;
