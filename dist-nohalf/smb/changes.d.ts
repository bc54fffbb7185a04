import { type NotifyRecord } from "./wire/directory.ts";
/**
 * Change notification. A watch belongs to an open directory; its first request fixes what it looks for, and what
 * happens between two requests is kept, up to a limit beyond which the client is told to look for itself. Only what
 * SMB clients do is told: REST calls do not notify, as on Azure.
 */
export declare class Watch {
    #private;
    readonly path: readonly string[];
    readonly filter: number;
    readonly isRecursive: boolean;
    constructor(path: readonly string[], filter: number, isRecursive: boolean);
    record(record: NotifyRecord): void;
    /** Answers a request that waits, when there is something to say. */
    flush(): void;
    take(bytesMax: number): WatchResult | undefined;
    wait(bytesMax: number): {
        readonly result: Promise<WatchResult>;
        readonly cancel: () => void;
    };
    /** Ends every request that waits: the directory was closed or removed. */
    end(status: number): void;
}
export interface WatchResult {
    readonly status: number;
    readonly data: Buffer;
}
/** The watches of all shares, found by directory: an event looks at the directories above it and nowhere else. */
export declare class ChangeHub {
    #private;
    add(share: bigint, watch: Watch): void;
    remove(share: bigint, watch: Watch): void;
    /** Tells what happened at a path. Several events of one operation belong into one answer, so they come together. */
    tell(share: bigint, events: readonly {
        readonly path: readonly string[];
        readonly action: number;
        readonly filter: number;
    }[]): void;
    /** A directory is gone: whoever watched it is told. */
    removed(share: bigint, path: readonly string[]): void;
}
export declare function checkWatchSize(bytes: number): void;
