import { type Log } from "../../base/log.ts";
import type { Device } from "../../extents/device.ts";
import { ExtentFiles } from "../../extents/extent-files.ts";
import { ExtentLog } from "../../extents/extent-log.ts";
import type { ExtentShape, Slice } from "../../extents/format.ts";
import type { PayloadSource } from "../../extents/pieces.ts";
import type { SliceRange } from "../../extents/read-slice.ts";
import type { Appended } from "../../extents/taken.ts";
import type { Reader, Writer } from "../../store/kv.ts";
import { type OpenPayload } from "./open-payload.ts";
import type { Payloads } from "./payloads.ts";
import { Pins } from "./pins.ts";
import { References } from "./references.ts";
import type { WatchedStore } from "./watched-store.ts";
export interface PayloadOptions {
    /** The same one that all services read through: see `WatchedStore`. */
    readonly store: WatchedStore;
    readonly device: Device;
    /** A sync failed: the process must stop and not answer. */
    readonly onSyncFailure: (error: unknown) => void;
    readonly log?: Log;
    readonly shape?: Partial<ExtentShape>;
}
/** Payload in extents of one directory, shared by the processes of one machine. */
export declare class PayloadService implements Payloads {
    #private;
    readonly store: WatchedStore;
    readonly owner: string;
    readonly log: Log;
    readonly files: ExtentFiles;
    readonly extents: ExtentLog;
    readonly references: References;
    readonly pins: Pins;
    constructor({ store, device, onSyncFailure, log, shape }: PayloadOptions);
    append(source: PayloadSource): Promise<Appended>;
    keep(write: Writer, slices: readonly Slice[]): Promise<void>;
    share(write: Writer, slices: readonly Slice[]): Promise<void>;
    drop(write: Writer, slices: readonly Slice[]): Promise<void>;
    open(read: Reader, slices: readonly Slice[], range?: SliceRange): Promise<OpenPayload>;
    read(read: Reader, slices: readonly Slice[], range: SliceRange): Promise<AsyncIterable<Buffer>>;
    /** Payload on disk, as the extent records count it. Reads all of them: for a scrape, not for a request. */
    figures(): Promise<{
        readonly liveBytes: number;
        readonly deadBytes: number;
    }>;
    /** Puts into the records what the log has sealed. What fails now is tried again by the reclaimer's next step. */
    recordSealed(): Promise<void>;
    /** Seals the open extent when most of it is dead, so that an idle process does not sit on the space. */
    sealIfMostlyDead(): Promise<void>;
    /** Seals what is open. Appends must have ended; readers in flight finish on their own. */
    close(): Promise<void>;
}
