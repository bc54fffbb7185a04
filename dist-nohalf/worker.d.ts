import type { Log } from "./base/log.ts";
import type { Options } from "./options.ts";
/** A process that serves under a supervisor: it borrows the turn to write and obeys orders. */
export declare function runWorker(options: Options, log: Log, onFatal: (error: unknown) => void): Promise<void>;
