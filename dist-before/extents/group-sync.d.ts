import type { DeviceFile } from "./device.ts";
/**
 * One sync in flight at a time. Whoever asks meanwhile shares the next one, so the cost of a sync is divided by
 * the number of writers that wait for it.
 *
 * After a failed sync the kernel may have dropped the pages it could not write and marked them clean: a second
 * sync would succeed and prove nothing. So nobody who waits is ever told anything; `onFailure` stops the process.
 */
export declare class GroupSync {
    #private;
    constructor(onFailure: (error: unknown) => void);
    get hasFailed(): boolean;
    /** A write has finished. Enough of them start a sync early, so that the last one has little left to do. */
    wrote(file: DeviceFile, bytes: number): void;
    /** Resolves when everything that `wrote` announced before this call is durable; never, once a sync has failed. */
    sync(): Promise<void>;
    /** The same for the directory, which is synced on its own because new names are rare. */
    syncWith(sync: () => Promise<void>): Promise<void>;
}
