import type { Place } from "../keys/payload.ts";
/** At the place where a slice was first written. `refs` counts the records that point to it. */
export interface HomeRecord {
    readonly length: number;
    readonly refs: number;
    /** Where the bytes are now, once compaction has moved them. */
    readonly at?: Place;
}
/** At the place a slice was moved to: so that compacting an extent is one walk over its keys. */
export interface GuestRecord {
    readonly length: number;
    readonly home: Place;
}
export type SliceRecord = HomeRecord | GuestRecord;
export declare const sliceRecord: import("./record.ts").RecordType<SliceRecord>;
export interface ExtentRecord {
    /** The process that appends to it while it is open. */
    readonly owner: string;
    readonly state: "open" | "sealed";
    /** Size of the file, known when it is sealed. */
    readonly bytes: number;
    /** What referenced slices take in the file, frame headers included. */
    readonly liveBytes: number;
}
export declare const extentRecord: import("./record.ts").RecordType<ExtentRecord>;
export declare const lastExtentRecord: import("./record.ts").RecordType<{
    readonly id: bigint;
}>;
export interface RemovalRequest {
    readonly round: number;
    readonly extents: readonly bigint[];
}
export declare const removalRequest: import("./record.ts").RecordType<RemovalRequest>;
export interface RemovalAnswer {
    /** The round this answers. */
    readonly round: number;
    /** Those of its extents that readers in flight still need. */
    readonly held: readonly bigint[];
}
export declare const removalAnswer: import("./record.ts").RecordType<RemovalAnswer>;
