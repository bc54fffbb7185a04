import type { Timers } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { type AccountList } from "./account-list.ts";
/** Reads and checks an accounts file; a `ConfigError` names the file, never what is in it. */
export declare function readAccountsFile(path: string): {
    list: AccountList;
    text: string;
};
export interface WatchAccountsFile {
    readonly path: string;
    readonly timers: Timers;
    readonly log: Log;
    /** Called with each new sound content, not with the first one. */
    readonly apply: (list: AccountList) => void;
}
/**
 * Keeps the accounts in step with a file, without a restart: keys are rotated by editing it. The content is
 * compared rather than its time, because an editor, a mounted secret and a copy each treat times differently.
 * Content that cannot be used changes nothing: the old set stays, and one line says so, once for each content.
 */
export declare class AccountsFile {
    #private;
    constructor(watch: WatchAccountsFile, text: string);
    start(): void;
    stop(): void;
    /** Looks now; for SIGHUP. */
    reload(): void;
}
