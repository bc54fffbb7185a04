import type { Clock } from "./base/clock.ts";
import type { StoreChoice } from "./options.ts";
import type { Store } from "./store/kv.ts";
import type { WriteTurn } from "./store/serial-writer.ts";
/** The only place, with main, that names an engine. */
export interface OpenStore {
    readonly choice: StoreChoice;
    readonly owner: string;
    readonly clock: Clock;
    readonly turns?: {
        readonly records: WriteTurn;
        readonly ephemeral: WriteTurn;
    } | undefined;
    readonly onFatal: (error: unknown) => void;
}
export declare function openStore({ choice, owner, clock, turns, onFatal }: OpenStore): Store;
export declare function recordsDirectory(dataDirectory: string): string;
/** What the processes of an earlier run held is gone with them. Called before the first process opens the store. */
export declare function forgetEphemeral(choice: StoreChoice): void;
