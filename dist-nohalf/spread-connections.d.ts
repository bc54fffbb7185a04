import { type Socket } from "node:net";
/**
 * Connections for several worker processes: the supervisor accepts them and hands each to the next worker.
 *
 * node:cluster does the same, but forgets a connection that it handed to a worker which died before taking it:
 * the client then waits for ever. Here a connection stays ours until the worker says that it has it. If the
 * worker dies first, or does not answer in time, our copy is closed: nobody can tell whether the dead had read a
 * part of a request, and a client whose connection breaks knows what to do.
 */
export interface ConnectionHandover {
    readonly connection: string;
    readonly id: number;
}
export interface ConnectionTaken {
    readonly taken: number;
}
export declare function isHandover(message: unknown): message is ConnectionHandover;
export declare function isTaken(message: unknown): message is ConnectionTaken;
export interface Taker {
    readonly id: number;
    hand(message: ConnectionHandover, socket: Socket): void;
}
export declare class ConnectionSpreader {
    #private;
    /** Listens; connections wait until there is somebody to take them. Resolves with the port. */
    listen(service: string, address: {
        readonly host: string;
        readonly port: number;
    }): Promise<number>;
    /** A worker that is ready to serve. */
    add(taker: Taker): void;
    /** The worker has it: our copy of the connection goes. */
    taken({ taken }: ConnectionTaken): void;
    /** The worker is gone, and with it what it had not taken yet. */
    remove(takerId: number): void;
    /** Stops listening and drops what nobody took. */
    close(): Promise<void>;
}
