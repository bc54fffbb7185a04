import type { Socket } from "node:net";
import type { Log } from "./base/log.ts";
import { Metrics } from "./base/metrics.ts";
import type { Options } from "./options.ts";
import type { Runtime } from "./runtime.ts";
/** One process that serves: the four HTTP front ends over one runtime. */
export interface ServerOptions {
    readonly options: Options;
    readonly runtime: Runtime;
    readonly log: Log;
    /** True in a worker: the supervisor listens and hands connections over to `accept`. */
    readonly isHandedOver?: boolean;
}
export declare const SERVICE_PORTS: readonly ["blob", "queue", "table", "file"];
export type ServicePort = (typeof SERVICE_PORTS)[number];
export interface Server {
    readonly ports: Readonly<Record<ServicePort, number>>;
    readonly metrics: Metrics;
    /** A connection to one of the services that another process accepted. */
    accept(service: ServicePort, socket: Socket): void;
    /** Reads the accounts file again, and opens the access log again by its name, in case it was rotated. */
    reload(): void;
    /** Finishes what was accepted. The runtime stays open: whoever opened it closes it. */
    close(): Promise<void>;
}
export declare function startServer({ options, runtime, log, isHandedOver, }: ServerOptions): Promise<Server>;
