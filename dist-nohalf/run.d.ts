import type { Log } from "./base/log.ts";
import type { Options } from "./options.ts";
import { type ServicePort } from "./server.ts";
/** A whole Holdfast: the data directory, one process or several, and the admin listener. */
export interface RunOptions {
    readonly options: Options;
    readonly log: Log;
    readonly onFatal: (error: unknown) => void;
}
export interface Running {
    readonly ports: Readonly<Record<ServicePort | "admin", number>>;
    reload(): void;
    close(): Promise<void>;
}
export declare function run({ options, log, onFatal }: RunOptions): Promise<Running>;
